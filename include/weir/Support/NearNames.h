//===- NearNames.h - Offers the names that there are ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The suggestion after "there is no 'x'" in an error. All tools and libraries
// word it in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_NEARNAMES_H
#define WEIR_SUPPORT_NEARNAMES_H

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The least number of edits that turn `left` into `right`. An edit inserts,
/// deletes or changes a character, or swaps two neighbouring characters.
size_t editDistance(std::string_view left, std::string_view right);

/// The name in `names` that differs least from `name`, ignoring case and
/// punctuation. Empty if each name differs by more than `mostEdits`, or by too
/// many edits for its length.
std::string_view findSlip(std::string_view name,
                          std::span<const std::string> names, size_t mostEdits);

/// The name in `names` that was probably meant by `name`. Empty if no name is
/// similar, or if several names contain `name`.
std::string_view findNearest(std::string_view name,
                             std::span<const std::string> names);

/// `names` as "'a', 'b'", in their order, if the list is short. A long list has
/// only the names that are most similar to `name`, and the number of all other
/// names: "'a', 'b' and 47 more".
std::string nearNames(std::string_view name,
                      std::span<const std::string> names);

/// The suggestion of an error in place of `name`: "did you mean 'a'? There are
/// 'a', 'b'", or "there are 'a', 'b'" if none is similar. `kind` says what the
/// names are. For instance, "outputs" gives "the outputs are 'a', 'b'" or
/// "there are no outputs". If not all names are listed, `listing` says how to
/// see them.
std::string offerNames(std::string_view name,
                       std::span<const std::string> names,
                       std::string_view kind = "",
                       std::string_view listing = "");

/// The error about `flag`, which `tool` does not have: "unknown flag
/// '--device'; did you mean --devices? ...". `flags` are the flags of the tool,
/// as they are written on the command line.
std::string describeUnknownFlag(std::string_view tool, std::string_view flag,
                                std::span<const std::string> flags);

} // namespace weir

#endif // WEIR_SUPPORT_NEARNAMES_H
