//===- Resize.h - ONNX's Resize and Upsample --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_RESIZE_H
#define WEIR_LIB_IMPORT_ONNX_RESIZE_H

#include "NodeBuilder.h"

namespace weir::onnx {

/// Imports Resize since opset 11.
Results importResize(NodeBuilder &node);
/// Imports Upsample, and Resize of opset 10.
Results importUpsample(NodeBuilder &node);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_RESIZE_H
