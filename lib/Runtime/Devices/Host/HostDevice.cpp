//===- HostDevice.cpp - Devices made of threads of this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/HostDevice.h"

#include "HostMemory.h"
#include "HostQueue.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace weir;

/// The number of bytes per thread that the compute queue touches at a time.
/// After these bytes, the queue carries out the runs that wait.
static constexpr size_t pieceBytes = size_t(32) << 20;

HostDevice::HostDevice(DeviceInfo info, HostQueueOptions compute,
                       HostQueueOptions copies)
    : description(std::move(info)), compute(std::move(compute)),
      copies(std::move(copies)) {}

HostDevice::~HostDevice() = default;

void HostDevice::closeQueues() { queues.clear(); }

void HostDevice::placePages(std::span<std::byte> memory) const {
  touchPages(memory);
}

StatusOr<std::unique_ptr<DeviceMemory>>
HostDevice::allocate(size_t bytes, PagePlacement placement) {
  auto memory = mapHostMemory(bytes, description.memoryBytes);
  if (!memory)
    return std::move(memory).status().withContext(description.name);
  if (placement == PagePlacement::FirstWrite)
    return memory;
  WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(QueueRole::Compute));
  std::span<std::byte> left(static_cast<std::byte *>((*memory)->data()),
                            (*memory)->size());
  const size_t bytesAtOnce =
      pieceBytes * static_cast<size_t>(std::max(description.threads, 1));
  while (!left.empty()) {
    const std::span<std::byte> piece =
        left.first(std::min(bytesAtOnce, left.size()));
    WEIR_RETURN_IF_ERROR(queue->call([&] {
      placePages(piece);
      return Status::ok();
    }));
    left = left.subspan(piece.size());
  }
  return memory;
}

Status HostDevice::copyFromHost(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, from, bytes);
  return Status::ok();
}

Status HostDevice::copyToHost(void *to, const void *from, size_t bytes) {
  // A derived class may override `copyFromHost`, and take `to` for memory of
  // the device.
  return HostDevice::copyFromHost(to, from, bytes);
}

Status HostDevice::whilePreparing(const std::function<Status()> &function) {
  WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(QueueRole::Compute));
  return queue->call(function);
}

StatusOr<std::unique_ptr<Kernel>>
HostDevice::prepareFrom(std::span<const KernelTableEntry> table,
                        const KernelSpec &spec, PrepareContext &context) {
  const KernelTableEntry *row = findKernel(table, spec.name);
  if (!row)
    return unimplemented(
        fmt::format("{} devices of this build have no kernel '{}'",
                    description.kind, spec.name));
  std::unique_ptr<Kernel> kernel;
  WEIR_RETURN_IF_ERROR(whilePreparing([&]() -> Status {
    WEIR_ASSIGN_OR_RETURN(kernel, guarded("prepare", [&] {
                            return row->prepare(spec, context);
                          }));
    return Status::ok();
  }));
  return kernel;
}

StatusOr<DeviceQueue *> HostDevice::openQueue(QueueRole role) {
  WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(role));
  return static_cast<DeviceQueue *>(queue);
}

StatusOr<HostQueue *> HostDevice::hostQueue(QueueRole role) {
  const std::lock_guard lock(opening);
  if (const auto known = queues.find(role); known != queues.end())
    return known->second.get();
  WEIR_ASSIGN_OR_RETURN(
      std::unique_ptr<HostQueue> queue,
      HostQueue::create(role == QueueRole::Compute ? compute : copies));
  return queues.emplace(role, std::move(queue)).first->second.get();
}
