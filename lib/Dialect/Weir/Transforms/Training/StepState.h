//===- StepState.h - What steps add to a module -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSTATE_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSTATE_H

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace weir {

/// The parameters and buckets that the steps of a module need. Several steps
/// may share them.
class StepState {
public:
  explicit StepState(mlir::ModuleOp module);

  /// The counter of runs of `op`.
  mlir::FailureOr<ParameterOp> getStep(MinimizeOp op);
  /// The parameter `name`, whose elements start as `initial`. If the parameter
  /// is already declared, the graph must not use it. Errors are emitted at
  /// `op`.
  mlir::FailureOr<ParameterOp> getState(llvm::StringRef name, mlir::Type type,
                                        double initial, MinimizeOp op);

  /// Notes that a step updates `parameters` together.
  void noteTogether(llvm::ArrayRef<llvm::StringRef> parameters);
  /// Whether all steps that update one of `parameters` update all of them
  /// together, so that they can be in a bucket.
  bool areAlwaysTogether(llvm::ArrayRef<llvm::StringRef> parameters) const;
  /// The bucket of `parameters`, which must be declared. If `name` is empty, a
  /// free name is chosen.
  BucketOp getBucket(llvm::ArrayRef<llvm::StringRef> parameters,
                     llvm::StringRef name, mlir::Location location);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  /// The names of the parameters that entries use, and of the parameters that
  /// they assign, before steps are built.
  llvm::StringSet<> used, assigned;
  /// The parameters that were added.
  llvm::StringSet<> made;
  /// For each parameter, the parameters that are updated with it; empty if
  /// steps differ in this.
  llvm::StringMap<std::string> together;
  llvm::StringMap<BucketOp> buckets;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSTATE_H
