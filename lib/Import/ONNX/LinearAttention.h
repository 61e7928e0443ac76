//===- LinearAttention.h - ONNX's ops that carry a state --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_LINEARATTENTION_H
#define WEIR_LIB_IMPORT_ONNX_LINEARATTENTION_H

#include "NodeBuilder.h"

namespace weir::onnx {

/// Imports CausalConvWithState.
Results importCausalConv(NodeBuilder &node);
/// Imports LinearAttention.
Results importLinearAttention(NodeBuilder &node);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_LINEARATTENTION_H
