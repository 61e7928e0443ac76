//===- Contraction.cpp - ONNX's matrix products -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"
#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// numpy's matmul: a vector on the left counts as a row, and a vector on the
/// right as a column. The result lacks the dim that was added to a vector.
static Tensor multiply(NodeBuilder &node, Tensor left, Tensor right) {
  if (left.rank() == 0 || right.rank() == 0)
    node.fail("expects matrices or vectors, found a scalar");
  bool isRow = left.rank() == 1, isColumn = right.rank() == 1;
  if (isRow)
    left = node.reshape(left, {1, left.dim(0)});
  if (isColumn)
    right = node.reshape(right, {right.dim(0), 1});
  Tensor product = node.make<MatmulOp>({left, right});
  if (!product || (!isRow && !isColumn))
    return product;
  Ints shape(product.shape());
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return node.reshape(product, shape);
}

static Results importMatMul(NodeBuilder &node) {
  Tensor left = node.in(0), right = node.in(1);
  return {multiply(node, left, right)};
}

/// Gemm: alpha * a' b' + beta * c. It becomes a dense layer if possible.
static Results importGemm(NodeBuilder &node) {
  Tensor a = node.in(0), b = node.in(1), c = node.optional(2);
  double alpha = node.floatAttr("alpha", 1), beta = node.floatAttr("beta", 1);
  if (a.rank() != 2 || b.rank() != 2)
    node.fail("expects matrices, found ranks {} and {}", a.rank(), b.rank());
  if (!node.isOk())
    return {Tensor()};
  // In opsets 1 to 6, an attribute says whether the third input is broadcast.
  bool broadcasts = node.opset() >= 7 || node.intAttr("broadcast", 0) != 0;
  if (c && !broadcasts && c.rank() != 2)
    node.fail("{} has {} dims, expected a matrix, or attribute 'broadcast'",
              node.inputName(2), c.rank());
  const bool isLeftTransposed = node.intAttr("transA", 0) != 0;
  const bool isTransposed = node.intAttr("transB", 0) != 0;
  const int64_t columns = a.dim(isLeftTransposed ? 0 : 1);
  const int64_t rows = b.dim(isTransposed ? 1 : 0);
  if (columns != rows && columns != unknownDim && rows != unknownDim)
    node.fail("with transA={}, {} has {} columns, but with transB={}, {} has "
              "{} rows; expected equal numbers",
              int(isLeftTransposed), node.describeInput(0), columns,
              int(isTransposed), node.describeInput(1), rows);
  if (isLeftTransposed)
    a = node.transpose(a, {1, 0});
  bool isBias = c && c.rank() == 1 && c.dim(0) == b.dim(isTransposed ? 0 : 1);
  if (isTransposed && a.isFloat() && alpha == 1 && beta == 1 && (!c || isBias))
    return {c ? node.make<LinearOp>({a, b, c}) : node.make<LinearOp>({a, b})};
  if (isTransposed)
    b = node.transpose(b, {1, 0});
  Tensor result = node.make<MatmulOp>({a, b});
  if (alpha != 1)
    result = result * alpha;
  if (!c || beta == 0)
    return {result};
  return {result + (beta == 1 ? c : c * beta)};
}

HandlerRows onnx::contractionRows() {
  static const HandlerRow rows[] = {
      {"Einsum", 12, importEinsum},
      {"Gemm", 1, importGemm},
      {"MatMul", 1, importMatMul},
  };
  return rows;
}
