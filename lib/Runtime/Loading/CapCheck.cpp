//===- CapCheck.cpp - Compares held memory with caps ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CapCheck.h"

#include "weir/Runtime/HeldMemory.h"
#include "weir/Support/Counted.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

using namespace weir;

bool weir::isMemoryCapped(const artifact::Model &model) {
  for (const artifact::Variant *variant : *model.variants())
    for (const artifact::Device *device : *variant->devices())
      if (device->memory_cap() != 0)
        return true;
  return false;
}

/// What the user can do: "allow fewer threads, or compile it on this machine
/// for 8 threads with a memory cap of 512 bytes for cpu:0".
static std::string suggestRepair(std::span<const DeviceHeld> devices,
                                 size_t numFrames, int threads) {
  const bool hasWorkspace = std::ranges::any_of(
      devices, [](const DeviceHeld &each) { return each.workspaceBytes > 0; });
  std::string text;
  if (numFrames > 1)
    text = "allow fewer runs in flight, ";
  if (hasWorkspace)
    text += "allow fewer threads, ";
  text += text.empty() ? "compile" : "or compile";
  text += " it on this machine";
  // The compiler must be told for how many runs and threads it counts memory.
  std::vector<std::string> needs, caps;
  if (numFrames > 1)
    needs.push_back(counted(numFrames, "run") + " in flight");
  if (threads > 0)
    needs.push_back(counted(static_cast<size_t>(threads), "thread"));
  for (const DeviceHeld &device : devices)
    if (device.memoryCap)
      caps.push_back(fmt::format("{} bytes for {}",
                                 std::max(device.heldBytes(), device.memoryCap),
                                 device.info.name));
  if (!needs.empty())
    text += fmt::format(" for {}", fmt::join(needs, " and "));
  return text + fmt::format(" with a memory cap of {}", fmt::join(caps, ", "));
}

Status weir::checkMemoryCaps(std::span<const DeviceHeld> devices,
                             size_t numFrames, int threads) {
  std::string text;
  for (const DeviceHeld &device : devices)
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
