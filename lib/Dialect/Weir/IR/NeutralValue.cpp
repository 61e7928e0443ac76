//===- NeutralValue.cpp - What contributes nothing to a result ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/NeutralValue.h"

#include "mlir/Support/LLVM.h"

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

/// Whether all points that are outside of a tensor with `indices` and `dims`
/// are also outside of the other tensor.
static bool leavesWith(ArrayRef<AffineIndex> indices, ArrayRef<int64_t> dims,
                       ArrayRef<AffineIndex> others,
                       ArrayRef<int64_t> otherDims) {
  auto hasSame = [&](const AffineIndex &index, int64_t size) {
    for (auto [other, otherSize] : llvm::zip(others, otherDims))
      if (other.offset == index.offset && otherSize == size &&
          other.terms == index.terms)
        return true;
    return false;
  };
  for (auto [index, size] : llvm::zip(indices, dims))
    if (index.mayLeave && !hasSame(index, size))
      return false;
  return true;
}

std::optional<double>
weir::getNeutralValue(const OpRecord &record, const BoundSpec &bound,
                      const AttrMap &attrs,
                      ArrayRef<std::vector<int64_t>> shapes, size_t number) {
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
  for (size_t other = 0; other < shapes.size(); ++other)
    if (isElementOrIdentity(record, last, other) &&
        leavesWith(bound.operands[number], shapes[number],
                   bound.operands[other], shapes[other]))
      return other == number ? identity : 0;
  if (leavesWith(bound.operands[number], shapes[number], bound.result,
                 bound.resultDims))
    return 0;
  return std::nullopt;
}
