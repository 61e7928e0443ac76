//===- Window.h - Windows of convolutions and poolings ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_WINDOW_H
#define WEIR_LIB_IMPORT_ONNX_WINDOW_H

#include "Handlers.h"

namespace weir::onnx {

/// The attributes that convolutions and poolings share, with one entry per
/// spatial dim. `pads` lists all begins, then all ends.
struct Window {
  Ints kernel, strides, dilations, pads;
  std::string_view autoPad;

  size_t rank() const { return kernel.size(); }
  /// The number of elements from the first to the last under the kernel.
  int64_t extent(size_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// Attribute `name` with `count` entries of at least `least`. If it is absent,
/// all entries are `otherwise`.
Ints readSizes(NodeBuilder &node, std::string_view name, size_t count,
               int64_t least, int64_t otherwise);

/// Reads and checks the window over `x`. `kernel` is the shape of the weights;
/// if it is empty, the node must give the shape. After an error the result is
/// empty.
Window readWindow(NodeBuilder &node, Tensor x,
                  llvm::ArrayRef<int64_t> kernel = {});

/// Sets the pads for `auto_pad`, so that each dim of the result is the input's
/// dim divided by the stride.
void padForInput(Window &window, Tensor x);

/// If some pads are negative, which no kernel supports, pads or crops `x` and
/// sets them to 0.
Tensor applyNegativePads(NodeBuilder &node, Window &window, Tensor x);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_WINDOW_H
