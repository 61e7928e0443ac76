//===- AffineStep.cpp - Scales and shifts by known values -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Rewriting/AffineStep.h"

#include "weir/Dialect/Weir/IR/Annotation.h"

using namespace mlir;
using namespace weir;

/// The kind of step that the op's expression computes from its operands "a" and
/// "b", in this order.
static std::optional<AffineStep::Kind> getKind(const OpRecord &record) {
  const ScalarExpr *expression = record.getExpression();
  if (!expression || !record.isPointwise() || expression->nodes().size() != 3)
    return std::nullopt;
  const auto &nodes = expression->nodes();
  const int left = nodes[2].args[0], right = nodes[2].args[1];
  if (left < 0 || right < 0 || nodes[left].operand != 0 ||
      nodes[right].operand != 1)
    return std::nullopt;
  switch (nodes[2].op) {
  case ScalarExpr::Op::Add:
    return AffineStep::Kind::Add;
  case ScalarExpr::Op::Sub:
    return AffineStep::Kind::Sub;
  case ScalarExpr::Op::Mul:
    return AffineStep::Kind::Mul;
  case ScalarExpr::Op::Div:
    return AffineStep::Kind::Div;
  default:
    return std::nullopt;
  }
}

/// The dim of `running` along which `by` varies; -1 if `by` has one element,
/// and nothing if `by` varies along several dims.
static std::optional<int64_t> getOnlyDim(RankedTensorType by,
                                         RankedTensorType running) {
  int64_t missing = running.getRank() - by.getRank();
  int64_t dim = -1;
  for (int64_t d = 0; d < by.getRank(); ++d) {
    if (by.getDimSize(d) == 1)
      continue;
    if (dim >= 0 || missing + d < 0)
      return std::nullopt;
    dim = missing + d;
  }
  return dim;
}

std::optional<AffineStep> weir::asAffineStep(WeirOpInterface op, Value running,
                                             const DerivableValues &derivable) {
  std::optional<AffineStep::Kind> kind = getKind(op.getOpRecord());
  if (!kind || op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      op->getResult(0).getType() != running.getType())
    return std::nullopt;
  bool isRight = op->getOperand(0) != running;
  if (isRight && !op->hasTrait<OpTrait::IsCommutative>())
    return std::nullopt;
  Value by = op->getOperand(isRight ? 0 : 1);
  if (op->getOperand(isRight ? 1 : 0) != running || !derivable.contains(by))
    return std::nullopt;
  std::optional<int64_t> dim =
      getOnlyDim(cast<RankedTensorType>(by.getType()),
                 cast<RankedTensorType>(running.getType()));
  if (!dim)
    return std::nullopt;
  return AffineStep{*kind, op, by, *dim};
}

WeirOpInterface weir::getOnlyReader(Value value, WeirOpInterface producer) {
  if (!value.hasOneUse())
    return {};
  auto reader = dyn_cast<WeirOpInterface>(*value.getUsers().begin());
  return reader && Annotation::of(reader).joins(Annotation::of(producer))
             ? reader
             : WeirOpInterface();
}
