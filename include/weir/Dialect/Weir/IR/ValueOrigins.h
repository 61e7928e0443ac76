//===- ValueOrigins.h - Where values of groups come from --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_VALUEORIGINS_H
#define WEIR_DIALECT_WEIR_IR_VALUEORIGINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weir {

/// The operand of a group that `value`, an argument of its body, stands for;
/// null if `value` is something else.
mlir::Value getOutside(mlir::Value value);

/// The value of a body that `value`, a result of a group, stands for; null if
/// `value` is something else.
mlir::Value getInside(mlir::Value value);

/// What computes `value`, through the arguments and results of groups: the
/// result of an op, an input or a constant.
mlir::Value getOrigin(mlir::Value value);

/// Finds where the bytes of values in a lowered function come from.
class ValueOrigins {
public:
  /// `shareMemory` says whether two devices access the same memory.
  ValueOrigins(
      mlir::func::FuncOp function,
      llvm::function_ref<bool(mlir::StringAttr, mlir::StringAttr)> shareMemory);

  /// The value that brought the bytes of `value` to its device: an argument or
  /// constant of the function, or the result of a launch, join or copy.
  mlir::Value getSource(mlir::Value value) const;
  /// The value that was computed with the bytes of `value`. Unlike the source,
  /// the root is never a copy within one memory, because such a copy moves no
  /// bytes.
  mlir::Value getRoot(mlir::Value value) const;

private:
  /// The sources of arguments and results of groups, and of views.
  llvm::DenseMap<mlir::Value, mlir::Value> sources;
  /// The roots of copies within one memory.
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_VALUEORIGINS_H
