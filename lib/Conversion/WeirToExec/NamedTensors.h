//===- NamedTensors.h - The tensors of the model in a graph -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOEXEC_NAMEDTENSORS_H
#define WEIR_LIB_CONVERSION_WEIRTOEXEC_NAMEDTENSORS_H

#include "weir/Dialect/Weir/IR/ValueOrigins.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

/// For each value that is computed, the tensors of the model that have its
/// bytes.
class NamedTensors {
public:
  struct Tensor {
    mlir::StringAttr name;
    /// A value with the type of the tensor.
    mlir::Value value;
  };

  /// Finds the tensors that the groups of `function` store, as recorded in
  /// their attributes.
  void find(mlir::func::FuncOp function, const ValueOrigins &origins);

  /// The tensors that have the bytes of `root`.
  mlir::ArrayRef<Tensor> of(mlir::Value root) const;

private:
  void add(mlir::Value root, mlir::Value value, mlir::Attribute names);

  llvm::DenseMap<mlir::Value, mlir::SmallVector<Tensor>> byRoot;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_NAMEDTENSORS_H
