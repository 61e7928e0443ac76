//===- Window.h - Windows of convolutions and poolings ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_WINDOW_H
#define WEIR_LIB_IMPORT_ONNX_WINDOW_H

#include "Handlers.h"

namespace weir::onnx {

/// The attributes that convolutions and poolings share. Each list has one entry
/// for each spatial dim. `pads` has two: first the pads before all dims, and
/// then the pads behind them.
struct Window {
  Ints kernel, strides, dilations, pads;
  std::string_view autoPad;

  size_t rank() const { return kernel.size(); }
  /// The distance from the first to the last element under the kernel, counting
  /// both.
  int64_t extent(size_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// Attribute `name`, which must have `count` entries of at least `least`. If
/// the node lacks it, all entries are `otherwise`.
Ints readSizes(NodeBuilder &node, std::string_view name, size_t count,
               int64_t least, int64_t otherwise);

/// Reads and checks the window over `x`. `kernel` is the shape of the weights.
/// If `kernel` is empty, the node must give the shape. The result is empty
/// after an error.
Window readWindow(NodeBuilder &node, Tensor x,
                  llvm::ArrayRef<int64_t> kernel = {});

/// Sets the pads that `auto_pad` asks for. With SAME_UPPER or SAME_LOWER, each
/// dim of the result is the dim of the input divided by the stride, rounded up.
void padForInput(Window &window, Tensor x);

/// Crops `x` where pads are negative, and sets these pads to 0. No kernel
/// supports negative pads.
Tensor applyNegativePads(NodeBuilder &node, Window &window, Tensor x);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_WINDOW_H
