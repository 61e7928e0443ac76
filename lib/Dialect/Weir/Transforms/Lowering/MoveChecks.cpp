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

/// The number of operations that a block computes in the time of a launch, 1.5
/// us. A block executes 128 instructions per cycle at 1.7e9 cycles a second,
/// and an operation such as an exponential takes about ten instructions.
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
/// The properties of an op that determine how many blocks compute the operand
/// of the op.
struct Sharing {
  /// Whether elements are combined in order, or found at computed indices. If
  /// so, few threads compute the operand, or one block stores the operand for
  /// the other blocks.
  bool isOrdered = false;
  /// Whether an op in the body reads windows of an intermediate value. The
  /// kernel then has several loop nests, and few blocks for all of them.
  bool hasInnerWindows = false;
  bool reduces = false;
};
} // namespace

/// Adds the properties of `op`. If `body` is not null, it is the body of a
/// composite that contains the op.
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
  // An op with windows does not count. Its operand is computed where it is
  // read, or by a launch that stores it.
  sharing.reduces |=
      record.getCombiner() != Combiner::None && !spec.hasWindows();
}

/// The least number of blocks in which `reader` may compute its operand
/// `argument`. Absent if no op in `reader` lowers the number.
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
