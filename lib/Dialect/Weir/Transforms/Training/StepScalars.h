//===- StepScalars.h - Numbers that all updates of a step share -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSCALARS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSCALARS_H

#include "weir/Dialect/Weir/IR/Training.h"

#include "llvm/ADT/MapVector.h"

namespace weir {

/// A leaf that computes `expression` at each element of `operands`.
mlir::Value makeScalarLeaf(mlir::OpBuilder &builder, mlir::Location location,
                           llvm::StringRef expression,
                           mlir::ValueRange operands, mlir::Type type);

/// The scalars of a step. They are computed in f64 and rounded once, to the
/// element type of the parameters.
class StepScalars {
public:
  /// Marks the assignment that counts the runs of an entry.
  static constexpr llvm::StringLiteral counts = "weir.counts";

  /// `step` is the number of runs before this one.
  StepScalars(mlir::OpBuilder &builder, MinimizeOp op, const TrainingPlan &plan,
              mlir::Value step);

  /// The scalars of updates of `group` by `optimizer`. They are the operands
  /// between the gradient and the state.
  llvm::ArrayRef<mlir::Value> ofGroup(size_t group, const Optimizer &optimizer,
                                      mlir::Type type);
  /// 1 if the run ends an accumulated batch and updates the parameters, else 0.
  mlir::Value isLast(mlir::Type type);

  /// Computes the factor that limits the common norm of `gradients`.
  void limitNorm(llvm::ArrayRef<mlir::Value> gradients);
  /// The factor for gradients, at most 1, that keeps their norm within the
  /// limit.
  mlir::Value share(mlir::Type type);

private:
  mlir::Value make(llvm::StringRef name, llvm::StringRef expression,
                   mlir::ValueRange operands);
  mlir::Value round(mlir::Value value, mlir::Type type);
  mlir::Location at(llvm::StringRef name);
  mlir::Value sumSquares(llvm::ArrayRef<mlir::Value> gradients);

  mlir::OpBuilder &builder;
  MinimizeOp op;
  const TrainingPlan &plan;
  /// Scalars of f64: the number of earlier runs, the number of earlier updates,
  /// the rate, and the factor of gradients.
  mlir::Value runs, count, rate, factor;
  llvm::MapVector<std::pair<size_t, mlir::Type>, llvm::SmallVector<mlir::Value>>
      groups;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> rounded;
  mlir::Value last;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSCALARS_H
