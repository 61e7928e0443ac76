//===- Generators.cpp - ONNX ops that generate tensors ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>

using namespace weir;
using namespace weir::onnx;

/// The most elements of a tensor that is generated at compile time.
static constexpr int64_t maxMadeElements = 1 << 20;
/// The longest range that is generated at compile time. Longer ones are
/// computed in the run.
static constexpr int64_t maxMadeRange = 1 << 14;

/// A constant whose element `i` is `element(i)`.
template <typename Element>
static Tensor generate(NodeBuilder &node, llvm::ArrayRef<int64_t> dims,
                       DType type, Element element) {
  auto bytes = rowMajorBytes(type, {dims.data(), dims.size()});
  if (bytes.isOk() && *bytes / byteSize(type) <= maxMadeElements) {
    auto tensor = HostTensor::zeros(type, {dims.begin(), dims.end()});
    if (tensor.isOk()) {
      for (int64_t i = 0; i < tensor->desc().numElements(); ++i)
        if (isFloat(type))
          storeFloat(type, tensor->data(), i, static_cast<double>(element(i)));
        else
          storeInt(type, tensor->data(), i, static_cast<int64_t>(element(i)));
      return node.constant(*tensor);
    }
  }
  node.fail("its result has more than {} elements, which is not supported",
            maxMadeElements);
  return {};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T>
static Tensor vectorOf(NodeBuilder &node, DType type,
                       llvm::ArrayRef<T> values) {
  return generate(node, {static_cast<int64_t>(values.size())}, type,
                  [&](int64_t i) { return values[i]; });
}

static Results importConstant(NodeBuilder &node) {
  if (node.hasAttr("value"))
    return {node.weightAttr("value")};
  if (node.hasAttr("value_float")) {
    double value = node.floatAttr("value_float", 0);
    return {node.scalar(value, node.f32())};
  }
  if (node.hasAttr("value_int")) {
    int64_t value = node.intAttr("value_int", 0);
    return {node.reshape(node.ints({value}), {})};
  }
  if (node.hasAttr("value_floats")) {
    std::vector<float> values = node.floatsAttr("value_floats");
    return {vectorOf<float>(node, DType::F32, values)};
  }
  if (node.hasAttr("value_ints"))
    return {node.ints(node.intsAttr("value_ints"))};
  node.failWith(unimplemented("its value is a text or sparse tensor, or "
                              "missing; expected numbers"));
  return {Tensor()};
}

static Results importConstantOfShape(NodeBuilder &node) {
  Ints shape = node.knownInts(0);
  Tensor value = node.hasAttr("value") ? node.tensorAttr("value")
                                       : node.scalar(0, node.f32());
  if (value.numElements() != 1)
    node.fail("attribute 'value' has {} elements, expected 1",
              value.numElements());
  return {node.expand(node.reshape(value, {}), shape)};
}

static Results importShape(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t rank = x.rank();
  auto clamp = [&](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + rank : place, 0, rank);
  };
  int64_t start = clamp(node.intAttr("start", 0));
  int64_t end = clamp(node.intAttr("end", rank));
  return {node.ints(x.shape().slice(start, std::max<int64_t>(end - start, 0)))};
}

