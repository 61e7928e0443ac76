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

/// Checks the kernel of one launch on a CPU, as described at `checkLaunches`.
class LaunchCheck {
public:
  /// `ops` is a function of the module of launches. For each result, at most
  /// `points` points of its ops are evaluated.
  LaunchCheck(mlir::func::FuncOp ops, int64_t points);

  /// Runs the check, and adds the number of compared elements to `numCompared`.
  /// The error is Unimplemented if an op cannot be evaluated, and Internal if
  /// the kernel is wrong.
  Status run(int64_t &numCompared);
  /// The op whose result was wrong, or the function.
  mlir::Operation *getCulprit() const { return comparison.getCulprit(); }

private:
  /// How a device runs the kernel.
  struct Setting {
    int threads;
    /// Whether all operands but the first are known at load, as weights are.
    bool knowsWeights;
  };
  /// A part of the launch: the whole launch, or one of its copies.
  struct Part {
    KernelSpec spec;
    /// The place of an operand or result: a buffer, and the offset of the part
    /// in the buffer.
    struct Place {
      size_t buffer;
      int64_t byteOffset;
    };
    std::vector<Place> places;
  };

  std::vector<Part> listParts() const;
  /// The text that the process prints if a signal ends it on another thread of
  /// the kernel.
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
