//===- Normalization.cpp - ONNX's normalisations -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Reshapes `x` to a matrix, and calls `compute` on it. A row of the matrix has
/// all elements of the dims from `axis` on.
template <typename Compute>
static Tensor onRows(NodeBuilder &node, Tensor x, int64_t axis,
                     Compute compute) {
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < x.rank(); ++i)
    (i < axis ? rows : columns) *= x.dim(i);
  return node.reshape(compute(node.reshape(x, {rows, columns}), 1), x.shape());
}

/// Applies `compute` to one axis since opset 13. Before, it is applied to the
/// attribute's axis and all axes behind it together.
template <typename Compute>
static Results alongAxis(NodeBuilder &node, Compute compute) {
  Tensor x = node.in(0);
  bool isOneAxis = node.opset() >= 13;
  int64_t axis = node.axis(node.intAttr("axis", isOneAxis ? -1 : 1), x.rank());
  if (!node.isOk())
    return {Tensor()};
  if (isOneAxis || axis == x.rank() - 1)
    return {compute(x, axis)};
  return {onRows(node, x, axis, compute)};
}

template <typename OpTy> static Results importSoftmax(NodeBuilder &node) {
  return alongAxis(node, [&](Tensor x, int64_t axis) {
    return node.make<OpTy>({x}, {node.attr("axis", axis)});
  });
}

/// Hardmax: 1 at the first largest element, and 0 elsewhere.
static Results importHardmax(NodeBuilder &node) {
  return alongAxis(node, [&](Tensor x, int64_t axis) {
    Tensor largest = node.make<ArgMaxOp>(
        {x}, {node.attr("axis", axis), node.attr("keepdims", false)});
    Tensor hits = node.make<OneHotOp>(
        {largest}, {node.attr("axis", axis), node.attr("depth", x.dim(axis))});
    return node.cast(hits, x.elementType());
  });
}

//===----------------------------------------------------------------------===//
// Statistics of the input
//===----------------------------------------------------------------------===//

/// The mean and the variance over some axes.
struct Moments {
  Tensor mean, variance;
};
static Moments makeMoments(NodeBuilder &node, Tensor x,
                           llvm::ArrayRef<int64_t> axes) {
  Tensor mean = node.reduce<ReduceMeanOp>(x, axes);
  Tensor centred = x - mean;
  return {mean, node.reduce<ReduceMeanOp>(centred * centred, axes)};
}

static Ints seq(int64_t first, int64_t last) {
  Ints numbers;
  for (int64_t i = first; i < last; ++i)
    numbers.push_back(i);
  return numbers;
}

static Results importLayerNorm(NodeBuilder &node) {
  node.ignoreAttr("stash_type");
  Tensor x = node.in(0), scale = node.in(1), bias = node.optional(2);
  int64_t axis = node.axis(node.intAttr("axis", -1), x.rank());
  double epsilon = node.floatAttr("epsilon", 1e-5);
  if (!node.isOk())
    return {Tensor()};
  llvm::ArrayRef<int64_t> normalShape = x.shape().drop_front(axis);
  llvm::SmallVector<Tensor> operands = {x, node.expand(scale, normalShape)};
  if (bias)
    operands.push_back(node.expand(bias, normalShape));
  Results results = {node.make<LayerNormOp>(
      operands, {node.attr("axis", axis), node.attr("epsilon", epsilon)})};
  if (!node.wants(1) && !node.wants(2))
    return results;
  Moments moments =
      makeMoments(node, node.cast(x, node.f32()), seq(axis, x.rank()));
  results.push_back(moments.mean);
  results.push_back(node.make<RsqrtOp>({moments.variance + epsilon}));
  return results;
}

/// RMSNormalization: divides by the root of the mean square. This is computed
/// in f32 or wider. The result has the type of the scale.
static Results importRmsNorm(NodeBuilder &node) {
  node.ignoreAttr("stash_type");
  Tensor x = node.in(0), scale = node.in(1);
  int64_t axis = node.axis(node.intAttr("axis", -1), x.rank());
  double epsilon = node.floatAttr("epsilon", 1e-5);
  if (!node.isOk())
    return {Tensor()};
  mlir::Type type = x.elementType();
  Tensor wide = type.isF64() ? x : node.cast(x, node.f32());
  Tensor mean = node.reduce<ReduceMeanOp>(wide * wide, seq(axis, x.rank()));
  Tensor normal = node.cast(wide * node.make<RsqrtOp>({mean + epsilon}), type);
  return {node.cast(normal, scale.elementType()) * scale};
}

static Results importInstanceNorm(NodeBuilder &node) {
  Tensor x = node.in(0), scale = node.in(1), bias = node.in(2);
  return {node.make<GroupNormOp>(
      {x, scale, bias},
      {node.attr("groups", x.dim(1)),
       node.attr("epsilon", node.floatAttr("epsilon", 1e-5))})};
}

