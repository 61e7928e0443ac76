//===- DeviceNotes.cpp - Remarks for the user about devices -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceNotes.h"

#include "weir/Artifact/Format.h"
#include "weir/Support/Counted.h"

#include "weir/Runtime/LaunchText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>

using namespace weir;

/// Adds a note for the user if launches on `program`'s device run scalar code.
static void noteScalarCode(const PlanProgram &program, DeviceHeld &held) {
  size_t numLaunches = 0, numScalar = 0, first = 0;
  for (size_t i = program.steps.size(); i-- > 0;) {
    if (program.steps[i].kind != StepKind::Launch)
      continue;
    ++numLaunches;
    if (program.steps[i].kernel->runsScalarCode()) {
      ++numScalar;
      first = i;
    }
  }
  if (numScalar == 0)
    return;
  held.info.addNote(
      {"scalar-code",
       fmt::format("{} of {} launches run slow scalar code of the library, "
                   "first {} as {}",
                   numScalar, numLaunches,
                   describeLaunch(program.infos[first], held.info.name),
                   program.steps[first].kernel->implementation())});
}

namespace {
/// The devices that launch kernels, the devices that do anything, and the
/// devices that have an input or output in their memory.
struct Work {
  std::vector<bool> launches, any, ports;
};
} // namespace

static Work findWork(std::span<const std::unique_ptr<Plan>> plans,
                     std::span<const DeviceHeld> devices) {
  const std::vector<bool> none(devices.size());
  Work work{none, none, none};
  std::map<std::string_view, size_t> byName;
  for (size_t i = 0; i < devices.size(); ++i)
    byName.emplace(devices[i].info.name, i);
  for (const std::unique_ptr<Plan> &plan : plans) {
    for (const auto *ports : {&plan->inputs, &plan->outputs})
      for (const TensorInfo &port : *ports)
        if (const auto found = byName.find(port.space.deviceName());
            found != byName.end())
          work.ports[found->second] = true;
    for (const PlanProgram &program : plan->programs)
      for (const Step &step : program.steps) {
        work.any[program.device] = true;
        if (step.kind == StepKind::Launch)
          work.launches[program.device] = true;
      }
  }
  return work;
}

/// Adds a note about devices without ops. Such devices keep their share of the
/// cores, so that the number of threads of a device, and with it the bits of
/// results, does not depend on placement.
static void noteIdleThreads(size_t device, const Work &work,
                            std::span<const DeviceRequest> requests,
                            std::span<DeviceHeld> held) {
  DeviceInfo &info = held[device].info;
  if (requests[device].threads > 0 || info.threads == 0 ||
      work.launches[device])
    return;
  std::vector<std::string_view> busy;
  for (size_t i = 0; i < requests.size(); ++i)
    if (held[i].info.kind == info.kind && work.launches[i])
      busy.push_back(held[i].info.name);
  if (busy.empty())
    return;
  const std::string_view repair =
      work.any[device]
          ? "it is needed for copies, so give it one thread in a topology file"
      : work.ports[device]
          ? "an input or output lies in its memory, so give it one thread in a "
            "topology file"
          : "compile the model without it";
  info.addNote(
      {"idle-threads",
       fmt::format("runs no op, but keeps a share of the cores that {} could "
                   "use; {}",
                   fmt::join(busy, ", "), repair)});
}

void weir::noteDevices(std::span<const std::unique_ptr<Plan>> plans,
                       std::span<const DeviceRequest> requests,
                       std::span<DeviceHeld> held) {
  for (const std::unique_ptr<Plan> &plan : plans)
    for (const PlanProgram &program : plan->programs)
      noteScalarCode(program, held[program.device]);
  const Work work = findWork(plans, held);
  for (size_t i = 0; i < requests.size(); ++i)
    noteIdleThreads(i, work, requests, held);
}

void weir::noteTuning(std::span<const std::unique_ptr<Plan>> plans,
                      std::span<const size_t> asked,
                      std::span<DeviceHeld> held) {
  std::vector<bool> isTuned(held.size());
  for (const std::unique_ptr<Plan> &plan : plans)
    for (const PlanProgram &program : plan->programs)
      for (const Step &step : program.steps)
        if (step.kind == StepKind::Launch && !step.kernel->tuning().empty())
          isTuned[program.device] = true;
  for (const size_t device : asked)
    if (!isTuned[device])
      held[device].info.addNote(
          {"nothing-to-tune",
           "has nothing to tune: it chooses no kernel by timing"});
}

void weir::noteRunsInFlight(size_t asked, size_t compiled,
                            std::span<DeviceHeld> held) {
  if (asked <= compiled)
    return;
  for (DeviceHeld &device : held)
    device.info.addNote(
        {"runs-in-flight",
         fmt::format("has at most {} in flight, not {}, since the model was "
                     "compiled for that; compile it for {}",
                     counted(compiled, "run"), asked,
                     std::min<size_t>(asked, artifact::maxFrames))});
}

void weir::noteVariant(const std::string &lacking, std::span<DeviceHeld> held) {
  if (!lacking.empty())
    held[0].info.addNote(
        {"other-variant",
         fmt::format("runs in place of what the artifact has for other devices "
                     "({})",
                     lacking)});
}
