//===- VerifyPrograms.cpp - Checks that programs are well-formed ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/QueueRole.h"

#include <fmt/ranges.h>
#include <set>

using namespace weir;
using namespace weir::artifact;

namespace {
class ProgramVerifier {
public:
  ProgramVerifier(const Entry &entry, const VariantFacts &facts,
                  VisitBudget &budget)
      : entry(entry), facts(facts), budget(budget) {}

  Status verify();

private:
  enum class Access { Read, Write };

  Status verifyQueue(const Program &program);
  Status verifyCommands(const Program &program);
  Status useViews(const Command &command);
  Status verifyCommand(const Program &program, uint32_t index);
  Status verifyLaunch(const Command &command, const Program &program);
  Status verifyCopy(const Command &command, const Program &program);
  Status verifyFill(const Command &command, const Program &program);
  Status verifyEvent(const Command &command);
  Status verifyNumViews(const Command &command, uint32_t expected);
  Status verifyExecutions();
  Status verifySpace(uint32_t view, const Program &program) const;
  Status verifyArena(uint32_t view, const Program &program) const;
  Status verifyAlignment(uint32_t view, uint64_t elementBytes) const;
  Status verifyPlace(uint32_t view, uint64_t bytes) const;
  Status verifyAccess(uint32_t view, uint64_t bytes, Access access,
                      const Program &program);
  Status verifyOutputsWritten() const;

  const Buffer &bufferOf(uint32_t view) const {
    return *entry.buffers()->Get(entry.views()->Get(view)->buffer());
  }

  const Entry &entry;
  const VariantFacts &facts;
  VisitBudget &budget;
  std::set<std::pair<uint32_t, artifact::QueueRole>> queues;
  /// The repeats around the current command.
  EnclosingRepeats repeats;
  /// For each output, whether a command writes to it.
  std::vector<bool> isWritten;
};
} // namespace

Status ProgramVerifier::verify() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.programs()));
  budget.holdSlots(sizeOf(entry.programs()) * slotsPerProgram);
  for (uint32_t i = 0; i < sizeOf(entry.programs()); ++i) {
    const Program &program = *entry.programs()->Get(i);
    WEIR_RETURN_IF_ERROR(budget.visit(program.commands()));
    WEIR_RETURN_IF_ERROR(budget.visit(program.predictions()));
    WEIR_RETURN_IF_ERROR(
        verifyQueue(program).withContext(fmt::format("program {}", i)));
  }
  isWritten.assign(sizeOf(entry.outputs()), false);
  // An output without elements counts as written. Its copy has 0 bytes. A copy
  // of 0 bytes does not count as a write, because it may pass a value on in
  // place.
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i)
    if (const Buffer &buffer = *entry.buffers()->Get(i);
        buffer.kind() == BufferKind::Output && buffer.bytes() == 0)
      isWritten[buffer.index()] = true;
  for (uint32_t i = 0; i < sizeOf(entry.programs()); ++i)
    WEIR_RETURN_IF_ERROR(verifyCommands(*entry.programs()->Get(i))
                             .withContext(fmt::format("program {}", i)));
  WEIR_RETURN_IF_ERROR(verifyOutputsWritten());
  return verifyTermination(entry);
}

/// Checks that a command writes to each output. Otherwise the output would keep
/// the old contents of the caller's buffer. The check does not find out whether
/// all bytes of an output are written.
Status ProgramVerifier::verifyOutputsWritten() const {
  for (uint32_t i = 0; i < isWritten.size(); ++i)
    if (!isWritten[i])
      return violation("no command writes output {} ({})", i,
                       quoted(entry.outputs()->Get(i)->name()));
  return Status::ok();
}

Status weir::artifact::verifyQueueRole(artifact::QueueRole role) {
  if (role <= artifact::QueueRole::MAX)
    return Status::ok();
  return violation("its queue has the unknown role {}; expected one of {}",
                   static_cast<uint32_t>(role),
                   fmt::join(queueRoleNames, ", "));
}

Status ProgramVerifier::verifyQueue(const Program &program) {
  if (program.device() >= sizeOf(facts.variant.devices()))
    return violation("it is on device {}; the variant has {}", program.device(),
                     sizeOf(facts.variant.devices()));
  WEIR_RETURN_IF_ERROR(verifyQueueRole(program.queue()));
  if (!queues.insert({program.device(), program.queue()}).second)
    return violation("device {} has a second program for queue {}",
                     program.device(), nameOf(program.queue()));
  if (const auto count = sizeOf(program.predictions());
      count != 0 && count != sizeOf(program.commands()))
    return violation("it has predictions for {} commands; there are {}", count,
                     sizeOf(program.commands()));
  return Status::ok();
}

