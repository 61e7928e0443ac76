//===- CapCheck.cpp - Compares held memory with caps ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CapCheck.h"

#include "weir/Runtime/HeldMemory.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

using namespace weir;

bool weir::isMemoryCapped(const artifact::Model &model) {
  for (const artifact::Variant *variant : *model.variants())
    for (const artifact::Device *device : *variant->devices())
      if (device->memory_cap() != 0)
        return true;
  return false;
}

/// "allow fewer threads, or compile it on this machine with
/// --memory-cap=cpu:0=512".
static std::string suggestRepair(std::span<const DeviceStats> devices,
                                 size_t numFrames, int threads) {
  const bool hasWorkspace = std::ranges::any_of(
      devices, [](const DeviceStats &each) { return each.workspaceBytes > 0; });
  std::string text;
  if (numFrames > 1)
    text = "allow fewer runs in flight, ";
  if (hasWorkspace)
    text += "allow fewer threads, ";
  text += text.empty() ? "compile" : "or compile";
  text += " it on this machine with";
  // The compiler counts what it compiles for.
  if (numFrames > 1)
    text += fmt::format(" --in-flight={}", numFrames);
  if (threads > 0)
    text += fmt::format(" --threads={}", threads);
  for (const DeviceStats &device : devices)
    if (device.memoryCap)
      text += fmt::format(" --memory-cap={}={}", device.info.name,
                          std::max(device.heldBytes(), device.memoryCap));
  return text;
}

Status weir::checkMemoryCaps(std::span<const DeviceStats> devices,
                             size_t numFrames, int threads) {
  std::string text;
  for (const DeviceStats &device : devices)
    if (device.memoryCap && device.heldBytes() > device.memoryCap)
      text += fmt::format(
          "{}: the model holds {} bytes on this machine ({}), but was compiled "
          "with a memory cap of {} bytes; ",
          device.info.name, device.heldBytes(), describeHeld(device),
          device.memoryCap);
  if (text.empty())
    return Status::ok();
  return resourceExhausted(text + suggestRepair(devices, numFrames, threads));
}
