//===- ElementComparison.h - Compares results with their ops ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_ELEMENTCOMPARISON_H
#define WEIR_LIB_TARGET_CHECK_ELEMENTCOMPARISON_H

#include "GuardedBytes.h"
#include "PointEvaluator.h"

#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace weir::kernelcheck {

/// The results of a function, in the order of their layouts.
using Results = std::vector<GuardedBytes>;

/// How many elements of each result are compared.
struct Sample {
  /// All elements are, if there are no more.
  int64_t elements;
  /// No further ones after so many points of ops were evaluated for the result.
  int64_t points;
};

/// Compares results with what the ops of a function say.
class ElementComparison {
public:
  explicit ElementComparison(mlir::func::FuncOp function)
      : function(function) {}

  /// Unimplemented if an op cannot be evaluated.
  Status prepare();
  /// Sets the operands of the function. They must exist while results are
  /// compared.
  void setOperands(llvm::ArrayRef<HostTensor> operands) {
    evaluator->setArguments(operands);
  }
  /// Compares the results of each of `runs`. An internal error if an element is
  /// further off than rounding explains. Unimplemented if even one element
  /// takes too many points. Adds the number of compared elements to
  /// `numCompared`.
  Status compare(llvm::ArrayRef<Results> runs, const Sample &sample,
                 int64_t &numCompared);

  /// Notes that result `number` is wrong.
  void setWrong(unsigned number) { wrong = number; }
  /// The op of the result that was wrong, or the function.
  mlir::Operation *getCulprit() const;

private:
  Status compareElement(unsigned number, const TensorDesc &desc, int64_t offset,
                        const Bounded &expected, const Bounded &found);

  mlir::func::FuncOp function;
  mlir::OwningOpRef<mlir::func::FuncOp> ops;
  std::unique_ptr<PointEvaluator> evaluator;
  std::optional<unsigned> wrong;
};

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_ELEMENTCOMPARISON_H
