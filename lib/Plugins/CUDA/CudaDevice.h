//===- CudaDevice.h - NVIDIA's GPUs as devices ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDADEVICE_H
#define WEIR_LIB_PLUGINS_CUDA_CUDADEVICE_H

#include "CudaContext.h"
#include "CudaModule.h"
#include "CudaOptions.h"
#include "CudaQueue.h"
#include "Remarks.h"
#include "weir/Runtime/Device.h"

#include <map>
#include <memory>
#include <mutex>

namespace weir {

/// A GPU. Each arena is one allocation.
class CudaDevice final : public Device {
public:
  static StatusOr<std::unique_ptr<CudaDevice>>
  open(std::shared_ptr<CudaContext> context, DeviceInfo info,
       const CudaOptions &options);
  ~CudaDevice() override;

  const DeviceInfo &info() const override { return description; }
  using Device::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>> allocate(size_t bytes,
                                                   PagePlacement) override;
  Status copyFromHost(void *to, const void *from, size_t bytes) override;
  Status copyToHost(void *to, const void *from, size_t bytes) override;
  /// Packed operands in a GPU's memory are not shared.
  std::string packingKey() const override { return {}; }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override;
  StatusOr<DeviceQueue *> openQueue(QueueRole role) override;
  Status orderBehind(void *stream) override;
  std::shared_ptr<void> pinHostMemory(void *start, size_t bytes) override;
  size_t bufferAlignment() const override {
    return artifact::gpuBufferAlignment;
  }
  std::vector<DeviceNote> remarks() const override { return notes.get(); }

  bool isGivenUp() const override { return !owner->answers(); }

  CudaContext &context() { return *owner; }

private:
  CudaDevice(std::shared_ptr<CudaContext> owner, DeviceInfo info,
             const CudaOptions &options)
      : owner(std::move(owner)), description(std::move(info)),
        options(options) {}
  Status start();
  Status copy(void *to, const void *from, size_t bytes);
  /// Calls `ask`, which asks `loading` for something by the driver's function
  /// `call`. Waits until `loading` has done it.
  Status load(std::string_view call, const std::function<CUresult()> &ask);

  const std::shared_ptr<CudaContext> owner;
  const DeviceInfo description;
  const CudaOptions options;
  /// The stream for everything except runs.
  CUstream loading = nullptr;
  /// The lock that is held while `loading` has something to do.
  std::mutex loadingMutex;
  /// The event at the end of the work of a caller's stream: see `orderBehind`.
  CUevent before = nullptr;
  CudaModules modules;
  Remarks notes;
  /// Protects all members that follow.
  std::mutex mutex;
  std::map<QueueRole, std::unique_ptr<CudaQueue>> queues;
};

/// Opens the GPUs of the machine, in the order of the driver. On a machine
/// without a driver, all calls are safe.
class CudaDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "cuda"; }
  std::vector<DeviceInfo> detect() const override;
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest> requests) const override;
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDADEVICE_H
