//===- CapErrors.cpp - Errors about exceeded memory caps --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CapErrors.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Runtime/HeldMemory.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/OptionText.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Peaks
//===----------------------------------------------------------------------===//

using HeldArena = exec::LargestArena;

/// The arenas of `device`, the largest one first.
static SmallVector<HeldArena> findLargestArenas(ModuleOp module,
                                                StringRef device) {
  SmallVector<HeldArena> arenas;
  for (const auto &[key, arena] : exec::findLargestArenas(module))
    if (key.first.getValue() == device)
      arenas.push_back(arena);
  llvm::stable_sort(arenas, [](const HeldArena &left, const HeldArena &right) {
    return left.bytes > right.bytes;
  });
  return arenas;
}

const exec::ArenaContents *EntryArenas::find(exec::ArenaOp arena) {
  auto entry = cast<exec::EntryOp>(arena->getParentOp());
  auto [it, isNew] = tables.try_emplace(entry, failure());
  if (isNew)
    if (auto schedule = exec::EntrySchedule::create(entry); succeeded(schedule))
      it->second = exec::findArenas(*schedule);
  if (failed(it->second))
    return nullptr;
  auto contents = it->second->find(exec::getArenaKey(arena));
  return contents == it->second->end() ? nullptr : &contents->second;
}

/// The largest buffers that are live at the peak of an arena, as text.
static std::string describePeak(const exec::ArenaContents &contents) {
  const analysis::LivePeak peak = analysis::livePeak(contents.lives);
  std::vector<std::pair<uint64_t, std::string>> live;
  for (auto [scratch, life] : llvm::zip(contents.buffers, contents.lives))
    if (life.bytes && life.first <= peak.step && peak.step <= life.last) {
      StringRef name = getName(exec::ScratchOp(scratch).getLoc());
      live.emplace_back(life.bytes, name.empty() ? "a tensor without a name"
                                                 : "'" + name.str() + "'");
    }
  std::ranges::stable_sort(live, [](const auto &left, const auto &right) {
    return left.first > right.first;
  });
  constexpr size_t numShown = 5;
  std::string text;
  for (const auto &[bytes, name] : ArrayRef(live).take_front(numShown))
    text +=
        fmt::format("{}{} ({} bytes)", text.empty() ? "" : ", ", name, bytes);
  if (live.size() > numShown)
    text += fmt::format(" and {} more", live.size() - numShown);
  return text;
}

/// Describes an arena: "the scratch of queue compute takes 512 bytes in entry
/// 'main'; at its peak it holds 'a' (512 bytes)".
static std::string describeArena(const HeldArena &held, EntryArenas &arenas) {
  exec::ArenaOp arena = held.arena;
  exec::EntryOp entry = held.getEntry();
  std::string text = "the scratch";
  if (arena.getQueue())
    text += fmt::format(" of queue {}", toString(*arena.getQueue()));
  if (held.copies > 1)
    text += fmt::format(", which each of {} runs in flight has,", held.copies);
  text += fmt::format(" takes {} bytes in entry '{}'", arena.getBytes(),
                      getReportName(entry).str());
  if (const exec::ArenaContents *contents = arenas.find(arena))
    text += "; at its peak it holds " + describePeak(*contents);
  return text;
}

//===----------------------------------------------------------------------===//
// Refusal
//===----------------------------------------------------------------------===//

/// Whether no plan with the same order of launches can hold less. With several
/// arenas, or with workspace, the result is false. Their peaks may be at
/// different times, so one common memory might suffice.
static bool isSmallest(const DeviceHeld &device, size_t numArenas) {
  return device.plannedBytes == device.lowerBoundBytes && numArenas <= 1 &&
         device.workspaceBytes == 0;
}

CapErrors::CapErrors(ModuleOp module, const CompileOptions &options,
                     const HeldMemory &held, const SpareBytes &spare)
    : module(module), options(options), held(held), spare(spare) {
  for (const std::string &text : options.memoryCaps)
    flags[parseMemoryCap(text)->device.toString()] = "--memory-cap=" + text;
}

std::string_view CapErrors::namePlacingFlags() const {
  if (held.devices.size() > 1)
    return "--place";
  return options.topology.empty() ? "--devices and --place"
                                  : "the topology's list and --place";
}

/// The flags that may make `device` fit into its cap. Fewer threads can reduce
/// workspace to the share of one thread. The precision bf16 can halve all other
/// memory. Flags that cannot suffice are not named.
std::string CapErrors::suggestFlags(const DeviceHeld &device) const {
  const uint64_t workspace = device.workspaceBytes;
  const uint64_t rest = device.heldBytes() - workspace;
  const bool hasThreads = workspace > 0 && device.info.threads > 1;
  const uint64_t ofOne =
      workspace / static_cast<uint64_t>(std::max(device.info.threads, 1));
  const bool isWide = options.precision == "f32";
  std::string text;
  if (hasThreads && rest + ofOne <= device.memoryCap)
    text += ", or try --threads=1";
  if (isWide && rest / 2 + workspace <= device.memoryCap)
    text += ", or try --precision=bf16";
  if (text.empty() && hasThreads && isWide &&
      rest / 2 + ofOne <= device.memoryCap)
    text = ", or try --threads=1 with --precision=bf16";
  return text;
}

std::string CapErrors::suggestRepair(const DeviceHeld &device,
                                     size_t numArenas) const {
  const bool isRecomputed = spare.contains(device.info.name);
  const uint64_t bytes = device.heldBytes() + spare.lookup(device.info.name);
  const std::string enough =
      flags.contains(device.info.name)
          ? fmt::format("--memory-cap={}=", device.info.name)
          : std::string("a memory_bytes of ");
  const uint64_t weights =
      device.packedBytes + device.inPlaceBytes + device.parameterBytes;
  std::string text;
  if (!held.isExact)
    text = fmt::format("{}{} is about what is needed, without the workspace of "
                       "kernels and the weights that they rearrange, which are "
                       "counted where it runs",
                       enough, bytes);
  else if (!isRecomputed && isSmallest(device, numArenas))
    text = fmt::format("{}{} suffices, the smallest for this order of launches",
                       enough, bytes);
  else
    text = fmt::format("{}{} suffices", enough, bytes);
  if (weights > device.memoryCap)
    text += fmt::format("; the weights alone take {} bytes, so place ops on "
                        "more devices ({})",
                        weights, namePlacingFlags());
  else
    text += fmt::format("; or compile for smaller inputs{}, or place ops on "
                        "more devices ({})",
                        options.inFlight > 1 ? ", a lower --in-flight" : "",
                        namePlacingFlags());
  return text + suggestFlags(device);
}

LogicalResult CapErrors::refuse(const DeviceHeld &device) {
  const auto flag = flags.find(device.info.name);
  const SmallVector<HeldArena> largest =
      findLargestArenas(module, device.info.name);
  // The error is reported at the entry that needs most.
  InFlightDiagnostic error = emitError(
      largest.empty() ? module.getLoc() : largest.front().getEntry().getLoc());
  error << "device \"" << device.info.name << "\" has a memory cap of "
        << device.memoryCap << " bytes ("
        << (flag == flags.end() ? "memory_bytes of the topology" : flag->second)
        << "), but the model holds " << (held.isExact ? "" : "about ")
        << device.heldBytes() << " bytes (" << describeHeld(device) << ")"
        << (spare.contains(device.info.name)
                ? ", although launches run twice to save scratch; "
                : "; ")
        << suggestRepair(device, largest.size());
  for (const HeldArena &arena : largest)
    error.attachNote(arena.getEntry().getLoc()) << describeArena(arena, arenas);
  return error;
}
