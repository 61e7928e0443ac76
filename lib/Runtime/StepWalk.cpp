//===- StepWalk.cpp - What all queues do alike with steps -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/StepWalk.h"

#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/ElementWalk.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

/// Adds to each slot that moves its stride, `count` times.
static void moveSlots(const RepeatStep &repeat, void **slots, int64_t count) {
  for (const RepeatStep::Move &move : repeat.moves)
    slots[move.slot] =
        reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(slots[move.slot]) +
                                 static_cast<uintptr_t>(move.stride * count));
}

size_t weir::nextTrip(const RepeatStep &repeat, void **slots, size_t at) {
  const uint64_t done = reinterpret_cast<uintptr_t>(slots[repeat.counter]) + 1;
  const bool isLast = done == repeat.trips;
  slots[repeat.counter] = reinterpret_cast<void *>(isLast ? 0 : done);
  moveSlots(repeat, slots, isLast ? -static_cast<int64_t>(done - 1) : 1);
  return isLast ? at : repeat.firstStep - 1;
}

std::string_view weir::stepCategory(const Step &step) {
  switch (step.kind) {
  case StepKind::Launch:
    return "launch";
  case StepKind::Copy:
    return step.crossing ? "crossing" : "copy";
  case StepKind::Fill:
    return "fill";
  case StepKind::Record:
    return "record";
  case StepKind::Wait:
    return "wait";
  case StepKind::Repeat:
    return "repeat";
  }
  return {};
}

std::string weir::describeStep(const CommandList &list, size_t at,
                               std::string_view device) {
  const Step &step = list.steps[at];
  const StepInfo &info = list.infos[at];
  if (step.kind == StepKind::Launch)
    return describeLaunch(info, device);
  if (step.kind == StepKind::Copy || step.kind == StepKind::Fill)
    return fmt::format("op '{}' on {}: {} of {} bytes", printable(info.op),
                       device, step.kind == StepKind::Copy ? "copy" : "fill",
                       step.bytes);
  return fmt::format("op '{}' on {}: {}", printable(info.op), device,
                     stepCategory(step));
}

size_t weir::firstTensorFrom(const CommandList &list, size_t at) {
  const auto first =
      std::ranges::lower_bound(list.tensors, at, {}, &StepTensor::step);
  return static_cast<size_t>(first - list.tensors.begin());
}

static Status show(const Submission &submission, const StepTensor &tensor,
                   const TensorToHost &toHost) {
  const void *data = submission.slots[tensor.slot];
  if (toHost) {
    WEIR_ASSIGN_OR_RETURN(data, toHost(tensor));
  }
  return submission.list->observer->observe(tensor.tensor, data);
}

void weir::showTensors(const Submission &submission, size_t at, size_t &shown,
                       const TensorToHost &toHost) {
  const CommandList &list = *submission.list;
  RunControl &run = *submission.run;
  for (; shown < list.tensors.size() && list.tensors[shown].step == at;
       ++shown) {
    if (run.isCancelled())
      continue;
    const RunControl::Observation call(run);
    Status status = guarded("the observer of tensors", [&] {
      return show(submission, list.tensors[shown], toHost);
    });
    if (!status.isOk())
      run.fail(std::move(status));
  }
}

static Status checkResult(const TensorDesc &desc, const void *data,
                          size_t number) {
  if (!isFloat(desc.type))
    return Status::ok();
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    const double value = loadFloat(desc.type, data, walk.offset());
    if (!std::isfinite(value))
      return internalError(fmt::format("result {} holds {} at [{}]", number,
                                       std::isnan(value) ? "nan" : "inf",
                                       fmt::join(walk.index(), ", ")));
  }
  return Status::ok();
}

Status weir::checkResults(const KernelSpec &spec, void *const *buffers) {
  for (size_t i = 0; i < spec.results.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        checkResult(spec.results[i], buffers[spec.operands.size() + i], i));
  return Status::ok();
}
