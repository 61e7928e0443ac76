//===- DemoDevice.cpp - Devices with memory of their own ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DemoDevice.h"

#include "DemoKernels.h"
#include "weir/Runtime/HostDevice.h"
#include "weir/Support/DeviceName.h"

#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>

using namespace weir;
using namespace demo;

namespace {

constexpr uint32_t numDevices = 8;
constexpr uint64_t heapBytes = uint64_t(256) << 20;

/// The memory of one device.
class Heap {
public:
  StatusOr<void *> take(size_t bytes) {
    const std::lock_guard lock(mutex);
    if (bytes > heapBytes - bytesInUse)
      return resourceExhausted(std::to_string(bytes) +
                               " bytes were requested with " +
                               std::to_string(bytesInUse) + " of " +
                               std::to_string(heapBytes) + " in use");
    void *start = ::operator new(bytes, std::align_val_t(deviceMemoryAlignment),
                                 std::nothrow);
    if (!start)
      return resourceExhausted("the system has no memory left");
    std::memset(start, 0, bytes);
    blocks[static_cast<char *>(start)] = bytes;
    bytesInUse += bytes;
    return start;
  }

  void giveBack(void *start) {
    const std::lock_guard lock(mutex);
    const auto block = blocks.find(static_cast<char *>(start));
    bytesInUse -= block->second;
    blocks.erase(block);
    ::operator delete(start, std::align_val_t(deviceMemoryAlignment));
  }

  /// An error unless the bytes at `start` lie in memory of this heap.
  Status check(const void *start, size_t bytes) {
    if (bytes == 0)
      return Status::ok();
    const std::lock_guard lock(mutex);
    const char *first = static_cast<const char *>(start);
    auto after = blocks.upper_bound(const_cast<char *>(first));
    if (after == blocks.begin())
      return invalidArgument("an address is not in the device's memory");
    const auto &[block, size] = *--after;
    if (first + bytes > block + size)
      return invalidArgument("an address is not in the device's memory");
    return Status::ok();
  }

private:
  std::mutex mutex;
  std::map<char *, size_t> blocks;
  uint64_t bytesInUse = 0;
};

class DemoMemory final : public DeviceMemory {
public:
  DemoMemory(std::shared_ptr<Heap> heap, void *start, size_t bytes)
      : DeviceMemory(start, bytes), heap(std::move(heap)) {}
  ~DemoMemory() override { heap->giveBack(data()); }

private:
  std::shared_ptr<Heap> heap;
};

/// A thread of this process computes, another one copies: both are
/// HostDevice's. Only the memory and the kernels are the device's own.
class DemoDevice final : public HostDevice {
public:
  explicit DemoDevice(const DeviceInfo &info)
      : HostDevice(info, {info.name}, {info.name}) {}

  using HostDevice::allocate;
  StatusOr<std::unique_ptr<DeviceMemory>> allocate(size_t bytes,
                                                   PagePlacement) override {
    WEIR_ASSIGN_OR_RETURN(void *start, heap->take(bytes));
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<DemoMemory>(heap, start, bytes));
  }

  Status copyFromHost(void *to, const void *from, size_t bytes) override {
    WEIR_RETURN_IF_ERROR(heap->check(to, bytes));
    return HostDevice::copyFromHost(to, from, bytes);
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    WEIR_RETURN_IF_ERROR(heap->check(from, bytes));
    return HostDevice::copyToHost(to, from, bytes);
  }

  /// No kernel packs an operand.
  std::string packingKey() const override { return {}; }

  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    return prepareFrom(demo::kernelTable(), spec, context);
  }

private:
  std::shared_ptr<Heap> heap = std::make_shared<Heap>();
};

DeviceInfo describe(const std::string &name) {
  DeviceInfo info;
  info.name = name;
  info.kind = "demo";
  info.threads = 1;
  info.memoryBytes = heapBytes;
  info.description = "a device of the example plug-in";
  return info;
}

} // namespace

std::vector<DeviceInfo> DemoDriver::detect() const {
  std::vector<DeviceInfo> devices;
  for (uint32_t i = 0; i < numDevices; ++i)
    devices.push_back(describe("demo:" + std::to_string(i)));
  return devices;
}

Status DemoDriver::canOpen(std::span<const DeviceRequest> requests) const {
  for (const DeviceRequest &request : requests) {
    WEIR_ASSIGN_OR_RETURN(const DeviceName name, parseDeviceName(request.name));
    if (name.index >= numDevices)
      return unavailable("there is no " + request.name + "; the last one is " +
                         "demo:" + std::to_string(numDevices - 1));
  }
  return Status::ok();
}

StatusOr<std::vector<std::unique_ptr<Device>>>
DemoDriver::open(std::span<const DeviceRequest> requests) const {
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceRequest &request : requests)
    devices.push_back(std::make_unique<DemoDevice>(describe(request.name)));
  return devices;
}
