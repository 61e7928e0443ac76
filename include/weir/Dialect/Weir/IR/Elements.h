//===- Elements.h - Converts host tensors to attributes ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_ELEMENTS_H
#define WEIR_DIALECT_WEIR_IR_ELEMENTS_H

#include "weir/Support/HostTensor.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace weir {

/// The elements of `tensor` as an attribute. It takes over the tensor's memory
/// if MLIR can represent it unchanged.
mlir::ElementsAttr takeElements(HostTensor tensor, llvm::StringRef name,
                                mlir::MLIRContext *context);
/// A copy of the elements of `tensor`. Equal tensors give equal attributes.
mlir::ElementsAttr copyElements(const HostTensor &tensor,
                                mlir::MLIRContext *context);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_ELEMENTS_H
