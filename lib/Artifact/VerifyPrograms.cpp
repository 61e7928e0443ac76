//===- VerifyPrograms.cpp - Checks that programs are well-formed ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Format.h"

#include <set>
#include <unordered_map>

using namespace weir;
using namespace weir::artifact;

namespace {
class ProgramVerifier {
public:
  ProgramVerifier(const Entry &entry, const Variant &variant,
                  const EntryFacts &facts, VisitBudget &budget)
      : entry(entry), variant(variant), facts(facts), budget(budget) {}

  Status verify();

private:
  enum class Access { Read, Write };

  Status verifyQueue(const Program &program);
  Status verifyCommands(const Program &program);
  Status verifyCommand(const Command &command, const Program &program);
  Status verifyLaunch(const Command &command, const Program &program);
  Status verifyCopy(const Command &command);
  Status verifyEvent(const Command &command);
  Status verifyNumViews(const Command &command, uint32_t expected);
  Status verifyReachable(uint32_t buffer, uint32_t device);
  Status verifyAccess(uint32_t view, uint64_t bytes, Access access);
  Status verifyOutputsWritten() const;
  Status verifyTermination();
  void advance(uint32_t program);
  std::string locate(const Command &command, uint32_t index) const;

  const Buffer &bufferOf(uint32_t view) const {
    return *entry.buffers()->Get(entry.views()->Get(view)->buffer());
  }

  const Entry &entry;
  const Variant &variant;
  const EntryFacts &facts;
  VisitBudget &budget;
  std::set<std::pair<uint32_t, uint32_t>> queues;
  std::vector<bool> isRecorded;
  /// For each output, whether a command writes to it.
  std::vector<bool> isWritten;
  /// The state of the trial run: the next command of each program, the programs
  /// that can continue, and the waiting ones by event.
  std::vector<uint32_t> next;
  std::vector<uint32_t> ready;
  std::unordered_multimap<uint32_t, uint32_t> waiting;
};
} // namespace

Status ProgramVerifier::verify() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.programs()));
  uint64_t numCommands = 0;
  for (uint32_t i = 0; i < sizeOf(entry.programs()); ++i) {
    const Program &program = *entry.programs()->Get(i);
    WEIR_RETURN_IF_ERROR(budget.visit(program.commands()));
    numCommands += sizeOf(program.commands());
    WEIR_RETURN_IF_ERROR(
        verifyQueue(program).withContext(fmt::format("program {}", i)));
  }
  if (entry.num_events() > numCommands)
    return violation("it has {} events and only {} commands",
                     entry.num_events(), numCommands);
  isRecorded.assign(entry.num_events(), false);
  isWritten.assign(sizeOf(entry.outputs()), false);
  // An output without elements needs no writes. A copy of it has 0 bytes, like
  // a copy that passes a value on in place.
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i)
    if (const Buffer &buffer = *entry.buffers()->Get(i);
        buffer.kind() == BufferKind::Output && buffer.bytes() == 0)
      isWritten[buffer.index()] = true;
  for (uint32_t i = 0; i < sizeOf(entry.programs()); ++i)
    WEIR_RETURN_IF_ERROR(verifyCommands(*entry.programs()->Get(i))
                             .withContext(fmt::format("program {}", i)));
  WEIR_RETURN_IF_ERROR(verifyOutputsWritten());
  return verifyTermination();
}

/// An output that no command writes would keep the old contents of the caller's
/// buffer. Whether all bytes of an output are written is not checked here.
Status ProgramVerifier::verifyOutputsWritten() const {
  for (uint32_t i = 0; i < isWritten.size(); ++i)
    if (!isWritten[i])
      return violation("no command writes output {} ({})", i,
                       quoted(entry.outputs()->Get(i)->name()));
  return Status::ok();
}

Status ProgramVerifier::verifyQueue(const Program &program) {
  if (program.device() >= sizeOf(variant.devices()))
    return violation("it is on device {}; the variant has {}", program.device(),
                     sizeOf(variant.devices()));
  if (program.queue() >= maxQueues)
    return violation("it is on queue {}; a device has {}", program.queue(),
                     maxQueues);
  if (!queues.insert({program.device(), program.queue()}).second)
    return violation("device {} has a second program for queue {}",
                     program.device(), program.queue());
  return Status::ok();
}

