//===- Padding.cpp - ONNX ops that pad and crop -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <algorithm>
#include <cmath>

using namespace weir;
using namespace weir::onnx;

/// Repeats `x` along dim `axis`, infinitely in both directions, and returns
/// `count` elements from position `start` on.
static Tensor sliceRepeated(NodeBuilder &node, Tensor x, int64_t axis,
                            int64_t start, int64_t count) {
  const int64_t size = x.dim(axis);
  start = (start % size + size) % size;
  const int64_t copies = (start + count - 1) / size + 1;
  if (copies > 1) {
    Ints split(x.shape()), wide(x.shape()), shape(x.shape());
    split.insert(split.begin() + axis, 1);
    wide.insert(wide.begin() + axis, copies);
    shape[axis] *= copies;
    x = node.reshape(node.expand(node.reshape(x, split), wide), shape);
  }
  return node.slice(x, axis, start, count);
}

/// The `count` elements that `mode` puts before or after dim `axis` of `x`. In
/// mode "constant", each of them is `value`.
static Tensor makeBorder(NodeBuilder &node, Tensor x, std::string_view mode,
                         Tensor value, int64_t axis, int64_t count,
                         bool isFront) {
  int64_t size = x.dim(axis);
  if (mode == "edge" || mode == "constant") {
    Ints shape(x.shape());
    shape[axis] = count;
    if (mode == "edge")
      value = node.slice(x, axis, isFront ? 0 : size - 1, 1);
    return node.expand(value, shape);
  }
  // If the border is longer than the dim, the reflection changes direction at
  // each end of the dim.
  if (mode == "reflect" && count < size)
    return node.slice(x, axis, isFront ? count : size - 2, count, -1);
  if (mode == "reflect" && size > 2)
    x = node.concat({x, node.slice(x, axis, size - 2, size - 2, -1)}, axis);
  return sliceRepeated(node, x, axis, isFront ? -count : size, count);
}

static Tensor padByCopies(NodeBuilder &node, Tensor x, std::string_view mode,
                          llvm::ArrayRef<int64_t> pads, Tensor value) {
  for (int64_t axis = 0; axis < x.rank() && node.isOk(); ++axis) {
    int64_t before = pads[axis], after = pads[axis + x.rank()];
    // Elements that are cut off do not appear in the border.
    int64_t cutFront = std::max<int64_t>(-before, 0);
    int64_t cutBack = std::max<int64_t>(-after, 0);
    int64_t rest = x.dim(axis) - cutFront - cutBack;
    bool isRead = mode != "constant" && (before > 0 || after > 0);
    if (rest < (isRead ? 1 : 0)) {
      node.fail("negative pads remove all elements of axis {}", axis);
      return {};
    }
    x = node.slice(x, axis, cutFront, rest);
    llvm::SmallVector<Tensor> parts = {x};
    if (before > 0)
      parts.insert(parts.begin(),
                   makeBorder(node, x, mode, value, axis, before, true));
    if (after > 0)
      parts.push_back(makeBorder(node, x, mode, value, axis, after, false));
    x = node.concat(parts, axis);
  }
  return x;
}

/// Pads with `value`, or with the element of `exact` if that tensor is given.
static Tensor padAs(NodeBuilder &node, Tensor x, std::string_view mode,
                    Ints pads, double value, Tensor exact = {}) {
  const bool isConstant = mode == "constant";
  if (!isConstant && mode != "reflect" && mode != "edge" && mode != "wrap")
    node.fail("attribute 'mode' is '{}', expected constant, reflect, edge or "
              "wrap",
              mode);
  if (static_cast<int64_t>(pads.size()) != 2 * x.rank())
    node.fail("expects {} pads, found {}", 2 * x.rank(), pads.size());
  for (int64_t pad : pads)
    if (pad < -(int64_t(1) << 40) || pad > int64_t(1) << 40)
      node.fail("a pad of {} is out of range", pad);
  if (!node.isOk())
    return {};
  if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
    return x;
  if (isConstant && !exact)
    return node.make<PadOp>(
        {x}, {node.attr("pads", pads), node.attr("value", value)});
  return padByCopies(node, x, mode, pads, exact);
}

static Results importPad2(NodeBuilder &node) {
  std::string_view mode = node.textAttr("mode", "constant");
  double value = node.floatAttr("value", 0);
  Ints pads = node.intsAttr(node.opset() < 2 ? "paddings" : "pads");
  return {padAs(node, node.in(0), mode, pads, value)};
}

static Results importPad11(NodeBuilder &node) {
  Tensor x = node.in(0);
  std::string_view mode = node.textAttr("mode", "constant");
  Ints given = node.knownInts(1);
  double value = 0;
  if (node.has(2))
    for (double one : node.knownFloats(2))
      value = one;
  // From 2^53 on, a double may differ from the integer that the model gives. A
  // u64 above the largest i64 appears as a negative number.
  Tensor exact;
  bool isHuge = value < 0 && x.elementType().isUnsignedInteger();
  if (!x.isFloat() && (isHuge || std::abs(value) >= std::ldexp(1.0, 53)))
    exact = node.in(2);
  if (!node.has(3))
    return {padAs(node, x, mode, given, value, exact)};
  Ints axes = node.axes(node.knownInts(3), x.rank());
  if (given.size() != 2 * axes.size())
    node.fail("expects {} pads, found {}", 2 * axes.size(), given.size());
  Ints pads(2 * x.rank(), 0);
  for (size_t i = 0; i < axes.size() && node.isOk(); ++i) {
    pads[axes[i]] = given[i];
    pads[axes[i] + x.rank()] = given[i + axes.size()];
  }
  return {padAs(node, x, mode, pads, value, exact)};
}

/// CenterCropPad: cuts or pads dims at both ends.
static Results importCenterCropPad(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints wanted = node.knownInts(1), axes = node.intsAttr("axes");
  if (axes.empty())
    for (int64_t i = 0; i < x.rank(); ++i)
      axes.push_back(i);
  axes = node.axes(axes, x.rank());
  if (axes.size() != wanted.size())
    node.fail("expects {} sizes, found {}", axes.size(), wanted.size());
  Ints pads(2 * x.rank(), 0);
  for (size_t i = 0; i < axes.size() && node.isOk(); ++i) {
    int64_t missing = wanted[i] - x.dim(axes[i]);
    // If an odd number of elements is cut or added, the larger part is at the
    // end.
    int64_t before = missing >= 0 ? missing / 2 : -(-missing / 2);
    pads[axes[i]] = before;
    pads[axes[i] + x.rank()] = missing - before;
  }
  return {padAs(node, x, "constant", pads, 0)};
}

HandlerRows onnx::paddingRows() {
  static const HandlerRow rows[] = {
      {"CenterCropPad", 18, importCenterCropPad},
      {"Pad", 1, importPad2, 10},
      {"Pad", 11, importPad11},
  };
  return rows;
}
