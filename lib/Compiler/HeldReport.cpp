//===- HeldReport.cpp - Reports what sessions hold ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "HeldReport.h"

#include <fmt/format.h>

using namespace weir;

std::string weir::explainHeld(const CompileReport &report) {
  std::string text;
  for (const DeviceReport &device : report.devices)
    if (device.held)
      text += fmt::format("{}: holds {}{} bytes: {}\n", device.device,
                          device.held->isExact ? "" : "about ",
                          device.held->bytes, device.held->parts);
  return text;
}

void weir::addHeld(const DeviceReport &device, llvm::json::Object &json) {
  if (!device.held)
    return;
  json["held_bytes"] = device.held->bytes;
  json["held_exact"] = device.held->isExact;
  json["workspace_bytes"] = device.held->workspaceBytes;
  json["packed_bytes"] = device.held->packedBytes;
  json["in_place_bytes"] = device.held->inPlaceBytes;
  json["parameter_bytes"] = device.held->parameterBytes;
}

llvm::json::Array weir::explainHeldJson(const CompileReport &report) {
  llvm::json::Array devices;
  for (const DeviceReport &device : report.devices)
    if (device.held) {
      llvm::json::Object json{{"name", device.device}};
      addHeld(device, json);
      devices.push_back(std::move(json));
    }
  return devices;
}
