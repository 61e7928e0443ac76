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

  /// What updates of `group` by `optimizer` take between the gradient and the
  /// state.
  llvm::ArrayRef<mlir::Value> ofGroup(size_t group, const Optimizer &optimizer,
                                      mlir::Type type);
  /// Whether the run ends a batch and updates: 1, or 0.
  mlir::Value isLast(mlir::Type type);

  /// Computes by how much `gradients` are too large together.
  void limitNorm(llvm::ArrayRef<mlir::Value> gradients);
  /// The factor that makes them small enough, at most 1.
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
  /// f64 each: the runs before, the updates before, the rate, the factor of
  /// gradients.
  mlir::Value runs, count, rate, factor;
  llvm::MapVector<std::pair<size_t, mlir::Type>, llvm::SmallVector<mlir::Value>>
      groups;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> rounded;
  mlir::Value last;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_TRAINING_STEPSCALARS_H
