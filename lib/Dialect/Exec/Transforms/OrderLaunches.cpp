//===- OrderLaunches.cpp - Chooses the order of each queue ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AccessList.h"
#include "CommandTimes.h"
#include "weir/Analysis/CommandOrder.h"
#include "weir/Analysis/Timeline.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Exec/Transforms/EntrySchedule.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "exec-order-launches"

using namespace mlir;
using namespace weir;
using namespace weir::exec;
using analysis::OrderedCommand;

namespace weir::exec {
#define GEN_PASS_DEF_EXECORDERLAUNCHES
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
struct OrderLaunches : exec::impl::ExecOrderLaunchesBase<OrderLaunches> {
  void runOnOperation() override;
};

/// The commands of an entry, and what each waits for.
class EntryCommands {
public:
  explicit EntryCommands(EntryOp entry);

  /// The order of all commands, or an error.
  StatusOr<std::vector<uint32_t>> choose() const;
  /// Moves the commands of each program into `order`.
  void apply(ArrayRef<uint32_t> order);

private:
  void addProgram(ProgramOp program, uint32_t queue);
  void addLaunch(LaunchOp launch);
  void addCopy(CopyOp copy);
  void addFill(FillOp fill);
  void noteBuffer(Value buffer);
  void addPlace(Value buffer);
  void addRead(Value buffer, const ByteSpan &span);
  void addWrite(Value buffer, const ByteSpan &span);
  void addDependencies();
  void addReads(const AccessList<uint32_t> &writes,
                const AccessList<uint32_t> &reads);
  void addVersion(VersionOp version);
  void addAll(ArrayRef<uint32_t> before, ArrayRef<uint32_t> after);

