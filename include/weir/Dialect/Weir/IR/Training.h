//===- Training.h - What weir.minimize asks for -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_TRAINING_H
#define WEIR_DIALECT_WEIR_IR_TRAINING_H

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Glob.h"
#include "weir/Support/TrainingOptions.h"

#include <optional>

namespace weir {

/// Checks the numbers of an optimiser. A name means the same in all optimisers.
Status checkUpdateNumbers(const AttrMap &attrs);

/// An optimiser with numbers.
struct Optimizer {
  /// The op of its updates.
  mlir::OperationName update;
  /// All attributes of that op.
  mlir::DictionaryAttr numbers;

  const UpdateOpInterface::Concept &methods() const {
    return *update.getInterface<UpdateOpInterface>();
  }
  llvm::SmallVector<UpdateState> listState() const;
};

/// A group of parameters that are trained with settings of their own.
struct TrainedGroup {
  std::vector<Glob> globs;
  double rateFactor = 1;
  bool isFrozen = false;
  mlir::DictionaryAttr numbers;

  bool fits(llvm::StringRef parameter) const;
};

/// The options of a `weir.minimize`, after they were checked.
struct TrainingPlan {
  Optimizer optimizer;
  /// The rate of the first update; nothing if an operand has it.
  std::optional<double> rate;
  /// An expression for a factor of the rate. In it, `a` is the number of
  /// earlier updates. If it is empty, the factor is 1.
  std::string schedule;
  std::vector<Glob> globs;
  std::vector<TrainedGroup> groups;
  /// The limits of gradients by value and by norm; 0: none.
  double clipValue = 0, clipNorm = 0;
  int64_t accumulate = 1;
};

/// The plan of `op`, or an error about its attributes.
mlir::FailureOr<TrainingPlan> readTraining(MinimizeOp op);

mlir::DictionaryAttr toDictionary(const NamedOptions &options,
                                  mlir::MLIRContext *context);
/// The attributes of a `weir.minimize` with these options.
mlir::DictionaryAttr toDictionary(const MinimizeOptions &options,
                                  mlir::MLIRContext *context);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_TRAINING_H
