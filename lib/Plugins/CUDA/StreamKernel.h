//===- StreamKernel.h - Kernels that a stream runs --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_STREAMKERNEL_H
#define WEIR_LIB_PLUGINS_CUDA_STREAMKERNEL_H

#include "CudaModule.h"
#include "CudaOptions.h"
#include "Remarks.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/KernelRow.h"

#include <memory>
#include <span>

namespace weir {

/// A kernel whose work a stream carries out later. Its launches can be
/// captured.
class StreamKernel : public Kernel {
public:
  /// Appends the launch to `stream`, whose context is the current one. The
  /// buffers must outlive the launch, but `args` need not outlive the call.
  /// Several threads may call this at the same time. In a capture it must
  /// neither allocate nor wait.
  virtual Status enqueue(const KernelArgs &args, CUstream stream) = 0;
  /// The number of buffers of a launch.
  virtual size_t numBuffers() const = 0;
  /// Whether a launch may turn out to be an error after it has ended.
  virtual bool hasOutcome() const { return false; }
  /// Called when the launch on `buffers` has ended, if `hasOutcome`.
  virtual Status outcome(void *const *) { return Status::ok(); }

  /// Only queues of `cuda` devices run such kernels.
  Status run(const KernelArgs &args) final;
  bool isSerial() const final { return true; }
};

/// The context in which kernels of `cuda` devices are prepared.
class CudaPrepareContext final : public PrepareContext {
public:
  CudaPrepareContext(PrepareContext &outside, Device &device,
                     const CudaOptions &options,
                     std::shared_ptr<CudaContext> context, CudaModules &modules,
                     Remarks &remarks)
      : context(std::move(context)), modules(modules), options(options),
        device(device), remarks(remarks), outside(outside) {}

  int numThreads() const override { return outside.numThreads(); }
  bool isConstant(int index) const override {
    return outside.isConstant(index);
  }
  bool hasMemoryCap() const override { return outside.hasMemoryCap(); }
  /// The host packs: `pack` reads and writes copies in the host's memory. The
  /// operand and the packed operand lie in the GPU's memory.
  StatusOr<const void *> packedOperand(int index, std::string_view key,
                                       size_t bytes,
                                       const PackFunction &pack) override;
  StatusOr<std::span<const std::byte>>
  codeBlob(const GeneratedCode &code) override {
    return outside.codeBlob(code);
  }

  const std::shared_ptr<CudaContext> context;
  CudaModules &modules;
  const CudaOptions &options;
  /// The device whose memory kernels may use while they are prepared.
  Device &device;
  Remarks &remarks;

private:
  PrepareContext &outside;
};

/// The kernels of `cuda` devices, ordered by name. They can be prepared only
/// with a CudaPrepareContext whose context is the current one.
std::span<const KernelTableEntry> cudaKernels();

/// The ops that kernels of libraries serve on `cuda` devices.
std::span<const OpKernelRow> cudaRows();

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_STREAMKERNEL_H
