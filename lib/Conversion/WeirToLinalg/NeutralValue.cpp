//===- NeutralValue.cpp - What contributes nothing to a result ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NeutralValue.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace weir;
using ExprOp = ScalarExpr::Op;

double weir::getIdentity(Combiner combiner) {
  double infinity = std::numeric_limits<double>::infinity();
  switch (combiner) {
  case Combiner::None:
  case Combiner::Sum:
    return 0;
  case Combiner::Product:
    return 1;
  case Combiner::Maximum:
    return -infinity;
  case Combiner::Minimum:
    return infinity;
  }
  llvm_unreachable("all combiners have an identity");
}

/// Whether the value of `node` is always operand `number` or the combiner's
/// identity.
static bool isElementOrIdentity(const OpRecord &record, int node,
                                size_t number) {
  const ScalarExpr::Node &step = record.getExpression()->nodes()[node];
  if (step.op == ExprOp::Operand)
    return step.operand == static_cast<int>(number);
  if (step.op == ExprOp::Literal)
    return step.literal == getIdentity(record.getCombiner());
  return step.op == ExprOp::Select &&
         isElementOrIdentity(record, step.args[1], number) &&
         isElementOrIdentity(record, step.args[2], number);
}

/// Whether each point at which operand `number` is left is one at which `other`
/// is left.
static bool leavesWith(const BoundSpec &bound, ValueRange operands,
                       size_t number, size_t other) {
  auto sizeOf = [&](size_t operand, size_t dim) {
    return cast<RankedTensorType>(operands[operand].getType()).getDimSize(dim);
  };
  auto isSame = [](const AffineIndex::Term &a, const AffineIndex::Term &b) {
    return a.loop == b.loop && a.coefficient == b.coefficient;
  };
  auto hasSame = [&](const AffineIndex &index, int64_t size) {
    for (auto [d, theirs] : llvm::enumerate(bound.operands[other]))
      if (theirs.offset == index.offset && sizeOf(other, d) == size &&
          llvm::equal(theirs.terms, index.terms, isSame))
        return true;
    return false;
  };
  for (auto [d, index] : llvm::enumerate(bound.operands[number]))
    if (index.mayLeave && !hasSame(index, sizeOf(number, d)))
      return false;
  return true;
}

std::optional<double> weir::getNeutralValue(const OpRecord &record,
                                            const BoundSpec &bound,
                                            const AttrMap &attrs,
                                            ValueRange operands,
                                            size_t number) {
  const std::vector<ScalarExpr::Node> &nodes = record.getExpression()->nodes();
  auto isOperand = [&](int node) {
    return nodes[node].op == ExprOp::Operand &&
           nodes[node].operand == static_cast<int>(number);
  };
  const ScalarExpr::Node &root = nodes.back();
  bool isFactor = root.op == ExprOp::Mul &&
                  (isOperand(root.args[0]) || isOperand(root.args[1]));
  if (isFactor && record.getCombiner() == Combiner::Sum)
    return 0;
  double identity = getIdentity(record.getCombiner());
  if (nodes.size() == 1)
    return record.getFill().empty()
               ? identity
               : attrs.floatOr(std::string_view(record.getFill()), 0);
  int last = static_cast<int>(nodes.size()) - 1;
  for (size_t other = 0; other < operands.size(); ++other)
    if (isElementOrIdentity(record, last, other) &&
        leavesWith(bound, operands, number, other))
      return other == number ? identity : 0;
  return std::nullopt;
}
