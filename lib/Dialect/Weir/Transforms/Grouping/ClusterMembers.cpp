//===- ClusterMembers.cpp - Decides which ops are generated ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/DimRelations.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace weir;

/// The most work of a tiny contraction, whose launch would take longer than its
/// work.
static constexpr int64_t tinyFlops = 4096;
/// The most parts of a concat or split for which code is generated. Each part
/// has its own loops, and a kernel must not grow with the graph.
static constexpr size_t mostParts = 256;

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

bool weir::isContraction(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  return record.isLeaf() && record.getCombiner() != Combiner::None &&
         (op->getNumOperands() > 1 || record.getIndexSpec().repeatsOperands());
}

/// Whether results read overlapping windows of their operand.
static bool hasWindows(WeirOpInterface op) {
  const OpRecord &record = op.getOpRecord();
  return record.hasIndexSpec() && record.getIndexSpec().hasWindows();
}

/// Whether the launch of `op` would take longer than its work. Generated code
/// visits every point, even if a library kernel can skip some.
static bool isTinyContraction(WeirOpInterface op) {
  return isContraction(op) && !hasWindows(op) &&
         getEvaluationFlops(op) <= tinyFlops;
}

/// Whether `op` can be lowered to loops that compute each element from few
/// other elements.
static bool isPlainMember(WeirOpInterface op) {
  size_t parts = getElementCopies(op).size();
  bool hasLoops = op.getOpRecord().isLeaf() || op.getOpRecord().isComposite() ||
                  op.isReinterpretation() || parts > 0;
  return hasLoops && parts <= mostParts && !hasWindows(op) &&
         (!isContraction(op) || isTinyContraction(op));
}

bool weir::joinsClusters(WeirOpInterface op) {
  // An op whose operands are computed directly in their places in the result is
  // not part of a kernel.
  if (op.getOpRecord().isRelayout() || !op.getPlaces().empty())
    return false;
  if (isContraction(op))
    return isTinyContraction(op);
  bool areAllPlain = isPlainMember(op);
  if (!op.getOpRecord().isComposite())
    return areAllPlain;
  // A training norm stays with its library kernel. That kernel passes over the
  // tensor a few times, and also computes the epilogues. Generated code would
  // need several launches, because each of its sums needs all threads.
  if (acceptsEpilogues(op) && combinesElements(op))
    return false;
  visitBody(op,
            [&](WeirOpInterface part) { areAllPlain &= isPlainMember(part); });
  return areAllPlain;
}

static bool anyPart(WeirOpInterface op,
                    llvm::function_ref<bool(WeirOpInterface)> holds) {
  if (!op.getOpRecord().isComposite())
    return holds(op);
  bool found = false;
  visitBody(op, [&](WeirOpInterface part) { found |= anyPart(part, holds); });
  return found;
}

bool weir::combinesElements(WeirOpInterface op) {
  return anyPart(op, [](WeirOpInterface part) {
    return part.getOpRecord().getCombiner() != Combiner::None;
  });
}

bool weir::placesElementsAnew(WeirOpInterface op) {
  return anyPart(op, [](WeirOpInterface part) {
    const OpRecord &record = part.getOpRecord();
    return !record.isPointwise() && record.getCombiner() == Combiner::None &&
           !isa<PositionsOp>(*part);
  });
}

SmallVector<int64_t> weir::countSharedRows(WeirOpInterface op) {
  SmallVector<int64_t> rows(op->getNumOperands(),
                            std::numeric_limits<int64_t>::max());
  for (const auto &relations : relateDims(op))
    for (auto [fewest, relation] : llvm::zip_equal(rows, relations))
      fewest = std::min(fewest, analysis::countRows(relation));
  return rows;
}
