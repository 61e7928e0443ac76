//===- ClusterRun.h - Runs the code of a cluster ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H
#define WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H

#include "../../Runtime/Code/CodeObject.h"

#include "weir/Conversion/LinalgToKernels.h"
#include "weir/Support/HostTensor.h"
#include "weir/Target/CPU/CompileKernels.h"

namespace weir::kernelcheck {

/// How the code is run.
struct RunMode {
  /// The ranges into which tasks are divided, which run from the last one on.
  unsigned numRanges = 1;
  /// Whether buffers begin at addresses that are aligned to an element alone.
  bool isUnaligned = false;
  /// Whether results lie where the operands do that they may overwrite.
  bool isInPlace = false;
};

/// Bytes with guards before and behind them.
class GuardedBytes {
public:
  GuardedBytes(size_t size, size_t elementSize, bool isUnaligned);

  std::byte *data() { return memory.data() + begin; }
  const std::byte *data() const { return memory.data() + begin; }
  size_t size() const { return length; }
  /// Whether the guards are as they were.
  bool isIntact() const;

private:
  std::vector<std::byte> memory;
  size_t begin = 0, length;
};

/// The results of a cluster, in the order of their layouts.
StatusOr<std::vector<GuardedBytes>>
runCluster(mlir::func::FuncOp cluster, const LoweredCluster &lowered,
           const CompiledKernels &compiled, const CodeObject &code,
           llvm::ArrayRef<HostTensor> operands, const RunMode &mode);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_CLUSTERRUN_H
