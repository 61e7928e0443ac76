//===- CountingDevice.cpp - A device that allocates nothing ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CountingDevice.h"

#include "weir/Runtime/ForwardingDevice.h"

#include <utility>

using namespace weir;

namespace {

/// Memory with a size and an address, but without bytes.
class NoMemory final : public DeviceMemory {
public:
  explicit NoMemory(size_t bytes) : DeviceMemory(&nowhere, bytes) {}

private:
  alignas(deviceMemoryAlignment) static inline std::byte nowhere{};
};

/// Asks `outside` for everything except generated functions.
class CountingContext final : public PrepareContext {
public:
  explicit CountingContext(PrepareContext &outside) : outside(outside) {}

  int numThreads() const override { return outside.numThreads(); }
  bool isConstant(int index) const override {
    return outside.isConstant(index);
  }
  bool hasMemoryCap() const override { return outside.hasMemoryCap(); }
  StatusOr<const void *> packedOperand(int index, std::string_view key,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    return outside.packedOperand(index, key, bytes, pack);
  }
  StatusOr<WeirKernelFunction>
  generatedFunction(const GeneratedCode &) override {
    const WeirKernelFunction nothing = [](const WeirKernelArgs *) {};
    return nothing;
  }
  StatusOr<std::span<const std::byte>>
  codeBlob(const GeneratedCode &code) override {
    return outside.codeBlob(code);
  }

private:
  PrepareContext &outside;
};

class CountingDevice final : public ForwardingDevice {
public:
  explicit CountingDevice(std::shared_ptr<Device> device)
      : ForwardingDevice(std::move(device)),
        description(ForwardingDevice::info()) {
    // The needs of the model are counted even if the machine cannot meet them.
    description.memoryBytes = 0;
  }

  const DeviceInfo &info() const override { return description; }
  StatusOr<std::unique_ptr<DeviceMemory>> allocate(size_t bytes,
                                                   PagePlacement) override {
    return std::unique_ptr<DeviceMemory>(std::make_unique<NoMemory>(bytes));
  }
  Status copyFromHost(void *, const void *, size_t) override {
    return Status::ok();
  }
  Status copyToHost(void *, const void *, size_t) override {
    return Status::ok();
  }
  std::shared_ptr<void> pinHostMemory(void *, size_t) override {
    return nullptr;
  }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &spec,
                                            PrepareContext &context) override {
    CountingContext counting(context);
    return ForwardingDevice::prepare(spec, counting);
  }

private:
  DeviceInfo description;
};

} // namespace

std::shared_ptr<Device> weir::makeCountingDevice(std::shared_ptr<Device> real) {
  return std::make_shared<CountingDevice>(std::move(real));
}
