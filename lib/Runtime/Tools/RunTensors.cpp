//===- RunTensors.cpp - The tensors with which graph-run calls a model ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunTensors.h"

#include "../Session/PortTensors.h"
#include "RunTarget.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<RunInputs> RunInputs::of(const RunTarget &target,
                                  std::span<const HostTensor> tensors) {
  RunInputs inputs;
  inputs.arguments = inputViews(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo &info = target.inputs()[i];
    if (info.space.isHost())
      continue;
    WEIR_ASSIGN_OR_RETURN(DeviceTensor tensor, target.session().allocate(info));
    WEIR_RETURN_IF_ERROR(
        tensor.copyFromHost(tensors[i])
            .withContext(fmt::format("input '{}'", printable(info.name))));
    inputs.arguments[i] = tensor.asInput();
    inputs.onDevices.push_back(std::move(tensor));
  }
  return inputs;
}

StatusOr<RunOutputs> RunOutputs::of(const RunTarget &target,
                                    std::span<HostTensor> tensors) {
  RunOutputs outputs;
  outputs.arguments = outputViews(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo &info = target.outputs()[i];
    if (info.space.isHost())
      continue;
    WEIR_ASSIGN_OR_RETURN(DeviceTensor tensor, target.session().allocate(info));
    outputs.arguments[i] = tensor.asOutput();
    outputs.onDevices.push_back({std::move(tensor), &tensors[i]});
  }
  return outputs;
}

Status RunOutputs::fetch() {
  for (const OnDevice &output : onDevices)
    WEIR_RETURN_IF_ERROR(output.tensor.copyToHost(
        outputViews(std::span(output.target, 1)).front()));
  return Status::ok();
}
