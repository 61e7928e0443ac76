//===- Window.h - How a kernel slides over an image -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_WINDOW_H
#define WEIR_LIB_IMPORT_ONNX_WINDOW_H

#include "Handlers.h"

namespace weir::onnx {

/// The attributes that convolutions and poolings share, one entry per spatial
/// dim; `pads` has the begins, then the ends.
struct Window {
  Ints kernel, strides, dilations, pads;
  std::string_view autoPad;

  size_t rank() const { return kernel.size(); }
  /// From the first to the last element under the kernel.
  int64_t extent(size_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// Reads and checks the window over `x`; `kernel` is the shape of the weights,
/// or empty where the node must say it. After an error it is empty.
Window readWindow(NodeBuilder &node, Tensor x,
                  llvm::ArrayRef<int64_t> kernel = {});

/// Sets the pads that `auto_pad` asks for, so that each dim of the result is
/// that of the input over the stride.
void padForInput(Window &window, Tensor x);

/// Pads or crops `x` where the pads are ones that no kernel takes.
Tensor applyNegativePads(NodeBuilder &node, Window &window, Tensor x);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_WINDOW_H
