//===- Suppression.h - ONNX's NonMaxSuppression -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_SUPPRESSION_H
#define WEIR_LIB_IMPORT_ONNX_SUPPRESSION_H

#include "NodeBuilder.h"

namespace weir::onnx {

/// Imports NonMaxSuppression of known boxes and scores.
Results importNonMaxSuppression(NodeBuilder &node);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_SUPPRESSION_H
