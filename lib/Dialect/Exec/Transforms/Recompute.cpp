//===- Recompute.cpp - Computes values twice to save memory -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/Recompute.h"

#include "RepeatableLaunches.h"
#include "weir/Analysis/MemoryPlan.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Support/Counted.h"
#include "weir/Support/OptionText.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/DebugLog.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#define DEBUG_TYPE "exec-recompute"

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::RecomputeProblem;
using analysis::Repetition;

namespace weir::exec {
#define GEN_PASS_DEF_EXECRECOMPUTE
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
/// Repetitions, and the size of the arena with them.
struct Fit {
  analysis::RecomputePlan plan;
  uint64_t bytes = 0;
};

/// Repeats launches of an entry.
class Repeater {
public:
  Repeater(EntryOp entry, ArenaLaunches &launches);
  void apply(ArrayRef<Repetition> repetitions);

private:
  void repeat(const Repetition &repetition);
  /// Replaces each of `operands` that has a current copy by the copy.
  void redirect(MutableArrayRef<OpOperand> operands);
  Value addCopy(ScratchOp scratch);

  OpBuilder declarations, builder;
  ArenaLaunches &launches;
  /// The current copy of each buffer that has one.
  llvm::DenseMap<Value, Value> current;
};

struct Recompute : exec::impl::ExecRecomputeBase<Recompute> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// How much is repeated
//===----------------------------------------------------------------------===//

static uint64_t countBytes(const RecomputeProblem &problem,
                           ArrayRef<Repetition> repetitions) {
  auto plan = analysis::planMemory(analysis::livesWith(problem, repetitions));
  return plan ? plan->peakBytes : UINT64_MAX;
}

/// The cheapest repetitions with which the arena takes at most `mostBytes`. If
/// none are found, the arena of the result takes more. Gaps between buffers
/// make an arena larger than the live bytes, so the limit on live bytes may
/// have to be below `mostBytes`.
static Fit fit(const RecomputeProblem &problem, uint64_t mostBytes) {
  constexpr int numTries = 4;
  Fit found;
  uint64_t liveBytes = mostBytes;
  for (int i = 0; i < numTries; ++i) {
    found.plan = analysis::planRecomputation(problem, liveBytes);
    found.bytes = countBytes(problem, found.plan.repetitions);
    LDBG() << found.plan.repetitions.size() << " repetitions for " << liveBytes
           << " live bytes: " << found.bytes << " bytes";
    if (found.bytes <= mostBytes || found.bytes - mostBytes >= liveBytes)
      break;
    liveBytes -= found.bytes - mostBytes;
  }
  return found;
}

/// The least limit between `low` and `high` that was found to be met, and the
/// repetitions that meet it. The limit `low` itself cannot be met.
static std::pair<uint64_t, Fit> fitLeast(const RecomputeProblem &problem,
                                         uint64_t low, uint64_t high) {
  constexpr int numTries = 8;
  std::pair<uint64_t, Fit> best = {high, {{}, high}};
  for (int i = 0; i < numTries && low < best.first; ++i) {
    const uint64_t middle = low + (best.first - low) / 2;
    Fit found = fit(problem, middle);
    if (found.bytes <= middle)
      best = {middle, std::move(found)};
    else
      low = middle;
  }
  return best;
}

/// The repetitions with which the arena is smallest, among those that take at
/// most `mostSeconds`. The arena takes `bytes` without repetitions.
static Fit fitCheaply(const RecomputeProblem &problem, uint64_t bytes,
                      double mostSeconds) {
  // More tries would make the arena less than a hundredth smaller.
  constexpr int numTries = 8;
  uint64_t low = 0, high = bytes;
  Fit best{{}, bytes};
  for (int i = 0; i < numTries; ++i) {
    const uint64_t middle = low + (high - low) / 2;
    Fit found{analysis::planRecomputation(problem, middle)};
    LDBG() << found.plan.repetitions.size() << " repetitions for " << middle
           << " live bytes take " << found.plan.seconds << " s of "
           << mostSeconds;
    if (found.plan.seconds > mostSeconds) {
      low = middle;
      continue;
    }
    high = middle;
    // Because of gaps, fewer live bytes may need a larger arena.
    found.bytes = countBytes(problem, found.plan.repetitions);
    if (found.bytes < best.bytes)
      best = std::move(found);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

/// The location of a repetition of the launch at `loc`.
static Location nameAgain(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  if (!named)
    return loc;
  auto *context = loc.getContext();
  return NameLoc::get(
      StringAttr::get(context, named.getName().getValue() + ".again"),
      named.getChildLoc());
}

Repeater::Repeater(EntryOp entry, ArenaLaunches &launches)
    : declarations(entry.getContext()), builder(entry.getContext()),
      launches(launches) {
  // Copies are declared behind all other buffers, so that the other buffers
  // keep their order.
  declarations.setInsertionPoint(*entry.getBlock().getOps<ProgramOp>().begin());
}

Value Repeater::addCopy(ScratchOp scratch) {
  return ScratchOp::create(declarations, nameAgain(scratch.getLoc()),
                           scratch.getBytes(), scratch.getDevice(),
                           scratch.getQueueAttr(), /*offset=*/IntegerAttr());
}

void Repeater::redirect(MutableArrayRef<OpOperand> operands) {
  for (OpOperand &operand : operands)
    if (Value copy = current.lookup(operand.get()))
      operand.set(copy);
}

void Repeater::repeat(const Repetition &repetition) {
  auto launch = cast<LaunchOp>(launches.commands[repetition.step]);
  builder.setInsertionPoint(launches.commands[repetition.before]);
  auto again = cast<LaunchOp>(builder.clone(*launch));
  again->setLoc(nameAgain(launch.getLoc()));
  again.setName((launch.getName() + ".again").str());
  if (!launch->hasAttr(againAttr))
    again->setAttr(againAttr, launch.getNameAttr());
  again.removeInsideAttr();
  auto [reads, numReads] = again.getODSOperandIndexAndLength(0);
  redirect(again->getOpOperands().slice(reads, numReads));
  llvm::DenseMap<Value, Value> copies;
  for (uint32_t number : launches.problem.steps[repetition.step].writes)
    copies[launches.buffers[number].getBuffer()] =
        addCopy(launches.buffers[number]);
  auto [writes, numWrites] = again.getODSOperandIndexAndLength(1);
  for (OpOperand &operand : again->getOpOperands().slice(writes, numWrites))
    operand.set(copies.at(operand.get()));
  for (uint32_t number : repetition.replaced) {
    Value buffer = launches.buffers[number].getBuffer();
    current[buffer] = copies.at(buffer);
  }
}

void Repeater::apply(ArrayRef<Repetition> repetitions) {
  for (auto [step, command] : llvm::enumerate(launches.commands)) {
    while (!repetitions.empty() && repetitions.front().before == step) {
      repeat(repetitions.front());
      repetitions = repetitions.drop_front();
    }
    redirect(command->getOpOperands());
  }
}

//===----------------------------------------------------------------------===//
// Arenas
//===----------------------------------------------------------------------===//

ArenaKey weir::exec::findComputeArena(EntryOp entry, StringAttr device) {
  // exec-plan-memory assigns buffers to arenas in the same way.
  if (entry.getInFlight() > 1)
    return {device, QueueRole::Compute};
  return {device, std::nullopt};
}

/// Whether commands of `entry` are in repeats. Such commands access other bytes
/// in each trip, so no launch of the entry is repeated.
static bool hasRepeats(EntryOp entry) {
  return entry.walk([](RepeatOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static Recomputation describe(const Fit &found, const ArenaLaunches &launches) {
  Recomputation result;
  result.bytes = found.bytes;
  result.seconds = found.plan.seconds;
  for (const analysis::RecomputeStep &step : launches.problem.steps)
    result.secondsBefore += step.seconds;
  for (const Repetition &repetition : found.plan.repetitions)
    result.launches.push_back(
        cast<LaunchOp>(launches.commands[repetition.step]).getName().str());
  return result;
}

namespace {
/// Repeats launches of an entry, one device after the other. The schedule of
/// the entry is made only once, because repetitions on one device do not affect
/// the other devices. Repetitions are in the program of their own device, and
/// write copies of its buffers. They read scratch of other devices only up to
/// the last use by that program.
class Repetitions {
public:
  static FailureOr<std::unique_ptr<Repetitions>> create(EntryOp entry);

  /// Repeats the launches that `choose` finds for the problem of `device`,
  /// whose arena takes `bytes` so far.
  Recomputation repeatChosen(
      StringAttr device,
      llvm::function_ref<Fit(const RecomputeProblem &, uint64_t bytes)> choose);

private:
  Repetitions(EntryOp entry, EntrySchedule schedule, ArenaTable arenas);

  EntryOp entry;
  EntrySchedule schedule;
  ArenaTable arenas;
  CommandTimes times;
  std::vector<BufferUsage> usages;
  /// The numbers of the programs of the compute queues.
  llvm::DenseMap<StringAttr, uint32_t> queues;
};
} // namespace

Repetitions::Repetitions(EntryOp entry, EntrySchedule found, ArenaTable table)
    : entry(entry), schedule(std::move(found)), arenas(std::move(table)),
      times(entry), usages(findUsages(schedule)) {
  for (auto [number, queue] : llvm::enumerate(schedule.queues)) {
    ProgramOp op = queue.program;
    if (op.getQueue() == QueueRole::Compute)
      queues[op.getDeviceAttr()] = static_cast<uint32_t>(number);
  }
}

FailureOr<std::unique_ptr<Repetitions>> Repetitions::create(EntryOp entry) {
  FailureOr<EntrySchedule> schedule = EntrySchedule::create(entry);
  if (failed(schedule))
    return failure();
  FailureOr<ArenaTable> arenas = findArenas(*schedule);
  if (failed(arenas))
    return failure();
  return std::unique_ptr<Repetitions>(
      new Repetitions(entry, *std::move(schedule), *std::move(arenas)));
}

Recomputation Repetitions::repeatChosen(
    StringAttr device,
    llvm::function_ref<Fit(const RecomputeProblem &, uint64_t bytes)> choose) {
  auto arena = arenas.find(findComputeArena(entry, device));
  auto queue = queues.find(device);
  if (arena == arenas.end() || queue == queues.end())
    return Recomputation();
  ArenaLaunches launches(schedule, usages, arena->second, queue->second, times);
  const uint64_t bytesBefore = countBytes(launches.problem, {});
  const Fit found = choose(launches.problem, bytesBefore);
  Repeater(entry, launches).apply(found.plan.repetitions);
  Recomputation result = ::describe(found, launches);
  result.bytesBefore = bytesBefore;
  return result;
}

FailureOr<Recomputation> weir::exec::recompute(EntryOp entry, StringAttr device,
                                               uint64_t mostBytes) {
  if (hasRepeats(entry))
    return Recomputation();
  FailureOr<std::unique_ptr<Repetitions>> repetitions =
      Repetitions::create(entry);
  if (failed(repetitions))
    return failure();
  uint64_t met = 0;
  Recomputation done =
      (*repetitions)
          ->repeatChosen(
              device,
              [&](const RecomputeProblem &problem, uint64_t bytes) -> Fit {
                met = mostBytes;
                if (bytes <= mostBytes)
                  return {{}, bytes};
                Fit found = fit(problem, mostBytes);
                if (found.bytes > mostBytes)
                  std::tie(met, found) = fitLeast(problem, mostBytes, bytes);
                return found;
              });
  done.mostBytes = met;
  return done;
}

LogicalResult weir::exec::recomputeCheaply(EntryOp entry, double mostShare,
                                           uint64_t above) {
  if (hasRepeats(entry))
    return success();
  FailureOr<std::unique_ptr<Repetitions>> repetitions =
      Repetitions::create(entry);
  if (failed(repetitions))
    return failure();
  auto choose = [&](const RecomputeProblem &problem, uint64_t bytes) -> Fit {
    if (bytes <= above)
      return {{}, bytes};
    double seconds = 0;
    for (const analysis::RecomputeStep &step : problem.steps)
      seconds += step.seconds;
    return fitCheaply(problem, bytes, mostShare * seconds);
  };
  for (auto device : entry.getDevices().getNames().getAsRange<StringAttr>())
    (void)(*repetitions)->repeatChosen(device, choose);
  return success();
}

/// The names in `launches` that differ, at most three of them, as text: "'a',
/// 'b', 'c', ...".
static std::string listNames(ArrayRef<std::string> launches) {
  constexpr size_t numShown = 3;
  SmallVector<std::string> names;
  for (const std::string &launch : launches)
    if (std::string name = "'" + launch + "'"; !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  const bool areMore = names.size() > numShown;
  names.resize(std::min(names.size(), numShown));
  return fmt::format("{}{}", fmt::join(names, ", "), areMore ? ", ..." : "");
}

std::string Recomputation::describe(StringRef device) const {
  return fmt::format("the scratch of {} takes {} bytes instead of {}, because "
                     "{} again: {}; that adds {:.1f} % to the predicted time",
                     device.str(), bytes, bytesBefore,
                     launches.size() == 1
                         ? "1 launch runs"
                         : fmt::format("{} launches run", launches.size()),
                     listNames(launches),
                     secondsBefore > 0 ? 100 * seconds / secondsBefore : 0);
}

std::vector<std::string> weir::exec::describeRepetitions(EntryOp entry) {
  std::vector<std::string> texts;
  for (auto program : entry.getBlock().getOps<ProgramOp>()) {
    std::vector<std::string> launches;
    for (auto launch : program.getBlock().getOps<LaunchOp>())
      if (auto name = launch->getAttrOfType<StringAttr>(againAttr))
        launches.push_back(name.str());
    if (!launches.empty())
      texts.push_back(fmt::format("{} on {} to hold less scratch: {} again",
                                  counted(launches.size(), "repetition"),
                                  program.getDevice().str(),
                                  listNames(launches)));
  }
  return texts;
}

/// Whether a run of `entry` changes variables, as a training step does.
static bool updatesVariables(EntryOp entry) {
  return llvm::any_of(
      entry.getBlock().getOps<VersionOp>(), [](VersionOp version) {
        return version.getSource().getDefiningOp<VariableOp>() != nullptr;
      });
}

void Recompute::runOnOperation() {
  EntryOp entry = getOperation();
  if (share > 0 && updatesVariables(entry) &&
      failed(recomputeCheaply(entry, share, shareAbove)))
    return signalPassFailure();
  for (const std::string &text : limits) {
    StatusOr<MemoryCap> limit = parseMemoryCap(text);
    if (!limit.isOk()) {
      entry.emitError(StringRef(limit.status().message()));
      return signalPassFailure();
    }
    auto device = StringAttr::get(&getContext(), limit->device.toString());
    FailureOr<Recomputation> done = recompute(entry, device, limit->bytes);
    if (failed(done))
      return signalPassFailure();
    if (!done->launches.empty())
      entry.emitRemark(done->describe(device.getValue()));
  }
}
