//===- Random.cpp - The Random family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A draw is computed with integers, because no float holds seeds and steps of
// 64 bits. The 24 bits that are drawn are exact in a float.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace weir;

/// The number of bits of a drawn number: the precision of an f32.
static constexpr int numBits = 24;

/// Two texts. The first one is the index spec of a tensor of `shape` that is
/// computed from three scalars. This spec has a loop for each dim. The second
/// text is the expression of the row-major index of a point.
static std::pair<std::string, std::string>
countElements(ArrayRef<int64_t> shape) {
  std::string loops, result, index;
  for (auto [number, size] : llvm::enumerate(shape)) {
    const char *comma = number == 0 ? "" : ", ";
    loops += fmt::format("{}x{}={}", comma, number, size);
    // Every size is written, because a dim of size 0 has no index from which
    // its size would follow.
    result += fmt::format("{}x{}:{}", comma, number, size);
    index = number == 0
                ? fmt::format("index(x{})", number)
                : fmt::format("({}) * {} + index(x{})", index, size, number);
  }
  return {fmt::format("{}: [], [], [] -> [{}]", loops, result),
          index.empty() ? "0" : index};
}

/// An integer of `numBits` bits for each element of a tensor of `shape`. If
/// `op` draws `count` integers for each element, this one has the number
/// `which`.
template <typename Op>
static BodyValue draw(BodyBuilder &b, Op op, Value step,
                      ArrayRef<int64_t> shape, int which = 0, int count = 1) {
  auto [spec, index] = countElements(shape);
  if (count != 1)
    index = fmt::format("({}) * {} + {}", index, count, which);
  // The seed and the stream are operands, because numbers in an expression are
  // doubles.
  BodyValue seed = b.integer(op.getSeed());
  BodyValue stream = b.integer(std::max<int64_t>(op.getStream(), 0));
  Type result = IntegerType::get(op.getContext(), 32);
  return b.leaf(
      spec,
      fmt::format("shift_right(random(a, b, c, {}), {})", index, 32 - numBits),
      Combiner::None, {seed, b.cast(step, b.indexType()), stream}, result);
}

/// The type in which numbers of `type` are computed.
static Type getWideType(Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? Float32Type::get(type.getContext())
                                           : type;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static BodyValue dropElements(BodyBuilder &b, DropoutOp op, Value input,
                              Value step) {
  const double ratio = op.getRatio().convertToDouble();
  const double scale = ratio < 1 ? 1 / (1 - ratio) : 0;
  BodyValue number = draw(b, op, step, getTensorType(input).getShape());
  return b.pointwise(fmt::format("select(b < {}, 0, a * {})",
                                 std::ceil(std::ldexp(ratio, numBits)), scale),
                     {input, number});
}

static BodyValue drawNormal(BodyBuilder &b, RandomNormalOp op, Value step) {
  auto type = getTensorType(op.getResult());
  auto number = [&](int which) {
    return b.cast(draw(b, op, step, type.getShape(), which, 2),
                  getWideType(type.getElementType()));
  };
  const double unit = std::ldexp(1.0, -numBits);
  // The argument of the logarithm is in (0, 1].
  return b.pointwise(
      fmt::format("sqrt(-2 * log((a + 1) * {})) * cos(b * {}) * {} + {}", unit,
                  2 * std::numbers::pi * unit, op.getScale().convertToDouble(),
                  op.getMean().convertToDouble()),
      {number(0), number(1)});
}

static BodyValue drawUniform(BodyBuilder &b, RandomUniformOp op, Value step) {
  auto type = getTensorType(op.getResult());
  const double low = op.getLow().convertToDouble();
  const double high = op.getHigh().convertToDouble();
  BodyValue number = b.cast(draw(b, op, step, type.getShape()),
                            getWideType(type.getElementType()));
  return b.pointwise(
      fmt::format("a * {} + {}", std::ldexp(high - low, -numBits), low),
      {number});
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Random.cpp.inc"

void WeirDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Random.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks that a stream is a number from 0 on, or -1 if there is none.
template <typename Op> static LogicalResult verifyStream(Op op) {
  const auto stream = static_cast<int64_t>(op.getStream());
  if (stream >= -1)
    return success();
  return op.emitOpError("attribute 'stream' expects a number from 0 on, found ")
         << stream
         << "; correct it, or leave it out to get one from the op's name";
}

template <typename Op> static LogicalResult verifyDraw(Op op) {
  Type type = getTensorType(op.getResult()).getElementType();
  if (isa<FloatType>(type))
    return verifyStream(op);
  return op.emitOpError("attribute 'type' expects a float element type, found ")
         << type << "; cast the result instead";
}

/// Whether `value` is finite as a number of `type`.
static bool isFiniteIn(Type type, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.isFinite();
}

LogicalResult DropoutOp::verify() {
  if (failed(verifyStream(*this)))
    return failure();
  const double ratio = getRatio().convertToDouble();
  if (!(ratio >= 0 && ratio <= 1))
    return emitOpError("attribute 'ratio' expects a probability, from 0 to 1, "
                       "found ")
           << ratio;
  return success();
}

LogicalResult RandomNormalOp::verify() {
  if (failed(verifyDraw(*this)))
    return failure();
  const double mean = getMean().convertToDouble();
  const double scale = getScale().convertToDouble();
  if (!std::isfinite(mean) || !(scale >= 0 && std::isfinite(scale)))
    return emitOpError("attributes 'mean' and 'scale' expect a number and a "
                       "number from 0 on, found ")
           << mean << " and " << scale;
  Type type = getTensorType(getResult()).getElementType();
  if (!isFiniteIn(type, mean) || !isFiniteIn(type, scale))
    return emitOpError("attributes 'mean' and 'scale' expect numbers that are "
                       "finite in ")
           << type << ", found " << mean << " and " << scale
           << "; draw numbers of a wider type";
  return success();
}

LogicalResult RandomUniformOp::verify() {
  if (failed(verifyDraw(*this)))
    return failure();
  const double low = getLow().convertToDouble();
  const double high = getHigh().convertToDouble();
  if (!std::isfinite(high - low) || !(low <= high))
    return emitOpError("attributes 'low' and 'high' expect numbers, the lower "
                       "one first, found ")
           << low << " and " << high;
  Type type = getTensorType(getResult()).getElementType();
  Type wide = getWideType(type);
  if (!isFiniteIn(type, low) || !isFiniteIn(type, high) ||
      !isFiniteIn(wide, high - low))
    return emitOpError("attributes 'low' and 'high' expect numbers that are "
                       "finite in ")
           << type << ", and whose difference is finite in " << wide
           << ", found " << low << " and " << high
           << "; draw numbers of a wider type";
  return success();
}