  EntryOp entry;
  CommandTimes times;
  struct CommandOps {
    Operation *op;
    /// The tensor ops that stand behind the command.
    SmallVector<TensorOp, 1> tensors;
  };
  /// The ops of each command. Points are the last of `commands` and have no
  /// ops.
  SmallVector<CommandOps> ops;
  std::vector<OrderedCommand> commands;
  /// The accesses to contents, by buffer, in the order of the text. An alias
  /// also has accesses of its own: the copies of 0 bytes that make its contents
  /// available, and the reads behind these copies.
  llvm::MapVector<Value, Accesses<uint32_t>> accesses;
  /// The devices that compute.
  llvm::StringSet<> devices;
  analysis::OrderedMemory memory;
  /// The numbers of devices and of scratch buffers in `memory`.
  llvm::StringMap<uint32_t> deviceNumbers;
  llvm::DenseMap<Value, uint32_t> bufferNumbers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// The buffer that `buffer` is an alias of, or `buffer` itself.
static Value getContents(Value buffer) {
  while (auto alias = buffer.getDefiningOp<AliasOp>())
    buffer = alias.getSource();
  return buffer;
}

static uint64_t getScratchBytes(Value buffer) {
  auto scratch = getContents(buffer).getDefiningOp<ScratchOp>();
  return scratch ? scratch.getBytes() : 0;
}

/// All bytes of a buffer.
static constexpr ByteSpan whole = {0, UINT64_MAX};

static ByteSpan spanOf(uint64_t offset, uint64_t bytes) {
  return {offset, offset + bytes};
}

EntryCommands::EntryCommands(EntryOp entry) : entry(entry), times(entry) {
  for (StringRef device :
       entry.getDevices().getNames().getAsValueRange<StringAttr>())
    deviceNumbers[device] = memory.numDevices++;
  for (auto [queue, program] :
       llvm::enumerate(entry.getBlock().getOps<ProgramOp>()))
    addProgram(program, static_cast<uint32_t>(queue));
  addDependencies();
}

void EntryCommands::addProgram(ProgramOp program, uint32_t queue) {
  if (program.getQueue() == QueueRole::Compute)
    devices.insert(program.getDevice());
  memory.deviceOfQueue.push_back(deviceNumbers.at(program.getDevice()));
  for (Operation &op : program.getBlock()) {
    if (auto tensor = dyn_cast<TensorOp>(op)) {
      if (!ops.empty())
        ops.back().tensors.push_back(tensor);
      continue;
    }
    ops.push_back({&op, {}});
    commands.emplace_back().queue = queue;
    if (auto launch = dyn_cast<LaunchOp>(op))
      addLaunch(launch);
    else if (auto copy = dyn_cast<CopyOp>(op))
      addCopy(copy);
    else if (auto fill = dyn_cast<FillOp>(op))
      addFill(fill);
    OrderedCommand &command = commands.back();
    command.nanoseconds = analysis::toNs(times.secondsOf(&op, program));
    command.comesEarly |= command.bytesRead != 0 && command.bytesWritten == 0;
  }
}

/// Makes the last command, which copies to a place in `buffer` or fills it, an
/// early one. But the last command must come after the first command that
/// writes to `buffer`, because that first command brings the buffer into use.
void EntryCommands::addPlace(Value buffer) {
  const AccessList<uint32_t> &writes = accesses[getContents(buffer)].writes;
  if (writes.commands.empty() || getScratchBytes(buffer) == 0)
    return;
  commands.back().after.push_back(writes.commands.front());
  commands.back().comesEarly = true;
}

void EntryCommands::addFill(FillOp fill) {
  addPlace(fill.getTo());
  addWrite(fill.getTo(), spanOf(fill.getToOffset(), fill.getBytes()));
}

void EntryCommands::addLaunch(LaunchOp launch) {
  for (unsigned i = 0; i < launch.getNumViews(); ++i) {
    const View view = launch.getView(i);
    const ByteSpan span = spanOf(static_cast<uint64_t>(view.byteOffset),
                                 describeView(view.type).spanBytes());
    if (i < launch.getReads().size())
      addRead(view.buffer, span);
    else
      addWrite(view.buffer, span);
  }
}

void EntryCommands::addCopy(CopyOp copy) {
  const uint64_t bytes = copy.getBytes();
  // A copy of 0 bytes passes on the whole buffer.
  addRead(copy.getFrom(), bytes ? spanOf(copy.getFromOffset(), bytes) : whole);
  if (bytes != 0) {
    addPlace(copy.getTo());
    addWrite(copy.getTo(), spanOf(copy.getToOffset(), bytes));
  } else {
    accesses[copy.getTo()].writes.add(
        static_cast<uint32_t>(commands.size() - 1), whole);
  }
  commands.back().isCrossing = copy.getCrossing();
}

/// Notes that the last command accesses the scratch in which `buffer` lies.
void EntryCommands::noteBuffer(Value buffer) {
  auto scratch = dyn_cast<ScratchOp>(getStorage(buffer).getOperation());
  if (!scratch)
    return;
  auto [known, isNew] = bufferNumbers.try_emplace(
      scratch, static_cast<uint32_t>(memory.buffers.size()));
  if (isNew)
    memory.buffers.push_back(
        {scratch.getBytes(), deviceNumbers.at(scratch.getDevice())});
  commands.back().buffers.push_back(known->second);
}

/// Notes that the last command reads bytes of `buffer`.
void EntryCommands::addRead(Value buffer, const ByteSpan &span) {
  auto command = static_cast<uint32_t>(commands.size() - 1);
  accesses[getContents(buffer)].reads.add(command, span);
  if (buffer.getDefiningOp<AliasOp>())
    accesses[buffer].reads.add(command, span);
  commands.back().bytesRead += getScratchBytes(buffer);
  noteBuffer(buffer);
}

/// Notes that the last command writes bytes of `buffer`.
void EntryCommands::addWrite(Value buffer, const ByteSpan &span) {
  auto command = static_cast<uint32_t>(commands.size() - 1);
  accesses[getContents(buffer)].writes.add(command, span);
  commands.back().bytesWritten += getScratchBytes(buffer);
  noteBuffer(buffer);
}

//===----------------------------------------------------------------------===//
// Dependencies
//===----------------------------------------------------------------------===//

/// Whether the two sorted lists have a command in common.
static bool haveCommon(ArrayRef<uint32_t> left, ArrayRef<uint32_t> right) {
  while (!left.empty() && !right.empty()) {
    if (left.front() == right.front())
      return true;
    auto &first = left.front() < right.front() ? left : right;
    first = first.drop_front();
  }
  return false;
}

/// Puts all of `before` before all of `after`. If both have many commands, a
/// point is added between them. A command never waits for itself.
void EntryCommands::addAll(ArrayRef<uint32_t> before,
                           ArrayRef<uint32_t> after) {
  const bool areMany = before.size() > 2 && after.size() > 2;
  if (areMany && !haveCommon(before, after)) {
    auto point = static_cast<uint32_t>(commands.size());
    commands.push_back({analysis::Task::noQueue,
                        std::vector<uint32_t>(before.begin(), before.end())});
    for (uint32_t command : after)
      commands[command].after.push_back(point);
    return;
  }
  for (uint32_t command : after)
    for (uint32_t other : before)
      if (other != command)
        commands[command].after.push_back(other);
}

/// Puts the writes of `version` behind all accesses to the contents before this
/// version.
void EntryCommands::addVersion(VersionOp version) {
  Accesses<uint32_t> before = std::move(accesses[version.getSource()]);
  Accesses<uint32_t> &now = accesses[version.getBuffer()];
  if (now.writes.commands.empty()) {
    // The version has no writes, so it has the contents of the version before.
    // The next version must come after the reads of both versions.
    addReads(before.writes, now.reads);
    now.writes = std::move(before.writes);
    before.reads.append(now.reads);
    now.reads = std::move(before.reads);
    return;
  }
  llvm::sort(before.reads.commands);
  addAll(before.reads.commands, now.writes.commands);
  addAll(before.writes.commands, now.writes.commands);
}

/// Puts each read behind the writes of its bytes.
void EntryCommands::addReads(const AccessList<uint32_t> &writes,
                             const AccessList<uint32_t> &reads) {
  orderReads(writes, reads,
             [&](ArrayRef<uint32_t> before, ArrayRef<uint32_t> after) {
               addAll(before, after);
             });
}

void EntryCommands::addDependencies() {
  for (auto &[buffer, access] : accesses)
    addReads(access.writes, access.reads);
  for (VersionOp version : entry.getBlock().getOps<VersionOp>())
    addVersion(version);
  for (OrderedCommand &command : commands)
    for (std::vector<uint32_t> *list : {&command.after, &command.buffers}) {
      llvm::sort(*list);
      list->erase(llvm::unique(*list), list->end());
    }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

StatusOr<std::vector<uint32_t>> EntryCommands::choose() const {
  return devices.size() > 1 ? analysis::orderByCrossings(commands, memory)
                            : analysis::orderByText(commands);
}

void EntryCommands::apply(ArrayRef<uint32_t> order) {
  int64_t numTensors = 0;
  for (uint32_t command : order) {
    auto &[op, tensors] = ops[command];
    LDBG() << "next: " << getCommandName(op);
    Block *block = op->getBlock();
    op->moveBefore(block, block->end());
    for (TensorOp tensor : tensors) {
      tensor->moveBefore(block, block->end());
      tensor.setNumber(numTensors++);
    }
  }
}

/// Whether `entry` has repeats. Events order the commands of repeats too, and
/// not only the contents of buffers.
static bool hasRepeats(EntryOp entry) {
  return llvm::any_of(entry.getBlock().getOps<ProgramOp>(),
                      [](ProgramOp program) {
                        auto repeats = program.getBlock().getOps<RepeatOp>();
                        return !repeats.empty();
                      });
}

void OrderLaunches::runOnOperation() {
  EntryOp entry = getOperation();
  if (hasRepeats(entry))
    return;
  dropEvents(entry);
  EntryCommands commands(entry);
  StatusOr<std::vector<uint32_t>> order = commands.choose();
  if (!order.isOk()) {
    entry.emitError("the commands have no order: ") << order.status().message();
    return signalPassFailure();
  }
  commands.apply(*order);
}
