//===- Window.cpp - Windows of convolutions and poolings --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// The largest size of a window. Sums of sizes up to this one do not overflow.
static constexpr int64_t maxSize = int64_t(1) << 31;

Ints onnx::readSizes(NodeBuilder &node, std::string_view name, size_t count,
                     int64_t least, int64_t otherwise) {
  Ints sizes = node.intsAttr(name);
  if (sizes.empty())
    return Ints(count, otherwise);
  if (sizes.size() != count)
    node.fail("attribute '{}' has {} entries, expected {}; {}", name,
              sizes.size(), count,
              count == 1 || name != "pads"
                  ? "give one for each spatial dim"
                  : "give the begins of all spatial dims, then the ends");
  for (int64_t size : sizes)
    if (size < least || size > maxSize)
      node.fail("attribute '{}' has an entry of {}, expected {} to {}", name,
                size, least, maxSize);
  return sizes;
}

Window onnx::readWindow(NodeBuilder &node, Tensor x,
                        llvm::ArrayRef<int64_t> kernel) {
  size_t rank = static_cast<size_t>(std::max<int64_t>(x.rank(), 2) - 2);
  Window window;
  if (rank < 1)
    node.fail("expects batch, channels and spatial dims, found rank {}",
              x.rank());
  window.kernel = readSizes(node, "kernel_shape", rank, 1, 0);
  if (!kernel.empty() && !node.hasAttr("kernel_shape"))
    window.kernel.assign(kernel.begin(), kernel.end());
  if (!kernel.empty() && llvm::ArrayRef<int64_t>(window.kernel) != kernel)
    node.fail("attribute 'kernel_shape' is {}, expected {}, the last dims of "
              "the weights; correct it, or leave it out",
              shapeToString(window.kernel), shapeToString(kernel));
  for (int64_t size : window.kernel)
    if (size < 1)
      node.fail("it lacks attribute 'kernel_shape'");
  window.strides = readSizes(node, "strides", rank, 1, 1);
  window.dilations = readSizes(node, "dilations", rank, 1, 1);
  window.pads = readSizes(node, "pads", 2 * rank, -maxSize, 0);
  window.autoPad = node.textAttr("auto_pad", "NOTSET");
  if (window.autoPad != "NOTSET" &&
      llvm::any_of(window.pads, [](int64_t pad) { return pad != 0; }))
    node.warn("attribute 'pads' has no effect, because 'auto_pad' is {}; "
              "remove one of them",
              window.autoPad);
  for (std::string_view known : {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"})
    if (window.autoPad == known)
      return node.isOk() ? window : Window();
  node.fail("attribute 'auto_pad' is '{}', expected NOTSET, SAME_UPPER, "
            "SAME_LOWER or VALID",
            window.autoPad);
  return {};
}

void onnx::padForInput(Window &window, Tensor x) {
  if (window.autoPad == "NOTSET")
    return;
  window.pads.assign(2 * window.rank(), 0);
  if (window.autoPad == "VALID")
    return;
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t size = x.dim(static_cast<int64_t>(i) + 2);
    int64_t stride = window.strides[i];
    int64_t count = (size + stride - 1) / stride;
    int64_t total =
        std::max<int64_t>((count - 1) * stride + window.extent(i) - size, 0);
    int64_t smaller = total / 2;
    bool isUpper = window.autoPad == "SAME_UPPER";
    window.pads[i] = isUpper ? smaller : total - smaller;
    window.pads[i + window.rank()] = total - window.pads[i];
  }
}

Tensor onnx::applyNegativePads(NodeBuilder &node, Window &window, Tensor x) {
  if (llvm::all_of(window.pads, [](int64_t pad) { return pad >= 0; }))
    return x;
  Ints crops(2 * x.rank(), 0);
  for (size_t i = 0; i < window.rank(); ++i) {
    crops[i + 2] = std::min<int64_t>(window.pads[i], 0);
    crops[i + 2 + x.rank()] =
        std::min<int64_t>(window.pads[i + window.rank()], 0);
  }
  for (int64_t &pad : window.pads)
    pad = std::max<int64_t>(pad, 0);
  return node.make<PadOp>({x}, {node.attr("pads", crops)});
}
