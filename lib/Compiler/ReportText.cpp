//===- ReportText.cpp - Reports as text and as JSON -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CacheReport.h"
#include "HeldReport.h"
#include "UpdateReport.h"

#include "weir/Support/Counted.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

static std::string explainPrecision(const PrecisionReport &report) {
  std::string text;
  for (const auto &[name, reason] : report.kept)
    text += fmt::format("{}: in f32: {}\n", name, reason);
  for (const std::string &name : report.castLaunches)
    text += fmt::format("{}: a cast that no kernel could fuse\n", name);
  return text;
}

static llvm::json::Object toJson(const PrecisionReport &report) {
  llvm::json::Object kept;
  for (const auto &[name, reason] : report.kept)
    kept[name] = reason;
  return llvm::json::Object{{"type", report.type},
                            {"ops", report.ops},
                            {"casts", report.casts},
                            {"cast_launches", report.castLaunches},
                            {"kept_f32", std::move(kept)}};
}

namespace {
/// The predicted time of a run if nothing overlaps.
struct Total {
  explicit Total(const CompileReport &report);

  double groupSeconds = 0, crossingSeconds = 0;
  int64_t bytesCopied = 0;
};
} // namespace

Total::Total(const CompileReport &report) {
  for (const GroupReport &group : report.groups)
    for (const auto &[device, seconds] : group.seconds)
      groupSeconds += device == group.device ? seconds : 0;
  for (const CrossingReport &crossing : report.crossings) {
    crossingSeconds += crossing.seconds;
    bytesCopied += crossing.bytesCopied;
  }
}

static std::string explainCrossings(const CompileReport &report) {
  std::string text;
  for (const CrossingReport &crossing : report.crossings)
    text += fmt::format(
        "{}: crosses from {} to {}, {} bytes{}, {:.3f} us predicted\n",
        crossing.value, crossing.from, crossing.to, crossing.bytes,
        crossing.bytesCopied ? "" : " in shared memory",
        crossing.seconds * 1e6);
  const Total total(report);
  return text +
         fmt::format(
             "total: {} {:.3f} us, {} {:.3f} us predicted, {} bytes copied\n",
             counted(report.groups.size(), "group"), total.groupSeconds * 1e6,
             counted(report.crossings.size(), "crossing"),
             total.crossingSeconds * 1e6, total.bytesCopied);
}

static std::string explainFallback(const CompileReport &report) {
  if (report.fallbackDevices.empty())
    return {};
  return fmt::format("on machines that lack devices, all runs on {} in {}\n",
                     fmt::join(report.fallbackDevices, ", "),
                     report.fallbackPrecision);
}

std::string weir::explainText(const CompileReport &report) {
  std::string text;
  for (const GroupReport &group : report.groups) {
    text += fmt::format("{}: on {}, {}\n", group.name, group.device, group.why);
    for (const auto &[device, seconds] : group.seconds)
      text += fmt::format("  {} {:.3f} us predicted\n", device, seconds * 1e6);
    for (const std::string &op : group.split)
      text += fmt::format("  split: '{}' would have joined, but has an "
                          "annotation of its own\n",
                          op);
  }
  text += explainCrossings(report);
  text += explainFallback(report);
  for (const DerivedReport &derived : report.derived)
    text += fmt::format("{}: derived from {}, {} bytes\n", derived.name,
                        derived.from.empty()
                            ? std::string("constants")
                            : fmt::format("{}", fmt::join(derived.from, ", ")),
                        derived.bytes);
  for (const auto &[name, reason] : report.notDerived)
    text += fmt::format(
        "{}: depends on parameters alone, but each run computes it: {}\n", name,
        reason);
  for (const auto &[name, reason] : report.apart)
    text += fmt::format("{}: apart from the kernel in front of it: {}\n", name,
                        reason);
  for (const auto &[name, reason] : report.moved)
    text += fmt::format("{}: moved from the kernel in front of it: {}\n", name,
                        reason);
  text += explainUpdates(report);
  if (report.precision)
    text += explainPrecision(*report.precision);
  return text + explainHeld(report);
}

static std::string toString(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", value) << '\n';
  return text;
}

