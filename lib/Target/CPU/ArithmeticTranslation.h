//===- ArithmeticTranslation.h - Arithmetic as LLVM IR ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_ARITHMETICTRANSLATION_H
#define WEIR_LIB_TARGET_CPU_ARITHMETICTRANSLATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/IR/IRBuilder.h"

namespace weir {

/// The LLVM type of a number, or of a vector of numbers. An index is an i64,
/// and a bf16 is an i16. Null for other types.
llvm::Type *toLLVMType(mlir::Type type, llvm::LLVMContext &context);

/// The constant `value`, which is a number or a vector of numbers.
llvm::Constant *toLLVMConstant(mlir::Attribute value, llvm::Type *type);

/// The elements of a buffer as an array.
llvm::Constant *toLLVMArray(mlir::DenseElementsAttr elements,
                            llvm::LLVMContext &context);

/// Translates `op` of the arith or math dialect, with `operands` as its
/// operands. Null if there is no translation.
llvm::Value *translateArithmetic(llvm::IRBuilderBase &builder,
                                 mlir::Operation &op,
                                 llvm::ArrayRef<llvm::Value *> operands,
                                 llvm::Type *type);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_ARITHMETICTRANSLATION_H
