//===- Plan.h - An entry with everything resolved ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PLAN_H
#define WEIR_LIB_RUNTIME_LOADING_PLAN_H

#include "weir/Runtime/DeviceQueue.h"
#include "weir/Runtime/Tensor.h"
#include "weir/Runtime/TensorObserver.h"
#include "weir/Support/QueueRole.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// A slot that gets the address of an input or output in each run.
struct PortPatch {
  uint32_t slot;
  uint32_t port;
  uint64_t offset;
};

/// A slot with an address in memory that each run in flight has of its own.
struct FramePatch {
  uint32_t slot;
  /// The index in `ModelMemory::frameArenas`.
  size_t arena;
  uint64_t offset;
};

/// A step that writes to a variable.
struct VariableWrite {
  size_t step;
  uint32_t variable;
};

/// The use of a class of variables by a plan; see `VariableTable`.
struct ClassUse {
  size_t variableClass;
  bool writes;
};

/// One program, flattened into steps.
struct PlanProgram {
  size_t device = 0;
  QueueRole role = QueueRole::Compute;
  DeviceQueue *queue = nullptr;
  std::vector<Step> steps;
  std::vector<StepInfo> infos;
  std::vector<StepTensor> tensors;
  /// The loops of the program. Steps point to them.
  std::deque<RepeatStep> repeats;
  /// The steps that write variables, in their order.
  std::vector<VariableWrite> variableWrites;
  CommandList list;
};

/// The data that all runs of an entry, in one of its shapes, share. They do not
/// change once they are loaded, except for the counters in the events.
/// Addresses inside are stable.
struct Plan {
  /// The position of the plan among the plans of the model.
  size_t index = 0;
  /// The name of the entry. Its plans for different shapes have the same name.
  std::string name;
  std::vector<PlanProgram> programs;
  std::unique_ptr<Event[]> events;
  size_t numEvents = 0;
  /// The largest value of an event in a run.
  uint32_t largestValue = 0;
  /// The contents of slots before a run. Slots that the patches name are null.
  std::vector<void *> slots;
  std::vector<PortPatch> inputPatches;
  std::vector<PortPatch> outputPatches;
  std::vector<FramePatch> framePatches;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /// The variables that the plan reads, in order. If the plan reads a bucket,
  /// it reads all variables of the bucket.
  std::vector<uint32_t> readVariables;
  /// The classes of variables that the plan uses.
  std::vector<ClassUse> classes;
  /// The number of groups on each device of the model.
  std::vector<uint64_t> groupsOfDevices;
  /// The tensors of the model; empty without an observer.
  std::vector<PlanTensor> tensors;

  bool hasLoops() const {
    for (const PlanProgram &program : programs)
      if (!program.repeats.empty())
        return true;
    return false;
  }
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PLAN_H