std::string weir::explainJson(const CompileReport &report) {
  llvm::json::Array groups;
  for (const GroupReport &group : report.groups) {
    llvm::json::Object seconds;
    for (const auto &[device, cost] : group.seconds)
      seconds[device] = cost;
    groups.push_back(llvm::json::Object{{"name", group.name},
                                        {"device", group.device},
                                        {"reason", group.reason},
                                        {"why", group.why},
                                        {"seconds", std::move(seconds)},
                                        {"split_by", group.split}});
  }
  llvm::json::Array derived;
  for (const DerivedReport &parameter : report.derived)
    derived.push_back(llvm::json::Object{{"name", parameter.name},
                                         {"bytes", parameter.bytes},
                                         {"from", parameter.from}});
  llvm::json::Object notDerived;
  for (const auto &[name, reason] : report.notDerived)
    notDerived[name] = reason;
  llvm::json::Object apart;
  for (const auto &[name, reason] : report.apart)
    apart[name] = reason;
  llvm::json::Array moved;
  for (const auto &[name, reason] : report.moved)
    moved.push_back(llvm::json::Object{{"op", name}, {"reason", reason}});
  llvm::json::Array crossings;
  for (const CrossingReport &crossing : report.crossings)
    crossings.push_back(
        llvm::json::Object{{"value", crossing.value},
                           {"from", crossing.from},
                           {"to", crossing.to},
                           {"bytes", crossing.bytes},
                           {"bytes_copied", crossing.bytesCopied},
                           {"seconds", crossing.seconds}});
  const Total total(report);
  llvm::json::Object all{
      {"devices", explainHeldJson(report)},
      {"fallback_devices", report.fallbackDevices},
      {"fallback_precision", report.fallbackPrecision},
      {"groups", std::move(groups)},
      {"crossings", std::move(crossings)},
      {"total", llvm::json::Object{{"group_seconds", total.groupSeconds},
                                   {"crossing_seconds", total.crossingSeconds},
                                   {"bytes_copied", total.bytesCopied}}},
      {"derived", std::move(derived)},
      {"not_derived", std::move(notDerived)},
      {"apart", std::move(apart)},
      {"moved", std::move(moved)},
      {"updates", explainUpdatesJson(report)},
      {"pack_copies", explainPacksJson(report)},
      {"recomputed", report.recomputed}};
  if (report.precision)
    all["precision"] = toJson(*report.precision);
  return ::toString(std::move(all));
}

std::string weir::statsText(const CompileReport &report) {
  std::string text =
      fmt::format("{:.3f} Mflop, {} parameter bytes, {}, {}\n",
                  static_cast<double>(report.flops) * 1e-6,
                  report.parameterBytes, counted(report.groups.size(), "group"),
                  counted(static_cast<uint64_t>(report.events), "event"));
  if (report.precision)
    text += fmt::format(
        "{}: {}, {} casts, {} of them launches of their own\n",
        report.precision->type,
        counted(static_cast<uint64_t>(report.precision->ops), "op"),
        report.precision->casts, report.precision->castLaunches.size());
  text += countUpdates(report);
  if (!report.apart.empty())
    text += fmt::format("{} that the kernel in front cannot compute\n",
                        counted(report.apart.size(), "op"));
  if (!report.moved.empty())
    text += fmt::format("{} that the kernel behind computes in its place\n",
                        counted(report.moved.size(), "op"));
  if (report.kernelCache)
    text += describeCache(*report.kernelCache);
  for (const DeviceReport &device : report.devices)
    text += fmt::format(
        "{}: {}, {}, {} ({} bytes), arena {} bytes (lower "
        "bound {})\n",
        device.device, counted(static_cast<uint64_t>(device.groups), "group"),
        counted(static_cast<uint64_t>(device.launches), "launch", "es"),
        counted(static_cast<uint64_t>(device.crossings), "crossing"),
        device.bytesCrossed, device.arenaBytes, device.lowerBoundBytes);
  text += explainRecomputed(report);
  text += explainHeld(report);
  if (report.entries.size() > 1)
    for (const EntryReport &entry : report.entries)
      text += fmt::format(
          "entry {}: {:.3f} Mflop, {}, {}, {}, arena {} bytes\n", entry.name,
          static_cast<double>(entry.flops) * 1e-6,
          counted(static_cast<uint64_t>(entry.groups), "group"),
          counted(static_cast<uint64_t>(entry.launches), "launch", "es"),
          counted(static_cast<uint64_t>(entry.events), "event"),
          entry.arenaBytes);
  text += explainFallback(report);
  return text;
}

static llvm::json::Array entriesJson(const CompileReport &report) {
  llvm::json::Array entries;
  for (const EntryReport &entry : report.entries)
    entries.push_back(llvm::json::Object{{"name", entry.name},
                                         {"flops", entry.flops},
                                         {"groups", entry.groups},
                                         {"launches", entry.launches},
                                         {"events", entry.events},
                                         {"arena_bytes", entry.arenaBytes}});
  return entries;
}

std::string weir::statsJson(const CompileReport &report) {
  llvm::json::Array devices;
  for (const DeviceReport &device : report.devices) {
    llvm::json::Object json{{"name", device.device},
                            {"groups", device.groups},
                            {"launches", device.launches},
                            {"crossings", device.crossings},
                            {"bytes_crossed", device.bytesCrossed},
                            {"arena_bytes", device.arenaBytes},
                            {"lower_bound_bytes", device.lowerBoundBytes}};
    addHeld(device, json);
    devices.push_back(std::move(json));
  }
  llvm::json::Object all{{"flops", report.flops},
                         {"parameter_bytes", report.parameterBytes},
                         {"groups", static_cast<int64_t>(report.groups.size())},
                         {"events", report.events},
                         {"updates", countUpdatesJson(report)},
                         {"apart", static_cast<int64_t>(report.apart.size())},
                         {"moved", static_cast<int64_t>(report.moved.size())},
                         {"devices", std::move(devices)},
                         {"fallback_devices", report.fallbackDevices},
                         {"fallback_precision", report.fallbackPrecision},
                         {"entries", entriesJson(report)}};
  if (report.kernelCache)
    all["kernel_cache"] = describeCacheJson(*report.kernelCache);
  if (report.precision)
    all["precision"] = llvm::json::Object{
        {"type", report.precision->type},
        {"ops", report.precision->ops},
        {"casts", report.precision->casts},
        {"cast_launches",
         static_cast<int64_t>(report.precision->castLaunches.size())}};
  return ::toString(std::move(all));
}
