//===- LaunchCheck.h - Compares library kernels with their ops --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_LAUNCHCHECK_H
#define WEIR_LIB_TARGET_CHECK_LAUNCHCHECK_H

#include "ElementComparison.h"

#include "weir/Runtime/KernelTable.h"

namespace weir::kernelcheck {

/// Checks the kernel of one launch on a CPU, as `checkLaunches` says.
class LaunchCheck {
public:
  /// `ops` is a function of the module of launches. At most `points` points of
  /// its ops are evaluated for each result.
  LaunchCheck(mlir::func::FuncOp ops, int64_t points);

  /// Adds the number of compared elements to `numCompared`. Unimplemented if an
  /// op cannot be evaluated, an internal error if the kernel is wrong.
  Status run(int64_t &numCompared);
  /// The op of the result that was wrong, or the function.
  mlir::Operation *getCulprit() const { return comparison.getCulprit(); }

private:
  /// How a device runs the kernel.
  struct Setting {
    int threads;
    /// Whether all operands except the first are known at load, like weights.
    bool knowsWeights;
  };
  /// A part of the launch: all of it, or one of its copies.
  struct Part {
    KernelSpec spec;
    /// The buffer of each operand and result, and the offset of the part in it.
    struct Place {
      size_t buffer;
      int64_t byteOffset;
    };
    std::vector<Place> places;
  };

  std::vector<Part> listParts() const;
  /// The text that the process prints if another thread of the kernel gets a
  /// signal.
  std::string lastWords() const;
  StatusOr<Results> runKernels(llvm::ArrayRef<HostTensor> operands,
                               const Setting &setting) const;

  mlir::func::FuncOp ops;
  int64_t points;
  std::vector<Part> parts;
  ElementComparison comparison;
};

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_LAUNCHCHECK_H