/// GroupNormalization: before opset 21, scale and bias have one element for
/// each group. Since then, they have one for each channel.
static Results importGroupNorm(NodeBuilder &node) {
  node.ignoreAttr("stash_type");
  Tensor x = node.in(0), scale = node.in(1), bias = node.in(2);
  int64_t groups = node.intAttr("num_groups", 0), channels = x.dim(1);
  if (groups < 1 || channels % groups != 0)
    node.fail("{} channels cannot be divided into {} groups", channels, groups);
  if (!node.isOk())
    return {Tensor()};
  auto perChannel = [&](Tensor value) {
    if (node.opset() >= 21 || groups == channels)
      return value;
    Tensor column = node.reshape(value, {groups, 1});
    return node.reshape(node.expand(column, {groups, channels / groups}),
                        {channels});
  };
  return {node.make<GroupNormOp>(
      {x, perChannel(scale), perChannel(bias)},
      {node.attr("groups", groups),
       node.attr("epsilon", node.floatAttr("epsilon", 1e-5))})};
}

static Results importMeanVarianceNorm(NodeBuilder &node) {
  Tensor given = node.in(0), x = node.widened(given);
  Ints axes = node.hasAttr("axes") ? node.intsAttr("axes") : Ints{0, 2, 3};
  axes = node.axes(axes, x.rank());
  Moments moments = makeMoments(node, x, axes);
  Tensor deviation = node.normRoot(moments.variance);
  Tensor y = (x - moments.mean) / (deviation + 1e-9);
  return {node.cast(y, given.elementType())};
}

/// Imports LpNormalization. A vector of zeros does not change.
static Results importLpNorm(NodeBuilder &node) {
  Tensor given = node.in(0), x = node.widened(given);
  Ints axes = {node.axis(node.intAttr("axis", -1), x.rank())};
  int64_t p = node.intAttr("p", 2);
  if (p != 1 && p != 2)
    node.fail("attribute 'p' is {}, expected 1 or 2", p);
  Tensor norm = p == 1 ? node.reduce<ReduceSumOp>(node.make<AbsOp>({x}), axes)
                       : node.normRoot(node.reduce<ReduceSumOp>(x * x, axes));
  Tensor isZero =
      node.make<EqualOp>({norm, node.scalar(0, norm.elementType())});
  norm = node.make<WhereOp>({isZero, node.scalar(1, norm.elementType()), norm});
  return {node.cast(x / norm, given.elementType())};
}

//===----------------------------------------------------------------------===//
// Given statistics
//===----------------------------------------------------------------------===//

/// Batch normalisation by the statistics of the batch, which also update the
/// running statistics.
static Results importTrainingBatchNorm(NodeBuilder &node, double epsilon) {
  Tensor x = node.in(0);
  double momentum = node.floatAttr("momentum", 0.9);
  llvm::SmallVector<Tensor> made = node.makeMany<BatchNormTrainingOp>(
      {x, node.in(1), node.in(2)}, {node.attr("epsilon", epsilon)});
  // With this order of operations, one kernel after the norm can compute the
  // average.
  auto average = [&](Tensor running, Tensor current) {
    Tensor step = node.cast(current, running.elementType()) - running;
    return running + step * (1 - momentum);
  };
  return {made[0], average(node.in(3), made[1]), average(node.in(4), made[2]),
          made[1], made[2]};
}

static Results importBatchNorm(NodeBuilder &node) {
  Tensor x = node.in(0);
  double epsilon = node.floatAttr("epsilon", 1e-5);
  if (node.opset() < 9 && node.intAttr("spatial", 1) != 1)
    node.failWith(unimplemented("attribute 'spatial' is 0, which is not "
                                "supported; expected 1"));
  if (x.rank() < 2)
    node.fail("expects batch and channels, found rank {}", x.rank());
  if (!node.isOk())
    return {Tensor()};
  bool isTraining =
      node.opset() < 7
          ? node.intAttr("is_test", 0) == 0
          : node.opset() >= 14 && node.intAttr("training_mode", 0) != 0;
  if (isTraining)
    return importTrainingBatchNorm(node, epsilon);
  node.ignoreAttr("momentum");
  llvm::SmallVector<Tensor> operands = {x};
  // A variance may exceed the range of f16.
  const mlir::Type type = node.wideType(x);
  for (size_t i = 1; i < 5; ++i)
    operands.push_back(node.cast(node.in(i), type));
  return {node.make<BatchNormOp>(operands, {node.attr("epsilon", epsilon)})};
}

static Results importLrn(NodeBuilder &node) {
  if (!node.hasAttr("size"))
    node.fail("it lacks attribute 'size', the number of channels in a sum");
  int64_t size = node.intAttr("size", 1);
  return {node.make<LrnOp>({node.in(0)},
                           {node.attr("size", size),
                            node.attr("alpha", node.floatAttr("alpha", 1e-4)),
                            node.attr("beta", node.floatAttr("beta", 0.75)),
                            node.attr("bias", node.floatAttr("bias", 1.0))})};
}

HandlerRows onnx::normalizationRows() {
  static const HandlerRow rows[] = {
      {"BatchNormalization", 1, importBatchNorm},
      {"GroupNormalization", 18, importGroupNorm},
      {"Hardmax", 1, importHardmax},
      {"InstanceNormalization", 1, importInstanceNorm},
      {"LRN", 1, importLrn},
      {"LayerNormalization", 17, importLayerNorm},
      {"LogSoftmax", 1, importSoftmax<LogSoftmaxOp>},
      {"LpNormalization", 1, importLpNorm},
      {"MeanVarianceNormalization", 9, importMeanVarianceNorm},
      {"RMSNormalization", 23, importRmsNorm},
      {"Softmax", 1, importSoftmax<SoftmaxOp>},
  };
  return rows;
}
