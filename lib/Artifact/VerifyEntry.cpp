//===- VerifyEntry.cpp - Checks that an entry is well-formed ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace weir;
using namespace weir::artifact;

namespace {
using PortVector = flatbuffers::Vector<flatbuffers::Offset<Port>>;

class EntryVerifier {
public:
  EntryVerifier(const Entry &entry, const VariantFacts &facts,
                VisitBudget &budget)
      : entry(entry), facts(facts), budget(budget) {}

  Status verify();

private:
  Status verifyDevice(uint32_t device) const;
  Status verifySpace(uint32_t space) const;
  Status verifyNames();
  Status verifyPorts(const PortVector *ports, std::string_view what,
                     std::vector<uint64_t> &bytes);
  Status verifyArena(const Arena &arena);
  Status verifyBuffer(const Buffer &buffer);
  Status verifyPortBuffer(const Buffer &buffer, std::string_view what,
                          const PortVector *ports,
                          const std::vector<uint64_t> &portBytes);
  Status verifyBlobBuffer(const Buffer &buffer, uint32_t blob);
  Status verifyParameterBuffer(const Buffer &buffer);
  Status verifyVariableBuffer(const Buffer &buffer);
  Status verifyScratchBuffer(const Buffer &buffer);
  Status verifyArenasFilled();
  Status verifyOutputsBound();
  Status verifyViews();

  const Entry &entry;
  const VariantFacts &facts;
  VisitBudget &budget;
  std::vector<uint64_t> inputBytes, outputBytes;
  /// The device and the queue of each arena that was checked so far. There is
  /// no queue if each run has its own copy of the arena.
  std::set<std::pair<uint32_t, std::optional<artifact::QueueRole>>> arenas;
  /// The end of the last buffer in each arena.
  std::vector<uint64_t> arenaEnds;
};
} // namespace

Status EntryVerifier::verify() {
  budget.holdSlots(slotsPerProgram);
  WEIR_RETURN_IF_ERROR(verifyNames());
  WEIR_RETURN_IF_ERROR(verifyPorts(entry.inputs(), "input", inputBytes));
  WEIR_RETURN_IF_ERROR(verifyPorts(entry.outputs(), "output", outputBytes));
  WEIR_RETURN_IF_ERROR(forEach(
      entry.arenas(), "arena", budget,
      [&](uint32_t, const Arena &arena) { return verifyArena(arena); }));
  arenaEnds.assign(sizeOf(entry.arenas()), 0);
  WEIR_RETURN_IF_ERROR(forEach(
      entry.buffers(), "buffer", budget,
      [&](uint32_t, const Buffer &buffer) { return verifyBuffer(buffer); }));
  WEIR_RETURN_IF_ERROR(verifyArenasFilled());
  WEIR_RETURN_IF_ERROR(budget.visit(entry.strides()));
  WEIR_RETURN_IF_ERROR(budget.visit(entry.events()));
  WEIR_RETURN_IF_ERROR(verifyOutputsBound());
  WEIR_RETURN_IF_ERROR(verifyViews());
  WEIR_RETURN_IF_ERROR(verifyPrograms(entry, facts, budget));
  return verifyTensors(entry, facts, budget);
}

Status EntryVerifier::verifyDevice(uint32_t device) const {
  if (device < sizeOf(facts.variant.devices()))
    return Status::ok();
  return violation("it is on device {}; the variant has {}", device,
                   sizeOf(facts.variant.devices()));
}

/// Checks that `space` is the space of the host or of an isolated device.
Status EntryVerifier::verifySpace(uint32_t space) const {
  if (space == hostSpace)
    return Status::ok();
  if (space > sizeOf(facts.variant.devices()))
    return violation("it is in space {}; the variant has {} devices", space,
                     sizeOf(facts.variant.devices()));
  if (!facts.variant.devices()->Get(space - 1)->isolated())
    return violation("it is in space {}, but device {} has no memory of its "
                     "own",
                     space, space - 1);
  return Status::ok();
}

Status EntryVerifier::verifyNames() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.names()));
  for (uint32_t i = 0; i < sizeOf(entry.names()); ++i)
    WEIR_RETURN_IF_ERROR(budget.visit(entry.names()->Get(i)));
  WEIR_RETURN_IF_ERROR(budget.visit(entry.num_groups()));
  uint32_t numGroups = sizeOf(entry.num_groups());
  if (numGroups != 0 && numGroups != sizeOf(facts.variant.devices()))
    return violation("it counts the groups of {} devices; the variant has {}",
                     numGroups, sizeOf(facts.variant.devices()));
  return Status::ok();
}

