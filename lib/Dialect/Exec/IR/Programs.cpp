//===- Programs.cpp - Programs, repeats and events --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "weir/Artifact/Format.h"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

SmallVector<int64_t> exec::getTrips(Operation *op) {
  SmallVector<int64_t> trips;
  for (auto repeat = dyn_cast_or_null<RepeatOp>(op->getParentOp()); repeat;
       repeat = dyn_cast_or_null<RepeatOp>(repeat->getParentOp()))
    trips.push_back(static_cast<int64_t>(repeat.getTrips()));
  std::reverse(trips.begin(), trips.end());
  return trips;
}

std::optional<StepRange> exec::rangeOverTrips(ArrayRef<int64_t> step,
                                              ArrayRef<int64_t> trips) {
  constexpr auto most = static_cast<int64_t>(artifact::maxBytes);
  StepRange range;
  for (auto [each, count] : llvm::zip(step, trips)) {
    int64_t last;
    if (llvm::MulOverflow(each, count - 1, last) || last > most || last < -most)
      return std::nullopt;
    (last < 0 ? range.least : range.most) += last;
  }
  return range;
}

LogicalResult exec::verifyStep(Operation *op, ArrayRef<int64_t> step,
                               StepRange &range) {
  if (step.empty())
    return success();
  SmallVector<int64_t> trips = getTrips(op);
  if (step.size() != trips.size())
    return op->emitOpError("has ")
           << step.size() << " steps; expected one for each of the "
           << trips.size() << " repeats around it";
  std::optional<StepRange> found = rangeOverTrips(step, trips);
  if (!found)
    return op->emitOpError("has steps [")
           << step << "] that move it by more than " << artifact::maxBytes;
  range = *found;
  return success();
}

/// Checks that a launch or fill on `device` accesses only the space of the
/// device.
static LogicalResult verifySpace(EntryOp entry, StringRef device,
                                 Operation *op) {
  StringRef space = entry.getSpace(device);
  for (Value buffer : op->getOperands()) {
    StringRef other = entry.getSpace(getStorage(buffer).getDevice());
    if (other == space)
      continue;
    auto nameOf = [](StringRef space) {
      return (space.empty() ? "the host" : space).str();
    };
    InFlightDiagnostic error = op->emitOpError("on ")
                               << device << " accesses the memory of "
                               << nameOf(other) << ", but reaches that of "
                               << nameOf(space) << " only; copy the bytes";
    error.attachNote(buffer.getLoc()) << "the buffer";
    return error;
  }
  return success();
}

/// Checks that a command accesses no arena that belongs to another queue.
static LogicalResult verifyArenas(ProgramOp program, Operation *op) {
  ValueRange accessed = op->getOperands();
  // A copy of 0 bytes does not access its target.
  if (auto copy = dyn_cast<CopyOp>(op); copy && copy.getBytes() == 0)
    accessed = accessed.take_front();
  for (Value buffer : accessed) {
    auto scratch = dyn_cast<ScratchOp>(getStorage(buffer).getOperation());
    if (!scratch || !scratch.getQueue() ||
        (*scratch.getQueue() == program.getQueue() &&
         scratch.getDevice() == program.getDevice()))
      continue;
    InFlightDiagnostic error =
        op->emitOpError("of queue ")
        << toString(program.getQueue()) << " of " << program.getDevice()
        << " accesses the arena of queue " << toString(*scratch.getQueue())
        << " of " << scratch.getDevice()
        << ", whose bytes all runs share; leave out the queue of the buffer, "
           "or run -exec-plan-memory";
    error.attachNote(scratch.getLoc()) << "the buffer";
    return error;
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  auto entry = cast<EntryOp>((*this)->getParentOp());
  const bool hasSpaces = entry.getDevices().hasIsolated();
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    if (!isa<LaunchOp, CopyOp, FillOp, RecordOp, WaitOp, RepeatOp, TensorOp>(
            op))
      return op->emitOpError("is not a command of a program");
    if (isa<LaunchOp, FillOp>(op) && hasSpaces &&
        failed(verifySpace(entry, getDevice(), op)))
      return WalkResult::interrupt();
    return isa<TensorOp>(op) ? success() : verifyArenas(*this, op);
  });
  return failure(result.wasInterrupted());
}

LogicalResult RepeatOp::verify() {
  auto trips = static_cast<int64_t>(getTrips());
  if (trips < 1 || trips > static_cast<int64_t>(artifact::maxExecutedCommands))
    return emitOpError("makes ") << trips << " trips; expected 1 to "
                                 << artifact::maxExecutedCommands;
  if (exec::getTrips(*this).size() >= artifact::maxRepeatDepth)
    return emitOpError("is inside of ")
           << artifact::maxRepeatDepth
           << " repeats; no more may surround a command";
  return success();
}

LogicalResult RepeatOp::verifyRegions() {
  if (getBlock().empty())
    return emitOpError("repeats nothing; expected a command");
  return success();
}

/// Checks the values of an event over all trips.
static LogicalResult verifyEvent(Operation *op, int64_t value,
                                 ArrayRef<int64_t> step, bool isRecord) {
  StepRange range;
  if (failed(verifyStep(op, step, range)))
    return failure();
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t low, high;
  if (llvm::AddOverflow(value, range.least, low) ||
      llvm::AddOverflow(value, range.most, high) || low < -most || high > most)
    return op->emitOpError("has values beyond ") << most;
  if (isRecord && low < 1)
    return op->emitOpError("records value ") << low << "; expected at least 1";
  return success();
}

LogicalResult RecordOp::verify() {
  return verifyEvent(*this, static_cast<int64_t>(getValue()), getStep(),
                     /*isRecord=*/true);
}

LogicalResult WaitOp::verify() {
  return verifyEvent(*this, static_cast<int64_t>(getValue()), getStep(),
                     /*isRecord=*/false);
}
