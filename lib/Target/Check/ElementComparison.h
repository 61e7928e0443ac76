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

/// Limits on the elements of each result that are compared.
struct Sample {
  /// The number of elements up to which all are compared.
  int64_t elements;
  /// The number of points of ops that are evaluated for a result. After these,
  /// no further elements are compared.
  int64_t points;
};

/// Compares the results of a function with the definitions of its ops.
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
  /// Compares the results of each of `runs`, and adds the number of compared
  /// elements to `numCompared`. It is an internal error if an element differs
  /// by more than rounding explains. It is Unimplemented if even one element
  /// takes too many points.
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
