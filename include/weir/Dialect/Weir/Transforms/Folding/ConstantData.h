//===- ConstantData.h - The bytes of constants ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTDATA_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"

#include <vector>

namespace weir {

/// The elements of `value`, row-major, as the runtime stores them: splats are
/// expanded, a boolean is one byte.
std::vector<char> getConstantBytes(mlir::ElementsAttr value);

/// The constant of type `type` with the elements in `bytes`.
mlir::DenseElementsAttr makeConstant(mlir::RankedTensorType type,
                                     llvm::ArrayRef<char> bytes);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_CONSTANTDATA_H
