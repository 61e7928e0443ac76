//===- CudaDevice.cpp - NVIDIA's GPUs as devices -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include "StreamKernel.h"

#include <fmt/format.h>

using namespace weir;

static CUdeviceptr toDevice(const void *address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

namespace {

class CudaMemory final : public DeviceMemory {
public:
  CudaMemory(std::shared_ptr<CudaContext> context, void *start, size_t bytes)
      : DeviceMemory(start, bytes), context(std::move(context)) {
    this->context->addAllocated(static_cast<int64_t>(bytes));
  }
  ~CudaMemory() override {
    if (!data())
      return;
    context->addAllocated(-static_cast<int64_t>(size()));
    context->release([&] { (void)context->api.cuMemFree(toDevice(data())); });
  }

private:
  std::shared_ptr<CudaContext> context;
};

} // namespace

StatusOr<std::unique_ptr<CudaDevice>>
CudaDevice::open(std::shared_ptr<CudaContext> context, DeviceInfo info,
                 const CudaOptions &options) {
  std::unique_ptr<CudaDevice> device(
      new CudaDevice(std::move(context), std::move(info), options));
  WEIR_RETURN_IF_ERROR(device->start().withContext(device->owner->name));
  if (options.patience)
    device->owner->setPatience(*options.patience);
  return device;
}

Status CudaDevice::start() {
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  return owner->check(
      owner->api.cuStreamCreate(&loading, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate");
}

CudaDevice::~CudaDevice() {
  queues.clear();
  if (!loading)
    return;
  owner->release([&] {
    if (before)
      (void)owner->api.cuEventDestroy(before);
    (void)owner->api.cuStreamDestroy(loading);
  });
}

/// The part of an error that says how much memory of the current context's GPU
/// is free.
static std::string describeFree(const CudaApi &api) {
  size_t free = 0, total = 0;
  if (api.cuMemGetInfo(&free, &total) != CUDA_SUCCESS)
    return {};
  return fmt::format("; {} of its {} bytes are free", free, total);
}

StatusOr<std::unique_ptr<DeviceMemory>> CudaDevice::allocate(size_t bytes,
                                                             PagePlacement) {
  if (bytes == 0)
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<CudaMemory>(owner, nullptr, 0));
  WEIR_RETURN_IF_ERROR(owner->checkPresent());
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(Status(use.status()).withContext(owner->name));
  CUdeviceptr start = 0;
  Status status =
      owner->check(owner->api.cuMemAlloc(&start, bytes), "cuMemAlloc");
  if (!status.isOk())
    return Status(status.code(),
                  fmt::format("{}: {} bytes were requested: {}{}", owner->name,
                              bytes, status.message(),
                              describeFree(owner->api)));
  auto memory = std::make_unique<CudaMemory>(
      owner, reinterpret_cast<void *>(start), bytes);
  WEIR_RETURN_IF_ERROR(load("cuMemsetD8Async", [&] {
                         return owner->api.cuMemsetD8Async(start, 0, bytes,
                                                           loading);
                       }).withContext(owner->name));
  return std::unique_ptr<DeviceMemory>(std::move(memory));
}

Status CudaDevice::load(std::string_view call,
                        const std::function<CUresult()> &ask) {
  WEIR_RETURN_IF_ERROR(owner->checkPresent());
  // The lock keeps other threads from giving work to the stream during the
  // wait. Otherwise the wait would last until their work has ended, too.
  const std::lock_guard lock(loadingMutex);
  WEIR_RETURN_IF_ERROR(owner->check(ask(), call));
  Status status = owner->await(loading);
  // The work may still use the memory, which the caller frees.
  if (!status.isOk())
    owner->drain(loading);
  return status;
}

Status CudaDevice::copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0)
    return Status::ok();
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  return load("cuMemcpyAsync", [&] {
    return owner->api.cuMemcpyAsync(toDevice(to), toDevice(from), bytes,
                                    loading);
  });
}

Status CudaDevice::copyFromHost(void *to, const void *from, size_t bytes) {
  return copy(to, from, bytes).withContext(owner->name);
}

Status CudaDevice::copyToHost(void *to, const void *from, size_t bytes) {
  return copy(to, from, bytes).withContext(owner->name);
}

std::shared_ptr<void> CudaDevice::pinHostMemory(void *start, size_t bytes) {
  const CudaContext::Use use(*owner);
  // Memory that is not pinned works, too. Its copies are slower, and the thread
  // that asks for them waits.
  if (bytes == 0 || !use.status().isOk() ||
      owner->api.cuMemHostRegister(start, bytes, CU_MEMHOSTREGISTER_PORTABLE) !=
          CUDA_SUCCESS)
    return nullptr;
  return {start, [context = owner](void *pinned) {
            context->release(
                [&] { (void)context->api.cuMemHostUnregister(pinned); });
          }};
}

StatusOr<std::unique_ptr<Kernel>> CudaDevice::prepare(const KernelSpec &spec,
                                                      PrepareContext &context) {
  const KernelTableEntry *row = findKernel(cudaKernels(), spec.name);
  if (!row)
    return unimplemented(fmt::format(
        "cuda devices of this build have no kernel '{}'", spec.name));
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  CudaPrepareContext own(context, *this, options, owner, modules, notes);
  return row->prepare(spec, own);
}

Status CudaDevice::orderBehind(void *stream) {
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  const std::lock_guard lock(mutex);
  if (!before)
    WEIR_RETURN_IF_ERROR(
        owner->check(owner->api.cuEventCreate(&before, CU_EVENT_DISABLE_TIMING),
                     "cuEventCreate"));
  WEIR_RETURN_IF_ERROR(owner->check(
      owner->api.cuEventRecord(before, static_cast<CUstream>(stream)),
      "cuEventRecord"));
  for (const auto &[role, queue] : queues)
    WEIR_RETURN_IF_ERROR(queue->orderBehind(before));
  return Status::ok();
}

StatusOr<DeviceQueue *> CudaDevice::openQueue(QueueRole role) {
  const std::lock_guard lock(mutex);
  // If the queue cannot be opened, `queues` stays as it was.
  auto known = queues.find(role);
  if (known == queues.end()) {
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<CudaQueue> queue,
                          CudaQueue::create(owner, notes));
    known = queues.emplace(role, std::move(queue)).first;
  }
  return static_cast<DeviceQueue *>(known->second.get());
}
