//===- InPlaceUpdates.h - Which updates can overwrite old contents --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A command that computes the next contents of some bytes can overwrite the old
// contents if all readers of the old contents run before it. Each such update
// therefore adds constraints to the order of commands. The constraints of two
// updates can exclude each other: if two variables are computed from both old
// values, either command overwrites what the other one still has to read.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ANALYSIS_INPLACEUPDATES_H
#define WEIR_ANALYSIS_INPLACEUPDATES_H

#include <cstdint>
#include <span>
#include <vector>

namespace weir::analysis {

/// Command `command` computes the next contents of bytes whose old contents
/// `readers` read. `command` itself is not among them.
struct Update {
  uint32_t command = 0;
  std::vector<uint32_t> readers;
};

/// Chooses updates that can all be in place together: the commands have an
/// order that respects `dependencies` and puts each reader before the update.
/// The other updates need other bytes. `dependencies[c]` lists the commands
/// whose results command c needs. Dependencies form no cycle.
///
/// An update is always chosen if its constraints are in no cycle. In a cycle,
/// the update of the first command that could run is dropped. The result has
/// one entry for each update. Takes O(n log n) steps in the number of
/// dependencies and readers.
std::vector<bool>
chooseUpdatesInPlace(std::span<const std::vector<uint32_t>> dependencies,
                     std::span<const Update> updates);

} // namespace weir::analysis

#endif // WEIR_ANALYSIS_INPLACEUPDATES_H
