//===- Einsum.h - ONNX's Einsum ---------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_EINSUM_H
#define WEIR_LIB_IMPORT_ONNX_EINSUM_H

#include "NodeBuilder.h"

namespace weir::onnx {

/// Imports an Einsum with any equation.
Results importEinsum(NodeBuilder &node);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_EINSUM_H
