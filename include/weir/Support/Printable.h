//===- Printable.h - Makes foreign text safe to print -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PRINTABLE_H
#define WEIR_SUPPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace weir {

/// `text` with a '?' for every control character and every byte that is not
/// UTF-8. So a name from a file can neither control a terminal nor break a
/// report.
std::string printable(std::string_view text);

/// The same, but keeps line ends and tabs.
std::string printableLines(std::string_view text);

} // namespace weir

#endif // WEIR_SUPPORT_PRINTABLE_H