std::string weir::artifact::locateCommand(const Entry &entry,
                                          const Command &command,
                                          uint32_t index) {
  if (command.name() >= sizeOf(entry.names()))
    return fmt::format("command {}", index);
  return fmt::format("command {} ({})", index,
                     quoted(entry.names()->Get(command.name())));
}

Status ProgramVerifier::verifyCommands(const Program &program) {
  repeats.clear();
  for (uint32_t i = 0; i < sizeOf(program.commands()); ++i) {
    leaveRepeats(repeats, i);
    Status status = verifyExecutions();
    if (status.isOk())
      status = verifyCommand(program, i);
    if (!status.isOk())
      return std::move(status).withContext(
          locateCommand(entry, *program.commands()->Get(i), i));
  }
  return Status::ok();
}

/// Limits how often commands are carried out.
Status ProgramVerifier::verifyExecutions() {
  uint64_t count = 1;
  for (const EnclosingRepeat &repeat : repeats)
    if (__builtin_mul_overflow(count, repeat.trips, &count))
      count = UINT64_MAX;
  return budget.executeCommands(count);
}

/// Counts the views of `command`. A view with strides takes additional memory
/// for each of the repeats.
Status ProgramVerifier::useViews(const Command &command) {
  WEIR_RETURN_IF_ERROR(budget.useViews(command.num_views()));
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    const uint32_t view = command.first_view() + i;
    WEIR_RETURN_IF_ERROR(budget.useName(
        nameOf(bufferOf(view), entry, facts.variant, facts.model)));
    if (!repeats.empty() && entry.views()->Get(view)->strides() != 0)
      WEIR_RETURN_IF_ERROR(budget.useViews(repeats.size()));
  }
  return Status::ok();
}

