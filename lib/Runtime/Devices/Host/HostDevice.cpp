//===- HostDevice.cpp - Devices made of threads of this process -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "HostDevice.h"

#include "HostMemory.h"

#include <cstring>
#include <unistd.h>

using namespace weir;

/// Touches every page, so that the calling thread's part of the machine holds
/// them and no run pays for it.
static void placePages(DeviceMemory &memory) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto *bytes = static_cast<volatile char *>(memory.data());
  for (size_t at = 0; at < memory.size(); at += page)
    bytes[at] = 0;
}

StatusOr<std::unique_ptr<DeviceMemory>> HostDevice::allocate(size_t bytes) {
  auto memory = mapHostMemory(bytes, description.memoryBytes);
  if (!memory)
    return std::move(memory).status().withContext(description.name);
  WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(0));
  queue->call([&] { placePages(**memory); });
  return memory;
}

Status HostDevice::copyFromHost(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, from, bytes);
  return Status::ok();
}

Status HostDevice::copyToHost(void *to, const void *from, size_t bytes) {
  return copyFromHost(to, from, bytes);
}

StatusOr<DeviceQueue *> HostDevice::openQueue(int index) {
  WEIR_ASSIGN_OR_RETURN(HostQueue * queue, hostQueue(index));
  return static_cast<DeviceQueue *>(queue);
}

StatusOr<HostQueue *> HostDevice::hostQueue(int index) {
  std::unique_ptr<HostQueue> &queue = queues[index];
  if (!queue) {
    WEIR_ASSIGN_OR_RETURN(queue,
                          HostQueue::create(index == 0 ? compute : copies));
  }
  return queue.get();
}
