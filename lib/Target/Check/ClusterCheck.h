//===- ClusterCheck.h - Compares code with the ops it is for ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_CLUSTERCHECK_H
#define WEIR_LIB_TARGET_CHECK_CLUSTERCHECK_H

#include "CheckKernels.h"
#include "ClusterRun.h"
#include "ElementComparison.h"

namespace weir::kernelcheck {

/// Checks the code of one cluster, as described at `checkClusters`.
class ClusterCheck {
public:
  ClusterCheck(mlir::func::FuncOp cluster, const ClusterCode &code)
      : cluster(cluster), code(code), comparison(cluster) {}

  /// Runs the check, and adds the number of compared elements to `numCompared`.
  /// The error is Unimplemented if an op cannot be evaluated, and Internal if
  /// the code is wrong.
  Status run(int64_t &numCompared);
  /// The op whose result was wrong, or the cluster.
  mlir::Operation *getCulprit() const { return comparison.getCulprit(); }

private:
  StatusOr<Results> runCode(llvm::ArrayRef<HostTensor> operands,
                            BufferPlaces places, unsigned numRanges) const;
  Status runWith(bool hasSpecials, int64_t &numCompared);
  Status compareRuns(llvm::ArrayRef<HostTensor> operands, const Results &whole);

  mlir::func::FuncOp cluster;
  const ClusterCode &code;
  ElementComparison comparison;
};

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_CLUSTERCHECK_H
