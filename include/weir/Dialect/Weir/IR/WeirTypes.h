//===- WeirTypes.h - Weir's element types and layouts on MLIR types -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRTYPES_H
#define WEIR_DIALECT_WEIR_IR_WEIRTYPES_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/TensorDesc.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace weir {

/// The element type for `type`; nothing if tensors cannot have it.
std::optional<DType> toDType(mlir::Type type);
mlir::Type toMLIRType(DType type, mlir::MLIRContext *context);

/// The dims of `type`; dynamic ones are unknownDim.
std::vector<int64_t> toDims(mlir::RankedTensorType type);
mlir::RankedTensorType makeTensorType(llvm::ArrayRef<int64_t> dims,
                                      mlir::Type elementType);

/// The tensor as the runtime sees it, with strides from its layout. The shape
/// must be static.
TensorDesc toTensorDesc(mlir::RankedTensorType type);

/// The type of a value that is a tensor.
inline mlir::RankedTensorType getTensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
/// The memory that the tensor `value` takes. Its shape must be static.
uint64_t getSpanBytes(mlir::Value value);

/// `type` without its layout.
mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type);

/// The attributes in the form that the compiler and the runtime share.
/// Attributes without such a form are left out.
AttrMap toAttrMap(mlir::DictionaryAttr attributes);

/// The name of the op in reports: its NameLoc, else "<mnemonic>".
llvm::StringRef getOpName(mlir::Operation *op);
/// The name in `location`'s NameLoc, empty if there is none.
llvm::StringRef getName(mlir::Location location);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_WEIRTYPES_H
