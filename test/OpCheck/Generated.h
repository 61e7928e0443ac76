//===- Generated.h - Runs cases as generated code -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_OPCHECK_GENERATED_H
#define WEIR_TEST_OPCHECK_GENERATED_H

#include "Cases.h"

#include "../GpuEmulator/EmulatedBlock.h"
#include "Target/Check/ClusterRun.h"

#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace weir::opcheck {

/// Where generated kernels run.
enum class Machine { Cpu, EmulatedGpu };

/// All cases of a module. Each is the cluster of one generated kernel.
class GeneratedCases {
public:
  /// Kernels for GPUs are also compiled to PTX for the oldest and the newest
  /// one, and to machine code if `isAssembled`.
  static StatusOr<GeneratedCases> compile(mlir::ModuleOp module,
                                          const std::vector<Case> &cases,
                                          Machine machine, bool isAssembled);

  /// The results of `testCase` with its tasks divided into `numRanges` ranges.
  /// On a GPU, tasks are not divided: if there are several ranges, the threads
  /// of a block run in the opposite order.
  StatusOr<std::vector<HostTensor>> run(const Case &testCase,
                                        unsigned numRanges) const;

private:
  Status loadForCpu();
  Status loadForGpu();
  Status runBlocks(const CompiledKernel &kernel, void *const *buffers,
                   emulator::ThreadOrder order) const;

  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  std::map<std::string, LoweredCluster> clusters;
  llvm::StringMap<CompiledKernel> functions;
  std::unique_ptr<CodeObject> code;
};

} // namespace weir::opcheck

#endif // WEIR_TEST_OPCHECK_GENERATED_H
