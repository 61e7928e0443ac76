//===- Quantization.cpp - ONNX's quantisation ops ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// Shapes `value` so that it broadcasts to the dims of `x`. `value` is a scale
/// or zero point. It has one element for the whole of `x`, one for each entry
/// of `axis`, or one for each `block` entries of `axis`.
static Tensor spread(NodeBuilder &node, Tensor value, Tensor x, int64_t axis,
                     int64_t block) {
  if (!value || value.numElements() == 1)
    return value ? node.reshape(value, {}) : value;
  if (block > 0) {
    Ints split(value.shape()), wide(value.shape()), merged(value.shape());
    if (value.rank() != x.rank())
      node.fail("expects a scale of rank {}, found {}", x.rank(), value.rank());
    if (!node.isOk())
      return {};
    split.insert(split.begin() + axis + 1, 1);
    wide.insert(wide.begin() + axis + 1, block);
    merged[axis] *= block;
    Tensor repeated =
        node.reshape(node.expand(node.reshape(value, split), wide), merged);
    return node.slice(repeated, axis, 0, x.dim(axis));
  }
  Ints shape(x.rank(), 1);
  if (value.rank() != 1 || axis >= x.rank() || value.dim(0) != x.dim(axis))
    node.fail("expects one scale, or one for each of the {} entries of axis "
              "{}, found a tensor of shape {}",
              axis < x.rank() ? x.dim(axis) : 0, axis,
              shapeToString(value.shape()));
  else
    shape[axis] = value.dim(0);
  return node.reshape(value, shape);
}

/// The axis of scales, and the number of elements that share a scale.
static std::pair<int64_t, int64_t> readAxis(NodeBuilder &node, Tensor x) {
  int64_t axis = node.opset() >= 13 ? node.intAttr("axis", 1) : 0;
  int64_t block = node.opset() >= 21 ? node.intAttr("block_size", 0) : 0;
  // A single scale needs no axis, so the default axis may not exist.
  if (axis >= x.rank() || axis < -x.rank())
    return {0, block};
  return {node.axis(axis, x.rank()), block};
}

static Results importDequantize(NodeBuilder &node) {
  Tensor x = node.in(0), scale = node.in(1), zero = node.optional(2);
  auto [axis, block] = readAxis(node, x);
  mlir::Type type = scale.elementType();
  if (int64_t asked = node.opset() >= 23 ? node.intAttr("output_dtype", 0) : 0)
    type = node.elementType(asked);
  if (!node.isOk())
    return {Tensor()};
  // f16 and bf16 cannot represent all integers of 16 bits.
  mlir::Type wide = type.isF64() ? type : node.f32();
  Tensor value = node.cast(x, wide);
  if (zero)
    value = value - node.cast(spread(node, zero, x, axis, block), wide);
  scale = node.cast(spread(node, scale, x, axis, block), wide);
  return {node.cast(value * scale, type)};
}

/// Computes round(x / scale) + zero, clamped to the range of `type`.
static Tensor quantize(NodeBuilder &node, Tensor x, Tensor scale, Tensor zero,
                       mlir::Type type) {
  Tensor steps = node.make<RoundOp>({x / scale});
  if (zero)
    steps = steps + node.cast(zero, x.elementType());
  // The cast clamps.
  return node.cast(steps, type);
}

static Results importQuantize(NodeBuilder &node) {
  node.ignoreAttr("saturate");
  Tensor x = node.in(0), scale = node.in(1), zero = node.optional(2);
  auto [axis, block] = readAxis(node, x);
  mlir::Type type = zero ? zero.elementType() : node.elementType(/*uint8*/ 2);
  if (int64_t asked = node.opset() >= 21 ? node.intAttr("output_dtype", 0) : 0)
    type = zero ? type : node.elementType(asked);
  mlir::Type precision = scale.elementType();
  if (int64_t asked = node.opset() >= 23 ? node.intAttr("precision", 0) : 0)
    precision = node.elementType(asked);
  if (!node.isOk())
    return {Tensor()};
  x = node.cast(x, precision);
  scale = node.cast(scale, precision);
  return {quantize(node, x, spread(node, scale, x, axis, block),
                   spread(node, zero, x, axis, block), type)};
}

