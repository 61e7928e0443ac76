//===- NearNames.h - Names that may have been meant -----------------------===//
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

/// Up to five of `names` that are like `name`, the nearest first, as
/// "'a', 'b'"; of no name near, the first of all.
std::string nearNames(std::string_view name,
                      std::span<const std::string> names);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_NEARNAMES_H
