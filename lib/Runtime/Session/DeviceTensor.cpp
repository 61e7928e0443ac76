//===- DeviceTensor.cpp - A tensor in the memory of a device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DeviceTensor.h"

#include "../ForkedChild.h"
#include "PortCheck.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/HostView.h"

#include <cstring>

using namespace weir;

std::string_view MemorySpace::deviceName() const {
  return owner ? std::string_view(owner->info().name) : std::string_view();
}

size_t MemorySpace::alignment() const {
  return owner ? owner->bufferAlignment() : 1;
}

DeviceTensor::DeviceTensor(std::shared_ptr<Device> device,
                           std::unique_ptr<DeviceMemory> memory,
                           TensorDesc description)
    : device(std::move(device)), memory(std::move(memory)),
      description(std::move(description)) {}

DeviceTensor::DeviceTensor(DeviceTensor &&other) noexcept = default;

DeviceTensor &DeviceTensor::operator=(DeviceTensor &&other) noexcept {
  leaveInForkedChild();
  // The old memory must be freed before its device.
  memory = std::move(other.memory);
  device = std::move(other.device);
  description = std::move(other.description);
  return *this;
}

DeviceTensor::~DeviceTensor() { leaveInForkedChild(); }

void DeviceTensor::leaveInForkedChild() noexcept {
  if (device && isForkedChild()) [[maybe_unused]]
    DeviceMemory *const left = memory.release();
}

MemorySpace DeviceTensor::space() const {
  return device ? MemorySpace(*device) : MemorySpace();
}

ConstTensorView DeviceTensor::asInput() const {
  if (!memory)
    return {};
  return {description.type, description.dims, memory->data(), memory->size(),
          space()};
}

TensorView DeviceTensor::asOutput() {
  if (!memory)
    return {};
  return {description.type, description.dims, memory->data(), memory->size(),
          space()};
}

Status DeviceTensor::copyFromHost(const ConstTensorView &from) {
  return guarded("copyFromHost", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkHostSide(asInput(), from));
    const size_t bytes = description.spanBytes();
    if (device)
      WEIR_RETURN_IF_ERROR(checkNotForked());
    if (device)
      return device->copyFromHost(memory->data(), from.data, bytes);
    if (bytes)
      std::memcpy(memory->data(), from.data, bytes);
    return Status::ok();
  });
}

Status DeviceTensor::copyFromHost(const HostTensor &from) {
  return copyFromHost(view(from));
}

Status DeviceTensor::copyToHost(const TensorView &to) const {
  return guarded("copyToHost", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(checkHostSide(asInput(), to));
    const size_t bytes = description.spanBytes();
    if (device)
      WEIR_RETURN_IF_ERROR(checkNotForked());
    if (device)
      return device->copyToHost(to.data, memory->data(), bytes);
    if (bytes)
      std::memcpy(to.data, memory->data(), bytes);
    return Status::ok();
  });
}

StatusOr<HostTensor> DeviceTensor::copyToHost() const {
  return guarded("copyToHost", [&]() -> StatusOr<HostTensor> {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor copy, HostTensor::zeros(description.type, description.dims));
    WEIR_RETURN_IF_ERROR(copyToHost(view(copy)));
    return copy;
  });
}
