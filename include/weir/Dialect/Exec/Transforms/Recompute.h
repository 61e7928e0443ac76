//===- Recompute.h - Computes values twice to save memory -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_RECOMPUTE_H
#define WEIR_DIALECT_EXEC_TRANSFORMS_RECOMPUTE_H

#include "weir/Dialect/Exec/IR/ExecOps.h"

#include <string>
#include <vector>

namespace weir::exec {

/// The changes that make an arena smaller.
struct Recomputation {
  /// The bytes that the arena takes, before and now.
  uint64_t bytesBefore = 0, bytes = 0;
  /// The smallest bound that is known to be met. It is the requested bound, or
  /// a larger bound if the requested one cannot be met.
  uint64_t mostBytes = 0;
  /// The names of the launches that are repeated, in the order of repetitions.
  std::vector<std::string> launches;
  /// The predicted time of the repetitions, and of all other launches.
  double seconds = 0, secondsBefore = 0;

  /// "the scratch of cpu:0 takes 512 bytes instead of 768, because ...".
  std::string describe(llvm::StringRef device) const;
};

/// The arena of `device` in which the values of its compute queue lie.
ArenaKey findComputeArena(EntryOp entry, mlir::StringAttr device);

/// Makes the compute arena of `device` fit into `mostBytes`, or makes it as
/// small as possible if it cannot fit. For that, buffers are freed between two
/// uses, and the launches that write them are carried out again before the
/// second use. The order of commands and their events are known and stay as
/// they are. Offsets have to be planned anew.
mlir::FailureOr<Recomputation> recompute(EntryOp entry, mlir::StringAttr device,
                                         uint64_t mostBytes);

/// Makes the compute arenas of all devices smaller, with a limit on time: an
/// arena of more than `above` bytes becomes as small as it gets by repetitions
/// that last at most `mostShare` of the predicted time of its queue.
mlir::LogicalResult recomputeCheaply(EntryOp entry, double mostShare,
                                     uint64_t above);

/// The attribute of a launch that is a repetition. Its value is the name of the
/// original launch.
inline constexpr llvm::StringLiteral againAttr = "exec.again";

/// Describes everything that `entry` computes again: one text for each program
/// that repeats launches.
std::vector<std::string> describeRepetitions(EntryOp entry);

} // namespace weir::exec

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_RECOMPUTE_H