Status EntryVerifier::verifyPorts(const PortVector *ports,
                                  std::string_view what,
                                  std::vector<uint64_t> &bytes) {
  UniqueNames names;
  return forEach(
      ports, what, budget, [&](uint32_t, const Port &port) -> Status {
        WEIR_RETURN_IF_ERROR(names.add(port.name(), budget));
        auto span = verifyTensorType(port.type(), budget);
        if (!span)
          return std::move(span).status().withContext(quoted(port.name()));
        if (!toTensorDesc(*port.type()).isRowMajor())
          return violation("{}: its type is not row-major",
                           quoted(port.name()));
        bytes.push_back(*span);
        return verifySpace(port.space()).withContext(quoted(port.name()));
      });
}

Status EntryVerifier::verifyArena(const Arena &arena) {
  WEIR_RETURN_IF_ERROR(verifyDevice(arena.device()));
  WEIR_RETURN_IF_ERROR(verifyQueueRole(arena.queue()));
  if (arena.bytes() > maxBytes)
    return violation("it has {} bytes; at most {} are allowed", arena.bytes(),
                     maxBytes);
  if (arena.lower_bound() > arena.bytes())
    return violation("its lower bound of {} bytes exceeds its {} bytes",
                     arena.lower_bound(), arena.bytes());
  std::optional<artifact::QueueRole> queue;
  if (!arena.per_frame())
    queue = arena.queue();
  if (!arenas.insert({arena.device(), queue}).second)
    return violation("device {} has a second arena of {}", arena.device(),
                     queue ? fmt::format("queue {}", nameOf(*queue))
                           : "each run in flight");
  return Status::ok();
}

Status EntryVerifier::verifyBuffer(const Buffer &buffer) {
  WEIR_RETURN_IF_ERROR(verifySpace(buffer.space()));
  switch (buffer.kind()) {
  case BufferKind::Input:
    return verifyPortBuffer(buffer, "input", entry.inputs(), inputBytes);
  case BufferKind::Output:
    return verifyPortBuffer(buffer, "output", entry.outputs(), outputBytes);
  case BufferKind::Parameter:
    return verifyParameterBuffer(buffer);
  case BufferKind::Variable:
    return verifyVariableBuffer(buffer);
  case BufferKind::Scratch:
    return verifyScratchBuffer(buffer);
  }
  return violation("it is of the unknown kind {}",
                   static_cast<int>(buffer.kind()));
}

Status EntryVerifier::verifyPortBuffer(const Buffer &buffer,
                                       std::string_view what,
                                       const PortVector *ports,
                                       const std::vector<uint64_t> &portBytes) {
  if (buffer.index() >= portBytes.size())
    return violation("it is {0} {1}; the entry has {2} {0}s", what,
                     buffer.index(), portBytes.size());
  if (buffer.offset() != 0 || buffer.bytes() != portBytes[buffer.index()])
    return violation("it has {} bytes at offset {}; {} {} has {} bytes at "
                     "offset 0",
                     buffer.bytes(), buffer.offset(), what, buffer.index(),
                     portBytes[buffer.index()]);
  if (uint32_t space = ports->Get(buffer.index())->space();
      buffer.space() != space)
    return violation("it is in space {}, {} {} in space {}", buffer.space(),
                     what, buffer.index(), space);
  return Status::ok();
}

Status EntryVerifier::verifyBlobBuffer(const Buffer &buffer, uint32_t index) {
  const Blob &blob = *facts.model.blobs()->Get(index);
  if (!blob.type())
    return violation("blob {} ({}) is not a tensor", index,
                     quoted(blob.name()));
  if (buffer.offset() != 0 || buffer.bytes() != blob.bytes())
    return violation("it has {} bytes at offset {}; blob {} ({}) has {} bytes "
                     "at offset 0",
                     buffer.bytes(), buffer.offset(), index,
                     quoted(blob.name()), blob.bytes());
  return Status::ok();
}

/// A buffer of kind Parameter must not refer to the blob of a variable. Such a
/// buffer would keep the initial value for ever.
Status EntryVerifier::verifyParameterBuffer(const Buffer &buffer) {
  if (buffer.index() >= sizeOf(facts.model.blobs()))
    return violation("it is blob {}; the artifact has {}", buffer.index(),
                     sizeOf(facts.model.blobs()));
  if (auto known = facts.variables.find(buffer.index());
      known != facts.variables.end())
    return violation(
        "it is a parameter, but its blob {} ({}) is that of variable {}",
        buffer.index(),
        quoted(facts.model.blobs()->Get(buffer.index())->name()),
        known->second);
  return verifyBlobBuffer(buffer, buffer.index());
}

