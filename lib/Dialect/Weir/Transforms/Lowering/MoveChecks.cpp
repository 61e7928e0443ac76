//===- MoveChecks.cpp - Which groups take over epilogues --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MoveChecks.h"

#include "GroupBodies.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/DimRelations.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Support/ShapeLimits.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

using namespace mlir;
using namespace weir;

/// The operations that a block computes in the time of a launch, 1.5 us. It has
/// 128 instructions in each of 1.7e9 cycles a second, and an operation such as
/// an exponential takes about ten.
static constexpr int64_t launchFlops = int64_t(1) << 15;
/// The most neighbouring results that one block reduces.
static constexpr int64_t mostResults = 64;

std::string weir::whyNoReader(GroupOp group,
                              llvm::function_ref<bool(Operation *)> isCode) {
  if (group->getNumResults() != 1 || !group->getResult(0).hasOneUse())
    return "no group alone reads it";
  GroupOp reader = findOnlyReader(group);
  if (!reader)
    return "no group of its device and stage reads it";
  for (Operation &op : reader.getBlock().without_terminator())
    if (!isCode(&op))
      return fmt::format("'{}', which reads it, is not generated code",
                         getOpName(reader).str());
  return {};
}

namespace {
/// What decides how many blocks compute what an op reads.
struct Sharing {
  /// Whether elements are combined in order, or found at computed indices. Few
  /// threads then compute what is read, or one block stores it for the others.
  bool isOrdered = false;
  /// Whether windows of what a body computes are read. The kernel then is
  /// several loop nests, with few blocks for all of them.
  bool hasInnerWindows = false;
  bool reduces = false;
};
} // namespace

/// Adds what is known of `op`, which is in `body` if that is no null: the body
/// of a composite.
static void addSharing(WeirOpInterface op, Block *body, Sharing &sharing) {
  const OpRecord &record = op.getOpRecord();
  sharing.isOrdered |= !op.getIndexOperands().empty();
  if (record.isComposite()) {
    visitBody(op, [&](WeirOpInterface part) {
      addSharing(part, part->getBlock(), sharing);
    });
    return;
  }
  if (!record.isLeaf())
    return;
  const IndexSpec &spec = record.getIndexSpec();
  sharing.isOrdered |= spec.hasIndirectDims() || bindSpec(op).runningLoop >= 0;
  sharing.hasInnerWindows |=
      spec.hasWindows() && body && op->getOperand(0).getParentBlock() == body;
  // What windows read is computed where they read it, or by a launch that
  // stores it.
  sharing.reduces |=
      record.getCombiner() != Combiner::None && !spec.hasWindows();
}

/// The fewest blocks in which `reader` may compute what it reads as `argument`;
/// none if they are as many as for any launch.
static std::optional<int64_t> countBlocks(GroupOp reader, Value argument) {
  Sharing sharing;
  for (auto op : reader.getBlock().getOps<WeirOpInterface>())
    addSharing(op, /*body=*/nullptr, sharing);
  if (sharing.isOrdered)
    return 0;
  if (sharing.hasInnerWindows)
    return 1;
  if (!sharing.reduces)
    return std::nullopt;
  int64_t rows = std::numeric_limits<int64_t>::max();
  Operation *end = reader.getBlock().getTerminator();
  for (const auto &relations :
       relateDims(reader.getBlock(), argument, end->getOperands()))
    rows = std::min(rows, analysis::countRows(relations.front()));
  return std::max<int64_t>(1, rows / mostResults);
}

std::string weir::whyTooFewBlocks(GroupOp group,
                                  ArrayRef<WeirOpInterface> refused) {
  GroupOp reader = findOnlyReader(group);
  OpOperand &use = *group->getResult(0).getUses().begin();
  const std::optional<int64_t> blocks = countBlocks(
      reader, reader.getBlock().getArgument(use.getOperandNumber()));
  int64_t flops = 0;
  for (WeirOpInterface op : refused)
    flops = saturatingAdd(flops, getCost(op).flops);
  if (!blocks || flops / launchFlops < *blocks)
    return {};
  return fmt::format("'{}', which reads it, might compute it in few blocks",
                     getOpName(reader).str());
}
