//===- ClusterMembers.cpp - Decides which ops are generated ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

using namespace mlir;
using namespace weir;

/// Contractions of at most this much work are tiny: their launch would take
/// longer than they do.
static constexpr int64_t tinyFlops = 4096;
/// The most parts of a concat or split for which code is generated: each part
/// has loops of its own, and a kernel must not grow with the graph.
static constexpr size_t mostParts = 256;

static ArrayRef<int64_t> getShape(Value value) {
  return getTensorType(value).getShape();
}

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
/// visits every point, also where a kernel knows better.
static bool isTinyContraction(WeirOpInterface op) {
  return isContraction(op) && !hasWindows(op) &&
         getEvaluationFlops(op) <= tinyFlops;
}

/// Whether `op` can be lowered to loops over elements, each of which is
/// computed from few others.
static bool isPlainMember(WeirOpInterface op) {
  size_t parts = getElementCopies(op).size();
  bool hasLoops = op.getOpRecord().isLeaf() || op.getOpRecord().isComposite() ||
                  op.isReinterpretation() || parts > 0;
  return hasLoops && parts <= mostParts && !hasWindows(op) &&
         (!isContraction(op) || isTinyContraction(op));
}

bool weir::joinsClusters(WeirOpInterface op) {
  if (op.getOpRecord().isRelayout())
    return false;
  if (isContraction(op))
    return isTinyContraction(op);
  bool areAllPlain = isPlainMember(op);
  if (!op.getOpRecord().isComposite())
    return areAllPlain;
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

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The number of leading dims before the first that the op's attributes name;
/// all dims if they name none. A body treats those leading dims independently.
static int64_t countDimsBeforeAxes(WeirOpInterface op, int64_t rank) {
  AttrMap attrs = toAttrMap(op->getAttrDictionary());
  int64_t first = rank;
  auto meet = [&](int64_t axis) {
    first = std::min(first, fromStart(axis, static_cast<size_t>(rank)));
  };
  for (int64_t axis : attrs.ints("axes"))
    meet(axis);
  if (op->hasAttr("axes") && attrs.ints("axes").empty())
    first = 0;
  if (op->hasAttr("axis"))
    meet(attrs.intOr("axis", -1));
  return std::max<int64_t>(first, 0);
}

/// The number of leading dims in which operand and result have the same index.
static int64_t countPlainDims(WeirOpInterface op, unsigned number) {
  BoundSpec bound = bindSpec(op);
  const std::vector<AffineIndex> &from = bound.operands[number];
  auto isPlain = [&](const AffineIndex &index) {
    return index.offset == 0 && index.terms.size() == 1 &&
           index.terms[0].coefficient == 1 &&
           index.terms[0].loop != bound.runningLoop;
  };
  int64_t count = 0;
  for (auto [left, right] : llvm::zip(from, bound.result)) {
    bool areOne = left.terms.empty() && right.terms.empty();
    if (!areOne && (!isPlain(left) || !isPlain(right) ||
                    left.terms[0].loop != right.terms[0].loop))
      break;
    ++count;
  }
  return count;
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// The number of elements of the leading parts in which two shapes agree,
/// however they are divided into dims.
static int64_t countCommonLeading(ArrayRef<int64_t> left,
                                  ArrayRef<int64_t> right) {
  int64_t common = 1, a = 1, b = 1;
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    if (a <= b)
      a *= left[i++];
    else
      b *= right[j++];
    if (a == b)
      common = a;
  }
  return common;
}

int64_t weir::getSharedRows(WeirOpInterface op, unsigned number) {
  ArrayRef<int64_t> from = getShape(op->getOperand(number));
  ArrayRef<int64_t> to = getShape(op->getResult(0));
  const OpRecord &record = op.getOpRecord();
  if (record.isLeaf())
    return getProduct(from.take_front(countPlainDims(op, number)));
  if (op.isReinterpretation())
    return countCommonLeading(from, to);
  // For a composite, only the first operand has rows.
  if (number != 0 && record.isComposite() && from != to)
    return 1;
  int64_t dims = countDimsBeforeAxes(op, static_cast<int64_t>(from.size()));
  ArrayRef<int64_t> leading =
      from.take_front(std::min<size_t>(dims, to.size()));
  return leading == to.take_front(leading.size()) ? getProduct(leading) : 1;
}
