//===- HeldMemory.cpp - Counts the memory that a model holds --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/HeldMemory.h"

#include "LoadedModel.h"
#include "weir/Runtime/Guarded.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<HeldMemory> weir::countHeldMemory(artifact::Artifact artifact,
                                           const SessionOptions &options) {
  return guarded("countHeldMemory", [&]() -> StatusOr<HeldMemory> {
    Status failure;
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> model,
                          countModel(std::move(artifact), options, failure));
    return HeldMemory{std::move(model->held), !model->chosen.isForeign,
                      std::move(failure)};
  });
}

std::string weir::describeHeld(const DeviceHeld &device) {
  std::string text;
  for (const auto &[bytes, what] :
       {std::pair(device.plannedBytes, "scratch"),
        {device.workspaceBytes, "workspace of kernels"},
        {device.packedBytes, "packed weights"},
        {device.inPlaceBytes, "unpacked parameters"},
        {device.parameterBytes, "variables and copies of parameters"}})
    if (bytes)
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", bytes, what);
  return text.empty() ? "nothing" : text;
}
