//===- NearNames.h - Suggests similar names -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_NEARNAMES_H
#define WEIR_LIB_RUNTIME_TOOLS_NEARNAMES_H

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// Up to five of `names` that are similar to `name`, the most similar first, as
/// "'a', 'b'". If none is similar, the first names.
std::string nearNames(std::string_view name,
                      std::span<const std::string> names);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_NEARNAMES_H