std::string ProgramVerifier::locate(const Command &command,
                                    uint32_t index) const {
  if (command.name() >= sizeOf(entry.names()))
    return fmt::format("command {}", index);
  return fmt::format("command {} ({})", index,
                     quoted(entry.names()->Get(command.name())));
}

Status ProgramVerifier::verifyCommands(const Program &program) {
  for (uint32_t i = 0; i < sizeOf(program.commands()); ++i) {
    const Command &command = *program.commands()->Get(i);
    Status status = verifyCommand(command, program);
    if (!status.isOk())
      return std::move(status).withContext(locate(command, i));
  }
  return Status::ok();
}

Status ProgramVerifier::verifyCommand(const Command &command,
                                      const Program &program) {
  if (command.name() >= sizeOf(entry.names()))
    return violation("its name is {}; the entry has {} names", command.name(),
                     sizeOf(entry.names()));
  bool isCopy = command.opcode() == Opcode::Copy;
  uint8_t allowed = isCopy ? static_cast<uint8_t>(CommandFlags::Crossing) : 0;
  if (command.flags() & ~allowed)
    return violation("its flags {:#x} are not those of its opcode",
                     command.flags());
  if (command.first_view() > sizeOf(entry.views()) ||
      command.num_views() > sizeOf(entry.views()) - command.first_view())
    return violation("its {} views from {} exceed the {} of the entry",
                     command.num_views(), command.first_view(),
                     sizeOf(entry.views()));
  WEIR_RETURN_IF_ERROR(budget.useViews(command.num_views()));
  switch (command.opcode()) {
  case Opcode::Launch:
    return verifyLaunch(command, program);
  case Opcode::Copy:
    return verifyCopy(command);
  case Opcode::Record:
  case Opcode::Wait:
    return verifyEvent(command);
  case Opcode::Fill:
    WEIR_RETURN_IF_ERROR(verifyNumViews(command, 1));
    WEIR_RETURN_IF_ERROR(verifyReachable(
        entry.views()->Get(command.first_view())->buffer(), program.device()));
    return verifyAccess(command.first_view(), command.bytes(), Access::Write);
  }
  return violation("its opcode {} is unknown",
                   static_cast<int>(command.opcode()));
}

Status ProgramVerifier::verifyNumViews(const Command &command,
                                       uint32_t expected) {
  if (command.num_views() == expected)
    return Status::ok();
  return violation("it has {} views; expected {}", command.num_views(),
                   expected);
}

/// Checks that a device accesses only its own buffers, or those of another
/// device if both share the host's memory.
Status ProgramVerifier::verifyReachable(uint32_t buffer, uint32_t device) {
  uint32_t owner = entry.buffers()->Get(buffer)->device();
  if (owner == device || (!variant.devices()->Get(owner)->isolated() &&
                          !variant.devices()->Get(device)->isolated()))
    return Status::ok();
  return violation("device {} cannot reach buffer {} of device {}: one of them "
                   "has its own memory",
                   device, buffer, owner);
}

Status ProgramVerifier::verifyAccess(uint32_t view, uint64_t bytes,
                                     Access access) {
  const Buffer &buffer = bufferOf(view);
  uint64_t offset = entry.views()->Get(view)->byte_offset();
  if (bytes > buffer.bytes() - offset)
    return violation("it needs {} bytes at byte {} of buffer {}, which has {}",
                     bytes, offset, entry.views()->Get(view)->buffer(),
                     buffer.bytes());
  if (access == Access::Write && (buffer.kind() == BufferKind::Input ||
                                  buffer.kind() == BufferKind::Parameter))
    return violation("it writes to buffer {}, which is read-only",
                     entry.views()->Get(view)->buffer());
  if (access == Access::Write && buffer.kind() == BufferKind::Output)
    isWritten[buffer.index()] = true;
  return Status::ok();
}

