//===- VerifySchedule.cpp - Proves the absence of races and hangs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The text "'conv1' on cpu:0". The role of the queue follows unless it is the
/// compute queue.
static std::string describe(EntrySchedule &entry, CommandId id) {
  ProgramOp program = entry.queues[id.queue].program;
  StringRef name = getCommandName(entry.getOp(id));
  std::string text = name.empty() ? fmt::format("command {}", id.index)
                                  : fmt::format("'{}'", name.str());
  text += fmt::format(" on {}", program.getDevice().str());
  if (program.getQueue() != QueueRole::Compute)
    text += fmt::format(" queue {}", toString(program.getQueue()));
  if (ArrayRef<int64_t> trips = entry.getTrips(id); !trips.empty())
    text += fmt::format(" in trip {}", fmt::join(trips, "."));
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

static std::string describeBytes(EntrySchedule &entry, const Finding &finding,
                                 uint32_t buffer) {
  return fmt::format("bytes {} to {} of {}", finding.begin, finding.end,
                     describeBuffer(entry, buffer));
}

/// Reports a defect in what a command reads or writes.
static void reportDataFlow(EntrySchedule &entry, const Finding &finding) {
  if (finding.kind == FindingKind::NotWritten) {
    entry.buffers[finding.secondBuffer]->emitError("nothing writes ")
        << describeBytes(entry, finding, finding.secondBuffer)
        << ", an output; a command must write all of it";
    return;
  }
  Operation *first = entry.getOp(finding.first);
  Operation *second = entry.getOp(finding.second);
  std::string bytes = describeBytes(entry, finding, finding.secondBuffer);
  InFlightDiagnostic error = second->emitError()
                             << describe(entry, finding.second);
  switch (finding.kind) {
  case FindingKind::Overlap:
    error << " writes " << bytes << ", which it also accesses as "
          << describeBuffer(entry, finding.firstBuffer)
          << "; a launch must say which operand it overwrites, at the same "
             "place";
    return;
  case FindingKind::TooManyParts:
    error << " accesses " << bytes
          << ", and the commands up to here access bytes that were written in "
             "too many parts to be checked; write them in larger parts, or "
             "repeat less often";
    return;
  case FindingKind::NeverWritten:
    error << " reads " << bytes
          << ", which nothing has written; write them first, or read less";
    return;
  case FindingKind::Clobbered:
    error << " reads " << bytes << ", in which "
          << describe(entry, finding.first) << " has put "
          << describeBuffer(entry, finding.firstBuffer)
          << "; let the read come first, or move one of the two buffers";
    break;
  case FindingKind::Outdated:
    error << " accesses " << bytes << ", but " << describe(entry, finding.first)
          << " has already written later contents there; let it come first, or "
             "access the exec.version that was written";
    break;
  case FindingKind::MixedTrips:
    error << " reads " << bytes << ", of which several trips have written a "
          << "part, at last " << describe(entry, finding.first)
          << "; let one trip write all of them, or read behind the repeat";
    break;
  default:
    error << " writes " << bytes << ", but " << describe(entry, finding.first)
          << " has already read these contents; let the write come first, or "
             "read the contents before it";
    break;
  }
  error.attachNote(first->getLoc()) << "the earlier of the two";
}

static std::string describeEvent(const Finding &finding) {
  return finding.value == 1 ? fmt::format("event {}", finding.event)
                            : fmt::format("value {} of event {}", finding.value,
                                          finding.event);
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
    emit() << " waits for " << describeEvent(finding)
           << ", which nothing records; record it, or remove the wait";
    return;
  case FindingKind::RecordedTwice:
    emit() << " records " << describeEvent(finding)
           << (entry.schedule.queues[finding.first.queue][finding.first.index]
                           .value == finding.value
                   ? " a second time, after "
                   : ", which must grow in one program, after ")
           << describe(entry, finding.first)
           << "; remove it, record a larger value in that program, or record "
              "another event";
    return;
  case FindingKind::Deadlock:
    emit() << " waits for " << describeEvent(finding) << ", whose record, "
           << describe(entry, finding.first)
           << ", waits for it in turn; move one of the records in front of the "
              "wait in its program";
    return;
  case FindingKind::Malformed:
    emit() << " names a buffer or event that does not exist; declare it";
    return;
  default:
    return reportDataFlow(entry, finding);
  }
}

void VerifySchedule::runOnOperation() {
  FailureOr<EntrySchedule> entry = EntrySchedule::create(getOperation());
  if (failed(entry))
    return signalPassFailure();
  std::vector<Finding> findings = analysis::verifySchedule(entry->schedule);
  for (const Finding &finding : findings)
    report(*entry, finding);
  if (!findings.empty())
    signalPassFailure();
}
