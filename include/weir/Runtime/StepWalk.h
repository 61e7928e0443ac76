//===- StepWalk.h - What all queues do alike with steps ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// For those who implement a DeviceQueue.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STEPWALK_H
#define WEIR_RUNTIME_STEPWALK_H

#include "weir/Runtime/DeviceQueue.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weir {

/// The value of a record or wait in this trip, relative to the run's base.
inline int64_t eventValue(const Step &step, void *const *slots) {
  if (!step.moves)
    return step.value;
  return step.value +
         static_cast<int64_t>(reinterpret_cast<uintptr_t>(slots[step.slot]));
}

/// Ends a trip of a loop, whose end is step `at`. Returns the step before the
/// next one. Slots hold addresses or numbers.
size_t nextTrip(const RepeatStep &repeat, void **slots, size_t at);

/// The category of a step in traces: a literal.
std::string_view stepCategory(const Step &step);

/// The context of an error in step `at`: its op and the device, and what it
/// does.
std::string describeStep(const CommandList &list, size_t at,
                         std::string_view device);

/// The number of the first tensor that step `at` or a later one completes.
size_t firstTensorFrom(const CommandList &list, size_t at);

/// Gives a tensor of a run to the observer, which gets the address of its bytes
/// in the host's memory from this function.
using TensorToHost = std::function<StatusOr<const void *>(const StepTensor &)>;

/// Passes the tensors that step `at` has completed to the observer, and adds
/// their number to `shown`: that of the tensors that were passed before.
/// Without `toHost`, slots hold addresses in the host's memory.
void showTensors(const Submission &submission, size_t at, size_t &shown,
                 const TensorToHost &toHost = {});

/// If a result has a NaN or infinity, an error that names the first one.
/// `buffers` are those of a launch, operands, then results. The results are in
/// the host's memory.
Status checkResults(const KernelSpec &spec, void *const *buffers);

} // namespace weir

#endif // WEIR_RUNTIME_STEPWALK_H