static Results importSize(NodeBuilder &node) {
  Tensor x = node.in(0);
  return {node.reshape(node.ints({x.numElements()}), {})};
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// The number of elements of `first`, `first` + `step`, ... that are before
/// `limit`.
static int64_t countSteps(double first, double limit, double step) {
  double count = std::ceil((limit - first) / step);
  return std::isnan(count)
             ? 0
             : static_cast<int64_t>(std::clamp(count, 0.0, 0x1p62));
}
static int64_t countSteps(int64_t first, int64_t limit, int64_t step) {
  using Wide = __int128;
  Wide distance = Wide{limit} - first, stride = step;
  if (stride < 0) {
    distance = -distance;
    stride = -stride;
  }
  Wide count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return static_cast<int64_t>(std::min(count, Wide{1} << 62));
}

/// A range from `numbers`: its first number, its limit and its step. `type` is
/// the element type of the result. If ops compute the range, they use the type
/// `wide`.
template <typename Number>
static Tensor makeRange(NodeBuilder &node, llvm::ArrayRef<Number> numbers,
                        mlir::Type type, mlir::Type wide) {
  const Number first = numbers[0], step = numbers[2];
  const int64_t count = countSteps(first, numbers[1], step);
  if (count <= maxMadeRange)
    return generate(node, {count}, *toDType(type), [&](int64_t i) {
      return first + static_cast<Number>(i) * step;
    });
  auto bytes = rowMajorBytes(*toDType(type), std::array{count});
  if (!bytes.isOk()) {
    node.fail("its result would have {} elements, which is too large for any "
              "machine",
              count);
    return {};
  }
  Tensor places = node.cast(node.iota(count, 0, 1), wide);
  auto scalar = [&](Number value) {
    auto tensor = HostTensor::zeros(*toDType(wide), {});
    if constexpr (std::is_same_v<Number, double>)
      storeFloat(DType::F64, tensor->data(), 0, value);
    else
      storeInt(DType::I64, tensor->data(), 0, value);
    return node.constant(*tensor);
  };
  return node.cast(places * scalar(step) + scalar(first), type);
}

/// Range: floats are always computed in f64, so `stash_type` has no effect.
static Results importRange(NodeBuilder &node) {
  node.ignoreAttr("stash_type");
  Tensor first = node.in(0);
  std::vector<double> floats;
  Ints ints;
  for (size_t i = 0; i < 3; ++i)
    if (first.isFloat())
      llvm::append_range(floats, node.knownFloats(i));
    else
      llvm::append_range(ints, node.knownInts(i));
  const bool isWhole = floats.size() + ints.size() == 3;
  if (!isWhole || (first.isFloat() ? floats[2] == 0 : ints[2] == 0))
    node.fail("expects three numbers, of which the step is not 0");
  if (!node.isOk())
    return {Tensor()};
  mlir::Type type = first.elementType();
  if (first.isFloat())
    return {
        makeRange<double>(node, floats, type, node.getBuilder().getF64Type())};
  return {makeRange<int64_t>(node, ints, type, node.i64())};
}

/// A window function: a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n). Each
/// coefficient is its template argument divided by `over`. If the window is
/// periodic, n is its size, and otherwise its size minus one.
template <int a0, int a1, int a2, int over>
static Results importWindow(NodeBuilder &node) {
  Ints size = node.knownInts(0);
  bool isPeriodic = node.intAttr("periodic", 1) != 0;
  mlir::Type type = node.elementType(node.intAttr("output_datatype", 1));
  if (size.size() != 1 || size[0] < 0)
    node.fail("expects one size");
  if (!node.isOk())
    return {Tensor()};
  constexpr double tau = 6.283185307179586477;
  double step =
      tau / static_cast<double>(std::max<int64_t>(size[0] - !isPeriodic, 1));
  return {generate(node, size, *toDType(type), [&](int64_t i) {
    double angle = step * static_cast<double>(i);
    return (a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle)) / over;
  })};
}

static Results importEyeLike(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t k = node.intAttr("k", 0);
  mlir::Type type = node.hasAttr("dtype")
                        ? node.elementType(node.intAttr("dtype", 0))
                        : x.elementType();
  if (x.rank() != 2)
    node.fail("expects a matrix, found rank {}", x.rank());
  if (!node.isOk())
    return {Tensor()};
  int64_t columns = std::max<int64_t>(x.dim(1), 1);
  return {generate(node, x.shape(), *toDType(type), [&](int64_t i) {
    return i % columns - i / columns == k ? 1 : 0;
  })};
}

/// Keeps the elements above or below a diagonal.
static Results importTrilu(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool isUpper = node.intAttr("upper", 1) != 0;
  int64_t k = 0;
  if (node.has(1))
    for (int64_t given : node.knownInts(1))
      k = given;
  // All diagonals above the matrix have the same effect, and so have all
  // diagonals below it. So limiting `k` changes no result, and avoids overflow.
  k = std::clamp<int64_t>(k, -x.dim(x.rank() - 2) - 1, x.dim(x.rank() - 1) + 1);
  if (isUpper)
    return {node.make<TriuOp>({x}, {node.attr("k", k)})};
  return {node.make<TrilOp>({x}, {node.attr("k", k)})};
}

HandlerRows onnx::generatorRows() {
  static const HandlerRow rows[] = {
      {"BlackmanWindow", 17, importWindow<42, 50, 8, 100>},
      {"Constant", 1, importConstant},
      {"ConstantOfShape", 9, importConstantOfShape},
      {"EyeLike", 9, importEyeLike},
      {"HammingWindow", 17, importWindow<25, 21, 0, 46>},
      {"HannWindow", 17, importWindow<1, 1, 0, 2>},
      {"Range", 11, importRange},
      {"Shape", 1, importShape},
      {"Size", 1, importSize},
      {"Trilu", 14, importTrilu},
  };
  return rows;
}
