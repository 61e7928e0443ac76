//===- Reduction.cpp - ONNX's reductions ------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// The axes to reduce; nothing if the node says that none are reduced. They are
/// an attribute before opset `inputSince`, and an input since then.
static std::optional<Ints> readAxes(NodeBuilder &node, Tensor x,
                                    int64_t inputSince) {
  Ints axes;
  if (node.opset() < inputSince)
    axes = node.intsAttr("axes");
  else if (node.has(1))
    axes = node.knownInts(1);
  bool keepsAll = node.opset() >= inputSince &&
                  node.intAttr("noop_with_empty_axes", 0) != 0;
  if (axes.empty() && keepsAll)
    return std::nullopt;
  if (axes.empty())
    for (int64_t i = 0; i < x.rank(); ++i)
      axes.push_back(i);
  return node.axes(axes, x.rank());
}

/// An operation before the reduction, after it, or in its place if there are no
/// axes to reduce.
using Step = Tensor (*)(NodeBuilder &node, Tensor x);

static Tensor same(NodeBuilder &, Tensor x) { return x; }
static Tensor square(NodeBuilder &, Tensor x) { return x * x; }
static Tensor magnitude(NodeBuilder &node, Tensor x) {
  return node.make<AbsOp>({x});
}
static Tensor root(NodeBuilder &node, Tensor x) { return node.normRoot(x); }
static Tensor logarithm(NodeBuilder &node, Tensor x) {
  return node.make<LogOp>({x});
}

template <typename OpTy, Step before = same, Step after = same,
          Step alone = same, int64_t inputSince = 18>
static Results importReduction(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool keepDims = node.intAttr("keepdims", 1) != 0;
  std::optional<Ints> axes = readAxes(node, x, inputSince);
  if (!axes)
    return {alone(node, x)};
  Tensor inner = before == same && after == same ? x : node.widened(x);
  Tensor result = node.reduce<OpTy>(before(node, inner), *axes, keepDims);
  return {node.cast(after(node, result), x.elementType())};
}

/// Imports ReduceMean. The mean of integers is rounded towards zero.
static Results importReduceMean(NodeBuilder &node) {
  Tensor x = node.in(0);
  if (x.isFloat())
    return importReduction<ReduceMeanOp>(node);
  bool keepDims = node.intAttr("keepdims", 1) != 0;
  std::optional<Ints> axes = readAxes(node, x, 18);
  if (!axes)
    return {x};
  int64_t count = 1;
  for (int64_t axis : *axes)
    count *= x.dim(axis);
  return {node.reduce<ReduceSumOp>(x, *axes, keepDims) /
          static_cast<double>(std::max<int64_t>(count, 1))};
}

HandlerRows onnx::reductionRows() {
  static const HandlerRow rows[] = {
      {"ReduceL1", 1, importReduction<ReduceSumOp, magnitude, same, magnitude>},
      {"ReduceL2", 1, importReduction<ReduceSumOp, square, root, magnitude>},
      {"ReduceLogSum", 1,
       importReduction<ReduceSumOp, same, logarithm, logarithm>},
      {"ReduceLogSumExp", 1, importReduction<ReduceLogSumExpOp>},
      {"ReduceMax", 1, importReduction<ReduceMaxOp>},
      {"ReduceMean", 1, importReduceMean},
      {"ReduceMin", 1, importReduction<ReduceMinOp>},
      {"ReduceProd", 1, importReduction<ReduceProdOp>},
      {"ReduceSum", 1, importReduction<ReduceSumOp, same, same, same, 13>},
      {"ReduceSumSquare", 1,
       importReduction<ReduceSumOp, square, same, square>},
  };
  return rows;
}