Status ProgramVerifier::verifyCommand(const Program &program, uint32_t index) {
  const Command &command = *program.commands()->Get(index);
  if (command.name() >= sizeOf(entry.names()))
    return violation("its name is {}; the entry has {} names", command.name(),
                     sizeOf(entry.names()));
  WEIR_RETURN_IF_ERROR(budget.useName(entry.names()->Get(command.name())));
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
  WEIR_RETURN_IF_ERROR(useViews(command));
  switch (command.opcode()) {
  case Opcode::Launch:
    return verifyLaunch(command, program);
  case Opcode::Copy:
    return verifyCopy(command, program);
  case Opcode::Record:
  case Opcode::Wait:
    budget.holdSlots(1);
    return verifyEvent(command);
  case Opcode::Fill:
    return verifyFill(command, program);
  case Opcode::Repeat:
    budget.holdSlots(1);
    WEIR_RETURN_IF_ERROR(verifyNumViews(command, 0));
    return enterRepeat(repeats, command, index, sizeOf(program.commands()));
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

/// Checks that a launch or fill accesses only the space of its device.
Status ProgramVerifier::verifySpace(uint32_t view,
                                    const Program &program) const {
  const uint32_t reached = facts.spaceOf(program.device());
  if (bufferOf(view).space() == reached)
    return Status::ok();
  return violation("device {} cannot reach buffer {} in space {}: it reaches "
                   "space {} only",
                   program.device(), entry.views()->Get(view)->buffer(),
                   bufferOf(view).space(), reached);
}

/// Checks that only one queue accesses an arena that runs share.
Status ProgramVerifier::verifyArena(uint32_t view,
                                    const Program &program) const {
  const Buffer &buffer = bufferOf(view);
  if (buffer.kind() != BufferKind::Scratch)
    return Status::ok();
  const Arena &arena = *entry.arenas()->Get(buffer.index());
  if (arena.per_frame() ||
      (arena.device() == program.device() && arena.queue() == program.queue()))
    return Status::ok();
  return violation("it accesses arena {}, which only queue {} of device {} may "
                   "access",
                   buffer.index(), nameOf(arena.queue()), arena.device());
}

Status ProgramVerifier::verifyAlignment(uint32_t view,
                                        uint64_t elementBytes) const {
  const View &where = *entry.views()->Get(view);
  if (where.byte_offset() % elementBytes != 0)
    return violation("view {} at byte {} is not aligned to its elements", view,
                     where.byte_offset());
  WEIR_ASSIGN_OR_RETURN(TripRange range,
                        rangeOverTrips(entry, where.strides(), repeats));
  if (range.step % elementBytes != 0)
    return violation("view {} moves by bytes that are not aligned to its "
                     "elements",
                     view);
  return Status::ok();
}

/// Checks that `bytes` bytes at `view` are inside of its buffer in every trip.
Status ProgramVerifier::verifyPlace(uint32_t view, uint64_t bytes) const {
  const View &where = *entry.views()->Get(view);
  const Buffer &buffer = bufferOf(view);
  auto range = rangeOverTrips(entry, where.strides(), repeats);
  if (!range)
    return std::move(range).status().withContext(fmt::format("view {}", view));
  const auto offset = static_cast<int64_t>(where.byte_offset());
  const int64_t first = offset + range->least, last = offset + range->most;
  if (first < 0 || last > static_cast<int64_t>(buffer.bytes()) ||
      bytes > buffer.bytes() - static_cast<uint64_t>(last))
    return violation("it needs {} bytes at byte {} of buffer {}, which has {}",
                     bytes, first < 0 ? first : last, where.buffer(),
                     buffer.bytes());
  return Status::ok();
}

Status ProgramVerifier::verifyAccess(uint32_t view, uint64_t bytes,
                                     Access access, const Program &program) {
  const Buffer &buffer = bufferOf(view);
  WEIR_RETURN_IF_ERROR(verifyArena(view, program));
  WEIR_RETURN_IF_ERROR(verifyPlace(view, bytes));
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
  // Only one queue may launch, because kernels run on the threads of the
  // compute queue, and launches share kernels.
  if (program.queue() != artifact::QueueRole::Compute)
    return violation("it launches a kernel on queue {}; expected queue {}",
                     nameOf(program.queue()),
                     nameOf(artifact::QueueRole::Compute));
  if (command.index() >= facts.kernels.size())
    return violation("it launches kernel {}; the variant has {}",
                     command.index(), facts.kernels.size());
  const KernelFacts &kernel = facts.kernels[command.index()];
  WEIR_RETURN_IF_ERROR(budget.useName(kernel.kernel->name()));
  WEIR_RETURN_IF_ERROR(
      verifyNumViews(command, static_cast<uint32_t>(kernel.spanBytes.size())));
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    uint32_t view = command.first_view() + i;
    WEIR_RETURN_IF_ERROR(verifySpace(view, program));
    WEIR_RETURN_IF_ERROR(verifyAlignment(view, kernel.elementBytes[i]));
    Access access = i < kernel.numOperands ? Access::Read : Access::Write;
    WEIR_RETURN_IF_ERROR(
        verifyAccess(view, kernel.spanBytes[i], access, program));
  }
  return verifyOverlaps(entry, command, kernel, repeats, budget);
}

Status ProgramVerifier::verifyCopy(const Command &command,
                                   const Program &program) {
  WEIR_RETURN_IF_ERROR(verifyNumViews(command, 2));
  uint32_t from = command.first_view(), to = from + 1;
  WEIR_RETURN_IF_ERROR(
      verifyAccess(from, command.bytes(), Access::Read, program));
  // A copy of 0 bytes passes a value on in place, between devices that share
  // memory. It writes nothing, so the arena of its target may belong to another
  // queue.
  if (command.bytes() == 0)
    return verifyPlace(to, 0);
  WEIR_RETURN_IF_ERROR(
      verifyAccess(to, command.bytes(), Access::Write, program));
  bool crosses = command.flags() & static_cast<uint8_t>(CommandFlags::Crossing);
  if (crosses && bufferOf(from).space() == bufferOf(to).space())
    return violation("it is marked as a crossing, but both its buffers are in "
                     "space {}",
                     bufferOf(from).space());
  return Status::ok();
}

Status ProgramVerifier::verifyFill(const Command &command,
                                   const Program &program) {
  WEIR_RETURN_IF_ERROR(verifyNumViews(command, 1));
  WEIR_RETURN_IF_ERROR(verifySpace(command.first_view(), program));
  return verifyAccess(command.first_view(), command.bytes(), Access::Write,
                      program);
}

Status ProgramVerifier::verifyEvent(const Command &command) {
  WEIR_RETURN_IF_ERROR(verifyNumViews(command, 0));
  if (command.index() >= sizeOf(entry.events()))
    return violation("it uses event {}; the entry has {}", command.index(),
                     sizeOf(entry.events()));
  WEIR_ASSIGN_OR_RETURN(TripRange range,
                        rangeOverTrips(entry, command.strides(), repeats));
  const int64_t least = command.value() + range.least;
  const int64_t most = command.value() + range.most;
  if (least < INT32_MIN || most > INT32_MAX)
    return violation("the value of event {} goes from {} to {}; expected {} to "
                     "{}",
                     command.index(), least, most, INT32_MIN, INT32_MAX);
  if (command.opcode() == Opcode::Record && least < 1)
    return violation("it records value {} of event {}; expected at least 1",
                     least, command.index());
  return Status::ok();
}

Status weir::artifact::verifyPrograms(const Entry &entry,
                                      const VariantFacts &facts,
                                      VisitBudget &budget) {
  return ProgramVerifier(entry, facts, budget).verify();
}
