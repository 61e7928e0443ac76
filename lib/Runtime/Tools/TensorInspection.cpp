//===- TensorInspection.cpp - Looks at the tensors of a run ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TensorInspection.h"

#include "StoredTensors.h"
#include "weir/Support/Npy.h"
#include "weir/Support/Printable.h"
#include "weir/Support/ToolMain.h"

#include <fmt/format.h>

using namespace weir;

/// Whether --dump-tensors writes `tensor`.
static bool isDumped(const PlanTensor &tensor) {
  return tensor.place == PlanTensor::Place::Visible && !tensor.isAlias;
}

std::string TensorInspection::dumpPath(const PlanTensor &tensor) const {
  return fmt::format("{}/{}.npy", dumpFolder, fileStem(tensor.name));
}

Status TensorInspection::begin(const RunTarget &from) {
  target = &from;
  looking = isWanted();
  return compares ? comparer.open(from) : Status::ok();
}

void TensorInspection::noteFiles(FileUses &uses) const {
  for (const std::string &path : comparer.files())
    uses.reads("a tensor of --compare-with", path);
  if (dumpFolder.empty())
    return;
  for (const PlanTensor &tensor : target->tensors())
    if (isDumped(tensor))
      uses.replaces(
          fmt::format("tensor '{}' of --dump-tensors", printable(tensor.name)),
          dumpPath(tensor), "rename one of them in the model");
}

Status TensorInspection::dump(const PlanTensor &tensor,
                              const void *data) const {
  WEIR_ASSIGN_OR_RETURN(const HostTensor values,
                        gatherTensor(tensor.desc, data));
  return writeNpy(dumpPath(tensor), values.desc(), values.bytes());
}

Status TensorInspection::observe(size_t index, const void *data) {
  if (!looking)
    return Status::ok();
  const PlanTensor &tensor = target->tensors()[index];
  Status status;
  if (!dumpFolder.empty() && isDumped(tensor))
    status = dump(tensor, data);
  if (status.isOk() && compares)
    status = comparer.compare(index, data);
  return status.isOk() ? std::move(status)
                       : std::move(status).withContext(fmt::format(
                             "tensor '{}'", printable(tensor.name)));
}

Status TensorInspection::end(std::span<const HostTensor> inputs,
                             std::span<const HostTensor> outputs) {
  looking = false;
  return compares ? comparer.comparePorts(*target, inputs, outputs)
                  : Status::ok();
}

Status TensorInspection::report() const {
  if (!compares)
    return Status::ok();
  printReport(comparer.report());
  return comparer.status();
}
