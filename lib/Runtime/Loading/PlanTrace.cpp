//===- PlanTrace.cpp - Rows of a trace for the queues of plans ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PlanTrace.h"

#include "weir/Runtime/LaunchText.h"
#include "weir/Support/QueueRole.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <map>

using namespace weir;

using QueueKey = std::pair<size_t, QueueRole>;

static QueueKey keyOf(const PlanProgram &program) {
  return {program.device, program.role};
}

static void traceSteps(PlanProgram &program, Trace &trace) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    StepInfo &info = program.infos[i];
    // The trace outlives the artifact, which owns the names.
    info.op = trace.intern(info.op);
    if (program.steps[i].kind == StepKind::Launch)
      info.detail = trace.keep(
          {info.spec->name, program.steps[i].kernel->implementation(),
           describeShapes(*info.spec), countBytes(*info.spec), info.flops});
  }
}

void weir::tracePlans(std::span<const std::unique_ptr<Plan>> plans,
                      const ModelDevices &devices, Trace &trace) {
  constexpr size_t runsHeld = 16, fewest = 4096, many = size_t(1) << 18;
  std::map<QueueKey, size_t> mostSteps;
  for (const std::unique_ptr<Plan> &plan : plans)
    for (const PlanProgram &program : plan->programs) {
      size_t &most = mostSteps[keyOf(program)];
      most = std::max(most, program.steps.size());
    }
  std::map<QueueKey, TraceRing *> rows;
  for (const std::unique_ptr<Plan> &plan : plans)
    for (PlanProgram &program : plan->programs) {
      const size_t steps = mostSteps[keyOf(program)];
      TraceRing *&row = rows[keyOf(program)];
      // The row has room for at least one whole run.
      if (!row)
        row = &trace.addRow(
            devices[program.device].info().name,
            std::string(traceRowName(program.role)),
            std::clamp(steps * runsHeld, fewest, std::max(steps, many)));
      program.list.trace = row;
      traceSteps(program, trace);
    }
}
