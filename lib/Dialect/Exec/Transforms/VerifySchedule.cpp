//===- VerifySchedule.cpp - Proves the absence of races and hangs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::CommandId;
using analysis::Finding;
using analysis::FindingKind;

namespace weir::exec {
#define GEN_PASS_DEF_EXECVERIFYSCHEDULE
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
struct VerifySchedule : exec::impl::ExecVerifyScheduleBase<VerifySchedule> {
  void runOnOperation() override;
};
} // namespace

/// "'conv1' on cpu:0", followed by the queue if it is not the first.
static std::string describe(EntrySchedule &entry, CommandId id) {
  ProgramOp program = entry.programs[id.queue];
  StringRef name = getCommandName(entry.getOp(id));
  std::string text = name.empty() ? fmt::format("command {}", id.index)
                                  : fmt::format("'{}'", name.str());
  text += fmt::format(" on {}", program.getDevice().str());
  if (program.getQueue() != computeQueue)
    text += fmt::format(" queue {}", program.getQueue());
  return text;
}

static std::string describeBuffer(EntrySchedule &entry, uint32_t buffer) {
  StringRef name = getName(entry.buffers[buffer]->getLoc());
  return name.empty() ? fmt::format("buffer {}", buffer)
                      : fmt::format("'{}'", name.str());
}

static void reportHazard(EntrySchedule &entry, const Finding &finding) {
  auto [first, second] = std::pair(finding.first, finding.second);
  InFlightDiagnostic error = entry.getOp(second)->emitError();
  error << analysis::toString(finding.kind)
        << " without an order: " << describe(entry, first) << " and "
        << describe(entry, second) << " touch bytes " << finding.begin << " to "
        << finding.end << " of " << describeBuffer(entry, finding.secondBuffer);
  if (finding.firstBuffer != finding.secondBuffer)
    error << ", which shares them with "
          << describeBuffer(entry, finding.firstBuffer);
  error << "; an event must order them";
  error.attachNote(entry.getOp(first)->getLoc()) << "the first of the two";
}

static void report(EntrySchedule &entry, const Finding &finding) {
  std::string second = describe(entry, finding.second);
  auto emit = [&] { return entry.getOp(finding.second)->emitError(second); };
  switch (finding.kind) {
  case FindingKind::ReadAfterWrite:
  case FindingKind::WriteAfterRead:
  case FindingKind::WriteAfterWrite:
    return reportHazard(entry, finding);
  case FindingKind::NeverRecorded:
    emit() << " waits for event " << finding.event << ", which nothing records";
    return;
  case FindingKind::RecordedTwice:
    emit() << " records event " << finding.event << " a second time, after "
           << describe(entry, finding.first);
    return;
  case FindingKind::Deadlock:
    emit() << " waits for event " << finding.event << ", whose record, "
           << describe(entry, finding.first) << ", waits for it in turn";
    return;
  case FindingKind::Malformed:
    emit() << " names a buffer or event that does not exist";
    return;
  }
}

void VerifySchedule::runOnOperation() {
  EntrySchedule entry(getOperation());
  std::vector<Finding> findings = analysis::verifySchedule(entry.schedule);
  for (const Finding &finding : findings)
    report(entry, finding);
  if (!findings.empty())
    signalPassFailure();
}
