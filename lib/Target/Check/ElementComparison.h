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

/// Limits the number of elements of each result that are compared.
struct Sample {
  /// Results with at most this many elements are compared completely.
  int64_t elements;
  /// The most points of ops that are evaluated for one result. Then the
  /// comparison of that result ends.
  int64_t points;
};

/// Compares the results of a function with the definitions of its ops.
class ElementComparison {
public:
  explicit ElementComparison(mlir::func::FuncOp function)
      : function(function) {}

  /// Prepares the evaluation of the ops. The error is Unimplemented if one of
  /// them cannot be evaluated.
  Status prepare();
  /// Sets the operands of the function. They must exist as long as results are
  /// compared.
  void setOperands(llvm::ArrayRef<HostTensor> operands) {
    evaluator->setArguments(operands);
  }
  /// Compares the results of each of `runs`, and adds the number of compared
  /// elements to `numCompared`. The error is Internal if an element differs by
  /// more than rounding explains. It is Unimplemented if a single element needs
  /// too many points.
  Status compare(llvm::ArrayRef<Results> runs, const Sample &sample,
                 int64_t &numCompared);

  /// Records that result `number` is wrong.
  void setWrong(unsigned number) { wrong = number; }
  /// The op whose result was wrong, or the function.
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
