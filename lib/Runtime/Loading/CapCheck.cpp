//===- CapCheck.cpp - Compares held memory with caps ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CapCheck.h"

#include "weir/Runtime/HeldMemory.h"

#include <fmt/format.h>

using namespace weir;

bool weir::hasMemoryCap(const artifact::Model &model) {
  for (const artifact::Variant *variant : *model.variants())
    for (const artifact::Device *device : *variant->devices())
      if (device->memory_cap() != 0)
        return true;
  return false;
}

Status weir::checkMemoryCaps(std::span<const DeviceStats> devices) {
  for (const DeviceStats &device : devices)
    if (device.memoryCap && device.heldBytes() > device.memoryCap)
      return resourceExhausted(fmt::format(
          "{}: the model holds {} bytes on this machine ({}), but was compiled "
          "with a memory cap of {} bytes; allow fewer runs in flight or fewer "
          "threads, or compile it for this machine with a cap of {}",
          device.info.name, device.heldBytes(), describeHeld(device),
          device.memoryCap, device.heldBytes()));
  return Status::ok();
}
