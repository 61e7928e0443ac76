//===- MovesToTensor.cpp - Lowers ops that only move elements ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Some ops that move elements list their copies: which part of an operand goes
// to which place (concat, split). All others keep all bytes in order (reshape).
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "ScalarEmitter.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace weir;

/// Combines all dims of a tensor of `rank`; empty for rank 0.
static SmallVector<ReassociationIndices> allAsOne(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

/// `value` as `type`, through a tensor of rank 1.
static Value reshape(OpBuilder &builder, Location location, Value value,
                     RankedTensorType type) {
  RankedTensorType from = getTensorType(value);
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  if (from.getRank() == 0)
    value = tensor::ExpandShapeOp::create(builder, location, flat, value,
                                          allAsOne(0));
  else if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(builder, location, flat, value,
                                            allAsOne(from.getRank()));
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, location, type, value,
                                           allAsOne(0));
  if (type.getRank() > 1)
    return tensor::ExpandShapeOp::create(builder, location, type, value,
                                         allAsOne(type.getRank()));
  return value;
}

/// The offset in each dim of a box that begins at element `offset` of a
/// row-major tensor.
static SmallVector<OpFoldResult> toOffsets(OpBuilder &builder, int64_t offset,
                                           ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> offsets(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(shape[d], 1);
    offsets[d] = builder.getIndexAttr(offset % size);
    offset /= size;
  }
  return offsets;
}

/// Copies the box that `copy` reads to the box that `copy` writes.
static Value moveBox(OpBuilder &builder, Location location,
                     const ElementCopy &copy, Value source, Value target) {
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), copy.dims);
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  Value box = tensor::ExtractSliceOp::create(
      builder, location, source,
      toOffsets(builder, copy.fromOffset, getTensorType(source).getShape()),
      sizes, strides);
  return tensor::InsertSliceOp::create(
      builder, location, box, target,
      toOffsets(builder, copy.toOffset, getTensorType(target).getShape()),
      sizes, strides);
}

LogicalResult
MovesToTensor::matchAndRewrite(WeirOpInterface op, ArrayRef<Value> operands,
                               ConversionPatternRewriter &rewriter) const {
  if (op.getOpRecord().isLeaf())
    return rewriter.notifyMatchFailure(op, "computes");
  SmallVector<Type> types;
  if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
    return failure();
  if (op.isReinterpretation()) {
    rewriter.replaceOp(op, reshape(rewriter, op.getLoc(), operands[0],
                                   cast<RankedTensorType>(types[0])));
    return success();
  }
  SmallVector<Value> results;
  for (Type type : types)
    results.push_back(
        tensor::EmptyOp::create(rewriter, op.getLoc(), type, ValueRange()));
  for (const ElementCopy &copy : op.getCopies())
    if (!llvm::is_contained(copy.dims, 0))
      results[copy.result] =
          moveBox(rewriter, op.getLoc(), copy, operands[copy.operand],
                  results[copy.result]);
  rewriter.replaceOp(op, results);
  return success();
}
