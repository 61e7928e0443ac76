//===- NearNames.h - Suggests similar names -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_NEARNAMES_H
#define WEIR_SUPPORT_NEARNAMES_H

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The least number of characters to insert, delete or change to turn `left`
/// into `right`.
size_t editDistance(std::string_view left, std::string_view right);

/// Up to five of `names` that are similar to `name`, the most similar first, as
/// "'a', 'b'". If none is similar, the first names.
std::string nearNames(std::string_view name,
                      std::span<const std::string> names);

} // namespace weir

#endif // WEIR_SUPPORT_NEARNAMES_H
