//===- WeightedSum.cpp - Products with known weights ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Rewriting/WeightedSum.h"

#include "weir/Support/ScalarAlgebra.h"

using namespace mlir;
using namespace weir;

std::optional<WeightedSum>
weir::asWeightedSum(WeirOpInterface op, const DerivableValues &derivable) {
  const OpRecord &record = op.getOpRecord();
  if (!record.isLeaf() || record.getCombiner() != Combiner::Sum ||
      op->getNumResults() != 1 || op->getNumOperands() < 2 ||
      !isFormula(*record.getExpression(), "a * b"))
    return std::nullopt;
  bool isRight = derivable.contains(op->getOperand(1));
  if (isRight == derivable.contains(op->getOperand(0)))
    return std::nullopt;
  WeightedSum sum = {op, bindSpec(op), isRight ? 0u : 1u, isRight ? 1u : 0u,
                     std::nullopt};
  for (auto [index, term] :
       llvm::enumerate(record.getIndexSpec().operandTerms()))
    if (term.isInit)
      sum.init = static_cast<unsigned>(index);
  if (sum.hasInit() && !derivable.contains(op->getOperand(*sum.init)))
    return std::nullopt;
  return sum;
}

std::optional<SmallVector<int>>
weir::getLoops(const AffineIndex &index, int64_t size, const BoundSpec &bound) {
  SmallVector<int> loops;
  int64_t count = 1;
  for (const AffineIndex::Term &term : llvm::reverse(index.terms)) {
    int64_t points = bound.loops[static_cast<size_t>(term.loop)].size;
    if (points == 1)
      continue;
    if (term.coefficient != count)
      return std::nullopt;
    count *= points;
    loops.insert(loops.begin(), term.loop);
  }
  if (index.offset != 0 || index.mayLeave || count != size)
    return std::nullopt;
  return loops;
}
