//===- MemoryCaps.cpp - Compares held memory with caps --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What a session holds depends on the kernels of the machine: how they pack
// weights and how much workspace they need. So the runtime counts it, as it
// does when it loads the artifact.
//
//===----------------------------------------------------------------------===//

#include "MemoryCaps.h"

#include "weir/Dialect/Exec/Transforms/Arenas.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Runtime/HeldMemory.h"
#include "weir/Runtime/Session.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;
using namespace weir;

bool weir::hasMemoryCaps(ModuleOp module, const CompileOptions &options) {
  return !options.memoryCaps.empty() ||
         llvm::any_of(module.getOps<exec::EntryOp>(), [](exec::EntryOp entry) {
           return llvm::any_of(entry.getMemory(),
                               [](int64_t bytes) { return bytes != 0; });
         });
}

//===----------------------------------------------------------------------===//
// Caps
//===----------------------------------------------------------------------===//

LogicalResult weir::checkCapNames(ModuleOp module,
                                  const CompileOptions &options) {
  auto devices = module->getAttrOfType<ArrayAttr>(attrs::devices);
  for (const std::string &text : options.memoryCaps) {
    // The options have already been checked.
    const std::string device = parseMemoryCap(text)->device.toString();
    auto names = devices.getAsValueRange<StringAttr>();
    if (!llvm::is_contained(names, device))
      return emitError(UnknownLoc::get(module.getContext()), "memory cap '")
             << text << "' names a device that is not used; expected one of "
             << llvm::join(names, ", ");
  }
  return success();
}

/// Sets the caps of `options` in all variants.
static void setCaps(const CompileOptions &options, artifact::ModelT &model) {
  for (const std::string &text : options.memoryCaps) {
    const MemoryCap cap = *parseMemoryCap(text);
    const std::string device = cap.device.toString();
    for (auto &variant : model.variants)
      for (auto &each : variant->devices)
        if (each->name == device)
          each->memory_cap = cap.bytes;
  }
}

/// The option of each device that has one.
static llvm::StringMap<std::string> listFlags(const CompileOptions &options) {
  llvm::StringMap<std::string> flags;
  for (const std::string &text : options.memoryCaps)
    flags[parseMemoryCap(text)->device.toString()] = "--memory-cap=" + text;
  return flags;
}

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

namespace {
/// What the arenas of entries contain. Each entry is analysed once.
class EntryArenas {
public:
  /// The contents of `arena`, or null if they are not known.
  const exec::ArenaContents *find(exec::ArenaOp arena) {
    auto entry = cast<exec::EntryOp>(arena->getParentOp());
    auto [it, isNew] = tables.try_emplace(entry, failure());
    if (isNew)
      if (auto schedule = exec::EntrySchedule::create(entry);
          succeeded(schedule))
        it->second = exec::findArenas(*schedule);
    if (failed(it->second))
      return nullptr;
    auto contents = it->second->find(exec::getArenaKey(arena));
    return contents == it->second->end() ? nullptr : &contents->second;
  }

private:
  llvm::DenseMap<Operation *, FailureOr<exec::ArenaTable>> tables;
};
} // namespace

/// The largest buffers of the arena that are live when it needs most.
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

/// "the scratch of queue 0 takes 512 bytes in entry 'main'; at its peak it
/// holds 'a' (512 bytes)".
static std::string describeArena(const HeldArena &held, EntryArenas &arenas) {
  exec::ArenaOp arena = held.arena;
  exec::EntryOp entry = held.getEntry();
  std::string text = "the scratch";
  if (arena.getQueue())
    text += fmt::format(" of queue {}", *arena.getQueue());
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

/// Whether no plan for this order of launches can hold less. Scratch beside
/// other scratch or workspace may have its peak when these do not, so one
/// memory for all might do with less.
static bool isSmallest(const DeviceStats &device, size_t numArenas) {
  return device.plannedBytes == device.lowerBoundBytes && numArenas <= 1 &&
         device.workspaceBytes == 0;
}

/// The flags by which ops get other devices.
static std::string_view flagsThatPlace(const HeldMemory &held,
                                       const CompileOptions &options) {
  if (held.devices.size() > 1)
    return "--place";
  return options.topology.empty() ? "--devices and --place"
                                  : "the topology's list and --place";
}

/// Flags that may make `device` hold no more than its cap. What threads work in
/// may shrink to nothing with fewer of them, and all else to a half in bf16. If
/// that is too much, a flag is not named.
static std::string suggestFlags(const DeviceStats &device,
                                const CompileOptions &options) {
  const uint64_t workspace = device.workspaceBytes;
  const uint64_t rest = device.heldBytes() - workspace;
  const bool hasThreads = workspace > 0 && device.info.threads > 1;
  const bool isWide = options.precision == "f32";
  std::string text;
  if (hasThreads && rest <= device.memoryCap)
    text += ", or try --threads=1";
  if (isWide && rest / 2 + workspace <= device.memoryCap)
    text += ", or try --precision=bf16";
  if (text.empty() && hasThreads && isWide && rest / 2 <= device.memoryCap)
    text = ", or try --threads=1 with --precision=bf16";
  return text;
}

/// What the user can do about `device`, whose cap is below what it holds.
static std::string suggestRepair(const DeviceStats &device,
                                 const HeldMemory &held, size_t numArenas,
                                 bool hasFlag, const CompileOptions &options,
                                 const SpareBytes &spare) {
  const bool isRecomputed = spare.contains(device.info.name);
  const uint64_t bytes = device.heldBytes() + spare.lookup(device.info.name);
  const std::string enough =
      hasFlag ? fmt::format("--memory-cap={}=", device.info.name)
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
                        weights, flagsThatPlace(held, options));
  else
    text += fmt::format("; or compile for smaller inputs{}, or place ops on "
                        "more devices ({})",
                        options.inFlight > 1 ? ", a lower --in-flight" : "",
                        flagsThatPlace(held, options));
  return text + suggestFlags(device, options);
}