Status ProgramVerifier::verifyLaunch(const Command &command,
                                     const Program &program) {
  // A kernel runs on the threads of the compute queue, and launches share
  // kernels, so only one queue may launch.
  if (program.queue() != 0)
    return violation("it launches a kernel on queue {}; only queue 0 computes",
                     program.queue());
  if (command.index() >= facts.kernels.size())
    return violation("it launches kernel {}; the entry has {}", command.index(),
                     facts.kernels.size());
  const EntryFacts::KernelFacts &kernel = facts.kernels[command.index()];
  WEIR_RETURN_IF_ERROR(
      verifyNumViews(command, static_cast<uint32_t>(kernel.spanBytes.size())));
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    uint32_t view = command.first_view() + i;
    const View &where = *entry.views()->Get(view);
    WEIR_RETURN_IF_ERROR(verifyReachable(where.buffer(), program.device()));
    if (where.byte_offset() % kernel.elementBytes[i] != 0)
      return violation("view {} at byte {} is not aligned to its elements",
                       view, where.byte_offset());
    Access access = i < kernel.numOperands ? Access::Read : Access::Write;
    WEIR_RETURN_IF_ERROR(verifyAccess(view, kernel.spanBytes[i], access));
  }
  return Status::ok();
}

Status ProgramVerifier::verifyCopy(const Command &command) {
  WEIR_RETURN_IF_ERROR(verifyNumViews(command, 2));
  uint32_t from = command.first_view(), to = from + 1;
  WEIR_RETURN_IF_ERROR(verifyAccess(from, command.bytes(), Access::Read));
  // Devices that share memory pass a value on in place, so nothing is written.
  if (command.bytes() == 0)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(verifyAccess(to, command.bytes(), Access::Write));
  bool crosses = command.flags() & static_cast<uint8_t>(CommandFlags::Crossing);
  if (crosses && bufferOf(from).device() == bufferOf(to).device())
    return violation("it is marked as a crossing, but both its buffers are on "
                     "device {}",
                     bufferOf(from).device());
  return Status::ok();
}

Status ProgramVerifier::verifyEvent(const Command &command) {
  WEIR_RETURN_IF_ERROR(verifyNumViews(command, 0));
  if (command.index() >= entry.num_events())
    return violation("it uses event {}; the entry has {}", command.index(),
                     entry.num_events());
  if (command.opcode() == Opcode::Wait)
    return Status::ok();
  if (isRecorded[command.index()])
    return violation("it records event {} a second time", command.index());
  isRecorded[command.index()] = true;
  return Status::ok();
}

/// Advances `program` to its end or to a wait for an event that is not recorded
/// yet, and then adds it to `waiting`. Programs that waited for events which it
/// records are added to `ready`.
void ProgramVerifier::advance(uint32_t program) {
  const auto *commands = entry.programs()->Get(program)->commands();
  for (uint32_t &i = next[program]; i < sizeOf(commands); ++i) {
    const Command &command = *commands->Get(i);
    if (command.opcode() == Opcode::Wait && !isRecorded[command.index()]) {
      waiting.emplace(command.index(), program);
      return;
    }
    if (command.opcode() != Opcode::Record)
      continue;
    isRecorded[command.index()] = true;
    auto [first, last] = waiting.equal_range(command.index());
    for (auto it = first; it != last; ++it)
      ready.push_back(it->second);
    waiting.erase(first, last);
  }
}

/// Checks that every program reaches its end. A trial run on one thread is
/// enough, because the order of programs does not affect which events can be
/// recorded.
Status ProgramVerifier::verifyTermination() {
  isRecorded.assign(entry.num_events(), false);
  next.assign(sizeOf(entry.programs()), 0);
  for (uint32_t i = 0; i < next.size(); ++i)
    ready.push_back(i);
  while (!ready.empty()) {
    uint32_t program = ready.back();
    ready.pop_back();
    advance(program);
  }
  for (uint32_t i = 0; i < next.size(); ++i) {
    const auto *commands = entry.programs()->Get(i)->commands();
    if (next[i] == sizeOf(commands))
      continue;
    const Command &command = *commands->Get(next[i]);
    return violation("program {}: {}: it waits for event {} for ever: the "
                     "event is never recorded, or only after this wait",
                     i, locate(command, next[i]), command.index());
  }
  return Status::ok();
}

Status weir::artifact::verifyPrograms(const Entry &entry,
                                      const Variant &variant,
                                      const EntryFacts &facts,
                                      VisitBudget &budget) {
  return ProgramVerifier(entry, variant, facts, budget).verify();
}
