//===- Counted.h - Numbers of things, in words -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_COUNTED_H
#define WEIR_SUPPORT_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// "1 run" or "3 runs", of a noun that takes an s.
inline std::string counted(uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  return count == 1 ? text : text + 's';
}

} // namespace weir

#endif // WEIR_SUPPORT_COUNTED_H