Status EntryVerifier::verifyVariableBuffer(const Buffer &buffer) {
  const auto *variables = facts.variant.variables();
  if (buffer.index() >= sizeOf(variables))
    return violation("it is variable {}; the variant has {}", buffer.index(),
                     sizeOf(variables));
  const Variable &variable = *variables->Get(buffer.index());
  if (uint32_t space = facts.spaceOf(variable.device());
      buffer.space() != space)
    return violation("it is in space {}, its variable {} in space {} of device "
                     "{}",
                     buffer.space(), buffer.index(), space, variable.device());
  if (!isBucket(variable))
    return verifyBlobBuffer(buffer, variable.blob());
  if (buffer.offset() == 0 && buffer.bytes() == variable.bytes())
    return Status::ok();
  return violation("it has {} bytes at offset {}; bucket {} has {} bytes at "
                   "offset 0",
                   buffer.bytes(), buffer.offset(), quoted(variable.name()),
                   variable.bytes());
}

Status EntryVerifier::verifyScratchBuffer(const Buffer &buffer) {
  if (buffer.index() >= sizeOf(entry.arenas()))
    return violation("it is in arena {}; the entry has {}", buffer.index(),
                     sizeOf(entry.arenas()));
  const Arena &arena = *entry.arenas()->Get(buffer.index());
  if (uint32_t space = facts.spaceOf(arena.device()); buffer.space() != space)
    return violation("it is in space {}, its arena {} in space {} of device {}",
                     buffer.space(), buffer.index(), space, arena.device());
  if (buffer.offset() % arenaAlignment != 0)
    return violation("its offset {} is not a multiple of {}", buffer.offset(),
                     arenaAlignment);
  if (buffer.offset() > arena.bytes() ||
      buffer.bytes() > arena.bytes() - buffer.offset())
    return violation("its {} bytes at offset {} lie outside arena {} of {} "
                     "bytes",
                     buffer.bytes(), buffer.offset(), buffer.index(),
                     arena.bytes());
  uint64_t &end = arenaEnds[buffer.index()];
  end = std::max(end, buffer.offset() + buffer.bytes());
  return Status::ok();
}

/// Checks that no arena has more bytes than its buffers need.
Status EntryVerifier::verifyArenasFilled() {
  for (uint32_t i = 0; i < arenaEnds.size(); ++i) {
    const uint64_t needed = alignTo(arenaEnds[i], arenaRounding);
    if (const uint64_t bytes = entry.arenas()->Get(i)->bytes(); bytes > needed)
      return violation("arena {} has {} bytes, of which its buffers need {}", i,
                       bytes, needed);
  }
  return Status::ok();
}

Status EntryVerifier::verifyOutputsBound() {
  std::vector<bool> isBound(outputBytes.size());
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i)
    if (entry.buffers()->Get(i)->kind() == BufferKind::Output)
      isBound[entry.buffers()->Get(i)->index()] = true;
  for (uint32_t i = 0; i < isBound.size(); ++i)
    if (!isBound[i])
      return violation("output {} ({}) has no buffer", i,
                       quoted(entry.outputs()->Get(i)->name()));
  return Status::ok();
}

Status EntryVerifier::verifyViews() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.views()));
  for (uint32_t i = 0; i < sizeOf(entry.views()); ++i) {
    const View &view = *entry.views()->Get(i);
    if (view.buffer() >= sizeOf(entry.buffers()))
      return violation("view {}: it is of buffer {}; the entry has {}", i,
                       view.buffer(), sizeOf(entry.buffers()));
    const Buffer &buffer = *entry.buffers()->Get(view.buffer());
    if (view.byte_offset() > buffer.bytes())
      return violation("view {}: it begins at byte {} of buffer {}, which has "
                       "{} bytes",
                       i, view.byte_offset(), view.buffer(), buffer.bytes());
    if (view.strides() != 0 && view.strides() >= sizeOf(entry.strides()))
      return violation("view {}: it moves by stride {}; the entry has {}", i,
                       view.strides(), sizeOf(entry.strides()));
  }
  return Status::ok();
}

Status weir::artifact::verifyEntry(const Entry &entry,
                                   const VariantFacts &facts,
                                   VisitBudget &budget) {
  return EntryVerifier(entry, facts, budget).verify();
}
