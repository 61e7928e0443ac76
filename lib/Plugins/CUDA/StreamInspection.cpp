//===- StreamInspection.cpp - Looks at each step of a stream -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StreamInspection.h"

#include "weir/Runtime/StepWalk.h"
#include "weir/Support/Trace.h"

#include <algorithm>

using namespace weir;

Status StreamInspection::begin(const CommandList &list) {
  beginNs = monotonicNs();
  if (!list.trace)
    return Status::ok();
  return events.begin(stream);
}

Status StreamInspection::trace(const CommandList &list, size_t at,
                               bool isOnStream) {
  const Step &step = list.steps[at];
  const uint64_t endNs = monotonicNs();
  // The time of the host includes the way to the GPU and back, which is no work
  // of the GPU.
  uint64_t busyNs = endNs - beginNs;
  if (isOnStream) {
    WEIR_ASSIGN_OR_RETURN(const uint64_t measured, events.elapsedNs());
    busyNs = std::min(busyNs, measured);
  }
  const bool moves = step.kind == StepKind::Copy || step.kind == StepKind::Fill;
  list.trace->record({list.infos[at].op, stepCategory(step), endNs - busyNs,
                      endNs, moves ? step.bytes : 0, list.infos[at].detail});
  return Status::ok();
}

Status StreamInspection::end(const Submission &submission, size_t at,
                             bool isOnStream, size_t &shown) {
  const CommandList &list = *submission.list;
  if (list.trace && isOnStream)
    WEIR_RETURN_IF_ERROR(events.end(stream));
  WEIR_ASSIGN_OR_RETURN(const bool isDone,
                        context->awaitUnlessCancelled(*submission.run, stream));
  if (!isDone)
    return Status::ok();
  if (list.trace)
    WEIR_RETURN_IF_ERROR(trace(list, at, isOnStream));
  if (list.checkNumerics && list.steps[at].kind == StepKind::Launch)
    WEIR_RETURN_IF_ERROR(checkNumerics(submission, at));
  if (!list.observer)
    return Status::ok();
  std::vector<std::byte> bytes;
  showTensors(submission, at, shown, [&](const StepTensor &tensor) {
    return fetch(*submission.run, submission.slots[tensor.slot], tensor.bytes,
                 bytes);
  });
  return Status::ok();
}

StatusOr<const void *> StreamInspection::fetch(const RunControl &run,
                                               const void *from, size_t bytes,
                                               std::vector<std::byte> &to) {
  to.resize(std::max<size_t>(bytes, 1));
  if (bytes == 0)
    return static_cast<const void *>(to.data());
  WEIR_RETURN_IF_ERROR(context->check(
      context->api.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to.data()),
                                 reinterpret_cast<CUdeviceptr>(from), bytes,
                                 stream),
      "cuMemcpyAsync"));
  RunWait wait{&run};
  Status status = context->await(wait, stream);
  if (status.isOk())
    return static_cast<const void *>(to.data());
  // The copy may be under way.
  context->drain(wait, stream);
  return status;
}

Status StreamInspection::checkNumerics(const Submission &submission,
                                       size_t at) {
  const CommandList &list = *submission.list;
  const KernelSpec &spec = *list.infos[at].spec;
  void *const *slots = submission.slots + list.steps[at].slot;
  const size_t numOperands = spec.operands.size();
  std::vector<std::vector<std::byte>> results(spec.results.size());
  std::vector<void *> buffers(slots, slots + numOperands);
  for (size_t i = 0; i < results.size(); ++i) {
    WEIR_RETURN_IF_ERROR(fetch(*submission.run, slots[numOperands + i],
                               spec.results[i].spanBytes(), results[i])
                             .status());
    buffers.push_back(results[i].data());
  }
  return checkResults(spec, buffers.data());
}
