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

/// The attributes of a pooling over `x`, whose pads become those of the window.
static llvm::SmallVector<mlir::NamedAttribute>
readPool(NodeBuilder &node, Tensor x, bool countsPadding = false) {
  bool isCeiled = node.intAttr("ceil_mode", 0) != 0;
  Window window = readWindow(node, x);
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
  llvm::SmallVector<mlir::NamedAttribute> attrs = readPool(node, x);
  return {node.make<MaxPoolOp>({x}, attrs)};
}

static Results importAveragePool(NodeBuilder &node) {
  Tensor x = node.in(0);
  bool countsPadding = node.intAttr("count_include_pad", 0) != 0;
  llvm::SmallVector<mlir::NamedAttribute> attrs =
      readPool(node, x, countsPadding);
  attrs.push_back(node.attr("count_include_pad", countsPadding));
  return {node.make<AveragePoolOp>({x}, attrs)};
}

/// The p-norm from the sum that `sum` makes of the p-th powers.
template <typename Sum>
static Tensor makeNorm(NodeBuilder &node, Tensor x, Sum sum) {
  int64_t p = node.intAttr("p", 2);
  if (p < 1)
    node.fail("attribute 'p' is {}, expected 1 or more", p);
  x = node.make<AbsOp>({x});
  if (p == 1)
    return sum(x);
  mlir::Type type = x.elementType();
  if (p == 2)
    return node.make<SqrtOp>({sum(x * x)});
  auto exponent = static_cast<double>(p);
  Tensor power = sum(node.make<PowOp>({x, node.scalar(exponent, type)}));
  return node.make<PowOp>({power, node.scalar(1 / exponent, type)});
}

static Results importLpPool(NodeBuilder &node) {
  Tensor x = node.in(0);
  llvm::SmallVector<mlir::NamedAttribute> attrs = readPool(node, x);
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
      {"GlobalLpPool", 2, importGlobalLpPool},
      {"GlobalMaxPool", 1, importAs<GlobalMaxPoolOp>},
      {"LpPool", 2, importLpPool},
      {"MaxPool", 1, importMaxPool},
  };
  return rows;
}
