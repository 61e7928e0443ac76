//===- Pooling.cpp - ONNX's poolings -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/Sequence.h"

using namespace weir;
using namespace weir::onnx;

/// Refuses windows that reach beyond the padding where padding counts: some
/// runtimes, and the tests of ONNX, count what is beyond as well, others do
/// not.
static void checkReach(NodeBuilder &node, const Window &window, Tensor x) {
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t size = x.dim(static_cast<int64_t>(i) + 2) + window.pads[i] +
                   window.pads[i + window.rank()];
    if (size >= window.extent(i) &&
        (size - window.extent(i)) % window.strides[i] != 0)
      node.failWith(unimplemented(
          "with 'ceil_mode' and 'count_include_pad' a window reaches beyond "
          "the padding, where runtimes disagree on what counts; pad so that "
          "the windows fit"));
  }
}

using Attributes = llvm::SmallVector<mlir::NamedAttribute>;

/// The attributes of a pooling over `x`, whose pads become those of the window,
/// which is given back in `window`.
static Attributes readPool(NodeBuilder &node, Tensor x, Window &window,
                           bool countsPadding = false) {
  bool isCeiled = node.intAttr("ceil_mode", 0) != 0;
  window = readWindow(node, x);
  padForInput(window, x);
  if (countsPadding && isCeiled)
    checkReach(node, window, x);
  for (int64_t pad : window.pads)
    if (pad < 0)
      node.fail("attribute 'pads' has an entry of {}, expected 0 or more", pad);
  return {node.attr("kernel_shape", window.kernel),
          node.attr("strides", window.strides), node.attr("pads", window.pads),
          node.attr("dilations", window.dilations),
          node.attr("ceil_mode", isCeiled)};
}

static Results importMaxPool(NodeBuilder &node) {
  // The order of indices, which are no output here.
  node.ignoreAttr("storage_order");
  Tensor x = node.in(0);
  Window window;
  Attributes attrs = readPool(node, x, window);
  return {node.make<MaxPoolOp>({x}, attrs)};
}

/// Puts elements to where a MaxPool found them, zeros elsewhere. The indices
/// are those into the shape that the window gives; a larger one is padded.
static Results importMaxUnpool(NodeBuilder &node) {
  Tensor x = node.in(0), indices = node.in(1);
  Window window = readWindow(node, x);
  Ints shape(x.shape());
  for (size_t i = 0; i < window.rank() && node.isOk(); ++i) {
    int64_t &size = shape[i + 2];
    size = (size - 1) * window.strides[i] + window.kernel[i] - window.pads[i] -
           window.pads[i + window.rank()];
    if (size < 0)
      node.fail("attribute 'pads' leaves nothing of spatial dim {}", i);
  }
  if (x.shape() != indices.shape())
    node.fail("expects an index for each element, found {} and {}",
              node.describeInput(0), node.describeInput(1));
  if (!node.isOk())
    return {Tensor()};
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Tensor flat = node.full({count}, 0, x.elementType());
  flat = node.make<ScatterElementsOp>({flat,
                                       node.reshape(indices, {x.numElements()}),
                                       node.reshape(x, {x.numElements()})});
  Tensor y = node.reshape(flat, shape);
  if (!node.has(2))
    return {y};
  Ints wanted = node.knownInts(2), pads(2 * shape.size(), 0);
  if (wanted.size() != shape.size())
    node.fail("expects an output shape of {} dims, found {}", shape.size(),
              wanted.size());
  for (size_t i = 0; i < shape.size() && node.isOk(); ++i) {
    pads[i + shape.size()] = wanted[i] - shape[i];
    if (wanted[i] < shape[i] || (i < 2 && wanted[i] != shape[i]))
      node.fail("dim {} of the output shape is {}, expected {}{}", i, wanted[i],
                shape[i], i < 2 ? "" : " or more");
  }
  return {node.make<PadOp>({y}, {node.attr("pads", pads)})};
}

static Results importAveragePool(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool countsPadding = node.intAttr("count_include_pad", 0) != 0;
  Window window;
  Attributes attrs = readPool(node, x, window, countsPadding);
  attrs.push_back(node.attr("count_include_pad", countsPadding));
  return {node.make<AveragePoolOp>({x}, attrs)};
}

/// The p-norm from the sum that `sum` makes of the p-th powers.
template <typename Sum>
static Tensor makeNorm(NodeBuilder &node, Tensor x, Sum sum) {
  // A float in opset 1.
  double p = node.opset() < 2 ? node.floatAttr("p", 2)
                              : static_cast<double>(node.intAttr("p", 2));
  if (!(p >= 1))
    node.fail("attribute 'p' is {}, expected 1 or more", p);
  x = node.make<AbsOp>({x});
  if (p == 1)
    return sum(x);
  mlir::Type type = x.elementType();
  if (p == 2)
    return node.make<SqrtOp>({sum(x * x)});
  Tensor power = sum(node.make<PowOp>({x, node.scalar(p, type)}));
  return node.make<PowOp>({power, node.scalar(1 / p, type)});
}

static Results importLpPool(NodeBuilder &node) {
  Tensor x = node.in(0);
  Window window;
  Attributes attrs = readPool(node, x, window);
  return {makeNorm(node, x, [&](Tensor powers) {
    return node.make<SumPoolOp>({powers}, attrs);
  })};
}

static Results importGlobalLpPool(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints axes =
      llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(x.rank(), 2)));
  return {makeNorm(node, x, [&](Tensor powers) {
    return node.reduce<ReduceSumOp>(powers, axes);
  })};
}

HandlerRows onnx::poolingRows() {
  static const HandlerRow rows[] = {
      {"AveragePool", 1, importAveragePool},
      {"GlobalAveragePool", 1, importAs<GlobalAveragePoolOp>},
      {"GlobalLpPool", 1, importGlobalLpPool},
      {"GlobalMaxPool", 1, importAs<GlobalMaxPoolOp>},
      {"LpPool", 1, importLpPool},
      {"MaxPool", 1, importMaxPool},
      {"MaxUnpool", 9, importMaxUnpool},
  };
  return rows;
}
