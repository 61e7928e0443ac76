//===- Fourier.cpp - ONNX's discrete Fourier transform ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A transform is a product with matrices of cosines and sines.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <cmath>

using namespace weir;
using namespace weir::onnx;

/// The longest transform. Longer ones would need matrices that are too large.
static constexpr int64_t maxLength = 1 << 12;

namespace {
/// The parameters of a discrete Fourier transform.
struct Transform {
  /// The number of the axis. The dim of real and imaginary parts is not
  /// counted.
  int64_t axis, length, numResults;
  bool isInverse;
};
} // namespace

/// A matrix [length, results] of the cosines or sines of 2 pi k n / length,
/// divided by `over`. Row n is for element n, and column k for result k.
static Tensor makeWaves(NodeBuilder &node, const Transform &transform,
                        double (*wave)(double), double over, mlir::Type type) {
  constexpr double tau = 6.283185307179586477;
  auto tensor = HostTensor::zeros(*toDType(type),
                                  {transform.length, transform.numResults});
  if (!tensor.isOk()) {
    node.failWith(tensor.status());
    return {};
  }
  for (int64_t n = 0; n < transform.length; ++n)
    for (int64_t k = 0; k < transform.numResults; ++k) {
      const auto turns = static_cast<double>(n * k % transform.length) /
                         static_cast<double>(transform.length);
      storeFloat(*toDType(type), tensor->data(), n * transform.numResults + k,
                 wave(tau * turns) / over);
    }
  return node.constant(*tensor);
}

/// Reads the axis, which is an attribute before opset 20 and an input since.
static int64_t readTransformAxis(NodeBuilder &node, int64_t rank) {
  if (node.opset() < 20)
    return node.axis(node.intAttr("axis", 1), rank);
  Ints given = node.has(2) ? node.knownInts(2) : Ints{-2};
  if (given.size() != 1)
    node.fail("expects one axis, found {}", given.size());
  return given.empty() ? 0 : node.axis(given.front(), rank);
}

static Transform readTransform(NodeBuilder &node, Tensor x) {
  Transform transform{readTransformAxis(node, x.rank()), 0, 0,
                      node.intAttr("inverse", 0) != 0};
  const bool isOneSided = node.intAttr("onesided", 0) != 0;
  Ints length = node.has(1) ? node.knownInts(1) : Ints{x.dim(transform.axis)};
  if (x.rank() < 2 || x.dim(x.rank() - 1) > 2 || x.dim(x.rank() - 1) < 1 ||
      !x.isFloat() || transform.axis >= x.rank() - 1)
    node.fail("expects floats with a last dim of 1 (real) or 2 (complex) and "
              "another axis, found {} with axis {}",
              node.describeInput(0), transform.axis);
  if (length.size() != 1 || length[0] < 1 || length[0] > maxLength)
    node.fail("expects one length from 1 to {}, found {}", maxLength,
              length.empty() ? 0 : length[0]);
  if (transform.isInverse && isOneSided)
    node.failWith(unimplemented("'inverse' together with 'onesided' is not "
                                "supported; expected one of them"));
  if (node.isOk()) {
    transform.length = length[0];
    transform.numResults = isOneSided ? length[0] / 2 + 1 : length[0];
  }
  return transform;
}

/// Cuts `x` to `size` elements along `axis`, or appends zeros.
static Tensor fitLength(NodeBuilder &node, Tensor x, int64_t axis,
                        int64_t size) {
  if (x.dim(axis) >= size)
    return node.slice(x, axis, 0, size);
  Ints pads(2 * x.rank(), 0);
  pads[axis + x.rank()] = size - x.dim(axis);
  return node.make<PadOp>({x}, {node.attr("pads", pads)});
}

static Results importDft(NodeBuilder &node) {
  Tensor x = node.in(0);
  const Transform transform = readTransform(node, x);
  if (!node.isOk())
    return {Tensor()};
  x = fitLength(node, x, transform.axis, transform.length);
  const int64_t last = x.rank() - 1;
  auto partOf = [&](int64_t i) {
    Ints perm;
    Tensor part = node.slice(x, last, i, 1);
    part = node.reshape(part, Ints(part.shape().drop_back()));
    for (int64_t d = 0; d < last; ++d)
      if (d != transform.axis)
        perm.push_back(d);
    perm.push_back(transform.axis);
    return node.transpose(part, perm);
  };
  mlir::Type type = x.elementType();
  const double over =
      transform.isInverse ? static_cast<double>(transform.length) : 1;
  Tensor cosine = makeWaves(node, transform, std::cos, over, type);
  // e^-ix, or e^ix in an inverse transform.
  Tensor sine = makeWaves(node, transform, std::sin,
                          transform.isInverse ? over : -over, type);
  auto times = [&](Tensor a, Tensor b) { return node.make<MatmulOp>({a, b}); };
  Tensor real = partOf(0);
  Tensor realSum = times(real, cosine), imaginarySum = times(real, sine);
  if (x.dim(last) == 2) {
    Tensor imaginary = partOf(1);
    realSum = realSum - times(imaginary, sine);
    imaginarySum = imaginarySum + times(imaginary, cosine);
  }
  Ints back(last), column(realSum.shape());
  for (int64_t d = 0, next = 0; d < last; ++d)
    back[d] = d == transform.axis ? last - 1 : next++;
  back.push_back(last);
  column.push_back(1);
  Tensor both = node.concat(
      {node.reshape(realSum, column), node.reshape(imaginarySum, column)},
      last);
  return {node.transpose(both, back)};
}

HandlerRows onnx::fourierRows() {
  static const HandlerRow rows[] = {{"DFT", 17, importDft}};
  return rows;
}
