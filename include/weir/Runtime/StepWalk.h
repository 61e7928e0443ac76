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

/// Ends a trip of a loop whose end is step `at`. Returns the number of the step
/// before the next one to carry out. Slots hold addresses or numbers.
size_t nextTrip(const RepeatStep &repeat, void **slots, size_t at);

/// The category of a step in traces: a literal.
std::string_view stepCategory(const Step &step);

/// The context of an error in step `at`: its op, the device and its action.
std::string describeStep(const CommandList &list, size_t at,
                         std::string_view device);

/// The number of the first tensor that step `at` or a later one completes.
size_t firstTensorFrom(const CommandList &list, size_t at);

/// Returns the address of a tensor of a run in the host's memory, for the
/// observer.
using TensorToHost = std::function<StatusOr<const void *>(const StepTensor &)>;

/// Passes the tensors that step `at` has completed to the observer. `shown` is
/// the number of tensors that were passed before, and grows by the number of
/// these. Without `toHost`, slots hold addresses in the host's memory.
void showTensors(const Submission &submission, size_t at, size_t &shown,
                 const TensorToHost &toHost = {});

/// Returns an error that names the first result with a NaN or infinity, if
/// there is one. `buffers` are the operands and then the results of a launch.
/// The results are in the host's memory.
Status checkResults(const KernelSpec &spec, void *const *buffers);

} // namespace weir

#endif // WEIR_RUNTIME_STEPWALK_H