/// Chooses scale and zero point so that uint8 covers 0 and the range of the
/// input.
static Results importDynamicQuantize(NodeBuilder &node) {
  Tensor x = node.in(0);
  Tensor zero = node.scalar(0, x.elementType());
  Ints axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  Tensor most = node.make<MaxOp>(
      {node.reduce<ReduceMaxOp>(x, axes, /*keep=*/false), zero});
  Tensor least = node.make<MinOp>(
      {node.reduce<ReduceMinOp>(x, axes, /*keep=*/false), zero});
  Tensor scale = (most - least) / 255.0;
  mlir::Type type = node.elementType(/*uint8*/ 2);
  Tensor zeroPoint =
      node.cast(node.make<RoundOp>({(zero - least) / scale}), type);
  return {quantize(node, x, scale, zeroPoint, type), scale, zeroPoint};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Subtracts the zero point from `x`, and computes in `type`. A zero point for
/// each row of the left factor, or for each column of the right factor, is
/// broadcast along that row or column.
static Tensor centred(NodeBuilder &node, Tensor x, Tensor zero, bool isLeft,
                      mlir::Type type) {
  Tensor value = node.cast(x, type);
  if (!zero)
    return value;
  zero = node.cast(zero, type);
  if (zero.rank() == 1 && zero.numElements() != 1 && isLeft)
    zero = node.reshape(zero, {zero.dim(0), 1});
  else if (zero.numElements() == 1)
    zero = node.reshape(zero, {});
  return value - zero;
}

static Results importMatMulInteger(NodeBuilder &node) {
  mlir::Type type = node.i32();
  Tensor a = centred(node, node.in(0), node.optional(2), true, type);
  Tensor b = centred(node, node.in(1), node.optional(3), false, type);
  return {node.make<MatmulOp>({a, b})};
}

static Results importQLinearMatMul(NodeBuilder &node) {
  mlir::Type wide = node.getBuilder().getF64Type();
  auto scaleOf = [&](size_t i, bool isLeft) {
    Tensor scale = node.cast(node.in(i), wide);
    if (scale.numElements() == 1)
      return node.reshape(scale, {});
    return isLeft && scale.rank() == 1 ? node.reshape(scale, {scale.dim(0), 1})
                                       : scale;
  };
  Tensor a = centred(node, node.in(0), node.in(2), true, wide);
  Tensor b = centred(node, node.in(3), node.in(5), false, wide);
  Tensor product =
      node.make<MatmulOp>({a * scaleOf(1, true), b * scaleOf(4, false)});
  Tensor zero = node.in(7);
  return {quantize(node, product, scaleOf(6, true), zero, zero.elementType())};
}

/// A convolution of integers, after subtracting the zero points. It is computed
/// in f64, which represents all sums exactly.
static Tensor convolve(NodeBuilder &node, Tensor x, Tensor weight) {
  if (weight.rank() != x.rank() || x.rank() < 3)
    node.fail("expects images and weights of one rank from 3 on");
  if (!node.isOk())
    return {};
  Window window = readWindow(node, x, weight.shape().drop_front(2));
  padForInput(window, x);
  int64_t groups = node.intAttr("group", 1);
  return node.make<ConvOp>(
      {x, weight},
      {node.attr("strides", window.strides), node.attr("pads", window.pads),
       node.attr("dilations", window.dilations), node.attr("groups", groups)});
}

/// Shapes `value` so that it broadcasts to the weights. It has one element for
/// each output channel, or one for all.
static Tensor perFilter(NodeBuilder &node, Tensor value, int64_t rank) {
  if (value.numElements() == 1)
    return node.reshape(value, {});
  Ints shape(rank, 1);
  shape[0] = value.dim(0);
  return node.reshape(value, shape);
}

static Results importConvInteger(NodeBuilder &node) {
  mlir::Type wide = node.getBuilder().getF64Type();
  Tensor x = node.cast(node.in(0), wide), weight = node.cast(node.in(1), wide);
  if (node.has(2))
    x = x - node.reshape(node.cast(node.in(2), wide), {});
  if (node.has(3))
    weight =
        weight - perFilter(node, node.cast(node.in(3), wide), weight.rank());
  return {node.cast(convolve(node, x, weight), node.i32())};
}

static Results importQLinearConv(NodeBuilder &node) {
  mlir::Type wide = node.getBuilder().getF64Type();
  auto wideInput = [&](size_t i) { return node.cast(node.in(i), wide); };
  Tensor x = wideInput(0), weight = wideInput(3);
  Tensor xScale = node.reshape(wideInput(1), {});
  x = x - node.reshape(wideInput(2), {});
  weight = weight - perFilter(node, wideInput(5), weight.rank());
  Tensor sum = convolve(node, x, weight);
  if (node.has(8))
    sum = sum + node.alongChannels(wideInput(8), sum.rank());
  Tensor weightScale = wideInput(4);
  if (weightScale.numElements() != 1)
    weightScale = node.alongChannels(weightScale, sum.rank());
  else
    weightScale = node.reshape(weightScale, {});
  Tensor zero = node.in(7);
  return {quantize(node, sum * xScale * weightScale,
                   node.reshape(wideInput(6), {}), node.reshape(zero, {}),
                   zero.elementType())};
}

HandlerRows onnx::quantizationRows() {
  static const HandlerRow rows[] = {
      {"ConvInteger", 10, importConvInteger},
      {"DequantizeLinear", 10, importDequantize},
      {"DynamicQuantizeLinear", 11, importDynamicQuantize},
      {"MatMulInteger", 10, importMatMulInteger},
      {"QLinearConv", 10, importQLinearConv},
      {"QLinearMatMul", 10, importQLinearMatMul},
      {"QuantizeLinear", 10, importQuantize},
  };
  return rows;
}