static LogicalResult refuse(ModuleOp module, const DeviceStats &device,
                            const HeldMemory &held, const std::string &flag,
                            const CompileOptions &options,
                            const SpareBytes &spare, EntryArenas &contents) {
  const SmallVector<HeldArena> arenas =
      findLargestArenas(module, device.info.name);
  // The entry that needs most.
  InFlightDiagnostic error = emitError(
      arenas.empty() ? module.getLoc() : arenas.front().getEntry().getLoc());
  error << "device \"" << device.info.name << "\" has a memory cap of "
        << device.memoryCap << " bytes ("
        << (flag.empty() ? "memory_bytes of the topology" : flag)
        << "), but the model holds " << (held.isExact ? "" : "about ")
        << device.heldBytes() << " bytes (" << describeHeld(device) << ")"
        << (spare.contains(device.info.name)
                ? ", although launches run twice to save scratch; "
                : "; ")
        << suggestRepair(device, held, arenas.size(), !flag.empty(), options,
                         spare);
  for (const HeldArena &arena : arenas)
    error.attachNote(arena.getEntry().getLoc())
        << describeArena(arena, contents);
  return error;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// The artifact with the variants of part number `part` alone: the runtime
/// would choose one of all.
static StatusOr<artifact::Artifact> outlinePart(ArtifactImage &image,
                                                size_t part) {
  auto &variants = image.model.variants;
  auto all = std::exchange(variants, {});
  auto first = all.begin() + (part ? image.parts[part - 1].numVariants : 0);
  auto last = all.begin() + image.parts[part].numVariants;
  variants.assign(std::move_iterator(first), std::move_iterator(last));
  auto outline = artifact::outline(image.model, image.blobs, image.hashes);
  std::ranges::move(variants, first);
  variants = std::move(all);
  return outline;
}

static StatusOr<HeldMemory> count(ArtifactImage &image, size_t part) {
  WEIR_ASSIGN_OR_RETURN(artifact::Artifact outline, outlinePart(image, part));
  image.hashes = artifact::BlobHashes::Known;
  SessionOptions options;
  options.pinThreads = false;
  return countHeldMemory(std::move(outline), options);
}

static void addToReport(const HeldMemory &held, CompileReport &report) {
  for (DeviceReport &to : report.devices)
    for (const DeviceStats &device : held.devices)
      if (device.info.name == to.device)
        to.held = HeldReport{
            .bytes = static_cast<int64_t>(device.heldBytes()),
            .workspaceBytes = static_cast<int64_t>(device.workspaceBytes),
            .packedBytes = static_cast<int64_t>(device.packedBytes),
            .inPlaceBytes = static_cast<int64_t>(device.inPlaceBytes),
            .parameterBytes = static_cast<int64_t>(device.parameterBytes),
            .isExact = held.isExact,
            .parts = describeHeld(device)};
}

/// Warns that the kernels of this machine could not be asked.
static void warnOfEstimate(ModuleOp module, const HeldMemory &held) {
  const bool hasCaps = llvm::any_of(held.devices, [](const DeviceStats &each) {
    return each.memoryCap != 0;
  });
  emitWarning(UnknownLoc::get(module.getContext()),
              "the memory that the model holds is an estimate")
      << (hasCaps ? ", and memory caps are checked again when it is loaded"
                  : "")
      << "; kernels cannot be prepared on this machine: "
      << held.failure.message();
}

CountedMemory weir::countMemory(ModuleOp module, const CompileOptions &options,
                                ArtifactImage &image, size_t part) {
  setCaps(options, image.model);
  StatusOr<HeldMemory> held = count(image, part);
  if (held)
    return std::make_shared<const HeldMemory>(*std::move(held));
  emitError(UnknownLoc::get(module.getContext()),
            "cannot count the memory that the model holds: ")
      << held.status().message();
  return nullptr;
}

static bool isExceeded(const DeviceStats &device) {
  return device.memoryCap != 0 && device.heldBytes() > device.memoryCap;
}

std::vector<ExceededCap> weir::findExceededCaps(const HeldMemory &held) {
  std::vector<ExceededCap> caps;
  for (const DeviceStats &device : held.devices)
    if (isExceeded(device))
      caps.push_back({device.info.name, device.heldBytes() - device.memoryCap});
  return caps;
}

LogicalResult weir::checkMemory(ModuleOp module, const CompileOptions &options,
                                const HeldMemory &held, const SpareBytes &spare,
                                CompileReport &report) {
  if (!held.failure.isOk())
    warnOfEstimate(module, held);
  addToReport(held, report);
  const llvm::StringMap<std::string> flags = listFlags(options);
  LogicalResult result = success();
  EntryArenas contents;
  for (const DeviceStats &device : held.devices)
    if (isExceeded(device))
      result = refuse(module, device, held, flags.lookup(device.info.name),
                      options, spare, contents);
  return result;
}
