//===- RunReport.cpp - Reports times and memory of runs -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunReport.h"

#include "../Session/StatsJson.h"
#include "ProfileSummary.h"
#include "weir/Support/Counted.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

using namespace weir;

static double runsPerSecond(const RunReport &report) {
  return static_cast<double>(report.numRuns() - report.lateRuns) * 1e9 /
         static_cast<double>(std::max<uint64_t>(report.allRunsNs, 1));
}

uint64_t weir::percentile(std::vector<uint64_t> values, double p) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(p * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

/// The latencies that count: those of cold runs only if there are no other
/// runs.
static const std::vector<uint64_t> &latencies(const RunReport &report) {
  return report.latenciesNs.empty() ? report.coldNs : report.latenciesNs;
}

/// "4 runs, without a cold one of 5.100 ms".
static std::string describeCounted(const RunReport &report) {
  std::string text = counted(latencies(report).size(), "run");
  const size_t numCold = report.coldNs.size();
  if (numCold == 0)
    return text;
  const std::string cold =
      numCold == 1 ? "a cold one" : fmt::format("{} cold ones", numCold);
  if (report.latenciesNs.empty())
    return text + ", " + cold;
  return text + fmt::format(", without {} of {}{:.3f} ms", cold,
                            numCold == 1 ? "" : "at most ",
                            milliseconds(std::ranges::max(report.coldNs)));
}

std::string weir::launchLines(std::span<const LaunchInfo> launches,
                              std::span<const uint64_t> times) {
  std::string text;
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchInfo &launch = launches[i];
    text += fmt::format(
        "{:<8} {:<24} {:<18} {:<28} {:>10} us  {}\n", launch.device,
        printable(launch.op), printable(launch.kernel),
        launch.implementation.empty() ? "-" : launch.implementation,
        times.empty()
            ? "-"
            : fmt::format("{:.1f}", static_cast<double>(times[i]) / 1e3),
        launch.shapes);
    if (!launch.tuning.empty())
      text += fmt::format("{:<8} {}\n", "", printable(launch.tuning));
  }
  return text;
}

std::vector<uint64_t> weir::launchTimes(const Trace &trace,
                                        std::span<const LaunchInfo> launches) {
  std::vector<uint64_t> times(launches.size());
  for (const auto &row : trace.rows()) {
    const std::vector<TraceSpan> spans = row->held();
    // The search begins at the end, because the last launches are those of the
    // last run.
    size_t at = spans.size();
    for (size_t i = launches.size(); i-- > 0;) {
      if (launches[i].device != row->deviceName())
        continue;
      while (at > 0 && spans[at - 1].category != "launch")
        --at;
      if (at == 0)
        break;
      --at;
      times[i] = spans[at].endNs - spans[at].beginNs;
    }
  }
  return times;
}

std::string weir::bytesText(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return unit ? fmt::format("{:.1f} {}", value, units[unit])
              : fmt::format("{} B", bytes);
}

/// The flag that does what a note advises; empty if no flag does.
static std::string_view flagFor(const DeviceNote &note) {
  return note.code == "runs-in-flight" ? " (graph-compile --in-flight)" : "";
}

/// One line for each note, with the names of all devices that have it.
static std::string notesText(std::span<const DeviceStats> devices) {
  std::map<std::string_view, std::vector<std::string_view>> sayers;
  for (const DeviceStats &device : devices)
    for (const DeviceNote &note : device.info.notes)
      sayers[note.text].push_back(device.info.name);
  std::string text;
  for (const DeviceStats &device : devices)
    for (const DeviceNote &note : device.info.notes) {
      const auto names = std::exchange(sayers[note.text], {});
      if (!names.empty())
        text += fmt::format("note: {}: {}{}\n", fmt::join(names, ", "),
                            note.text, flagFor(note));
    }
  return text;
}

std::string weir::toText(const RunReport &report) {
  std::string text = fmt::format(
      "{:<10} {:>7} {:>7} {:>9} {:>11} {:>11} {:>11} {:>14} {:>11}\n", "device",
      "threads", "groups", "launches", "planned", "lower bound", "held",
      "bytes crossed", "time");
  for (const DeviceStats &device : report.stats.devices)
    text += fmt::format(
        "{:<10} {:>7} {:>7} {:>9} {:>11} {:>11} {:>11} {:>14} {:>8.3f} ms\n",
        device.info.name, device.info.threads, device.groups, device.launches,
        bytesText(device.plannedBytes), bytesText(device.lowerBoundBytes),
        bytesText(device.heldBytes()), device.bytesCrossed,
        milliseconds(device.busyNs));
  if (report.lostSpans)
    text += fmt::format("note: the file of --profile lacks the {}; lower "
                        "--repeat to have all runs in it\n",
                        counted(report.lostSpans, "oldest span"));
  if (report.inFlight > 1)
    text += fmt::format("throughput: {:.1f} runs per second with {} in "
                        "flight\n",
                        runsPerSecond(report),
                        counted(static_cast<size_t>(report.inFlight), "run"));
  if (!report.otherShapes.empty())
    text += fmt::format("note: this is {}; the inputs fit {}, and --shape "
                        "chooses one of them\n",
                        printable(report.entry), printable(report.otherShapes));
  if (report.lateRuns)
    text += fmt::format("note: {} stopped at --deadline\n",
                        report.lateRuns == 1
                            ? "1 run was"
                            : fmt::format("{} runs were", report.lateRuns));
  for (const DevicePort &port : report.devicePorts)
    text += fmt::format(
        "note: {} '{}' lies in the memory of {}; {} were copied {}\n",
        port.what, printable(port.name), port.device, bytesText(port.bytes),
        port.what == "input" ? "there before the first run"
                             : "from there after the last run");
  return text + notesText(report.stats.devices) +
         fmt::format("latency: min {:.3f} ms, median {:.3f} ms, p90 {:.3f} ms, "
                     "p99 {:.3f} ms over {}; load {:.1f} ms\n",
                     milliseconds(percentile(latencies(report), 0)),
                     milliseconds(percentile(latencies(report), 0.5)),
                     milliseconds(percentile(latencies(report), 0.9)),
                     milliseconds(percentile(latencies(report), 0.99)),
                     describeCounted(report),
                     milliseconds(report.stats.loadNs));
}

std::string weir::toJson(const RunReport &report,
                         const ProfileSummary *summary) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const DeviceStats &device : report.stats.devices)
    devices.push_back(statsJson<nlohmann::ordered_json>(device));
  nlohmann::ordered_json ports = nlohmann::ordered_json::array();
  for (const DevicePort &port : report.devicePorts)
    ports.push_back({{"kind", port.what},
                     {"name", port.name},
                     {"device", port.device},
                     {"bytes", port.bytes}});
  const auto latency = [&](double p) {
    return milliseconds(percentile(latencies(report), p));
  };
  nlohmann::ordered_json cold;
  if (!report.coldNs.empty())
    cold = milliseconds(std::ranges::max(report.coldNs));
  nlohmann::ordered_json json = {
      {"entry", report.entry},
      {"latency_ms",
       {{"min", latency(0)},
        {"median", latency(0.5)},
        {"p90", latency(0.9)},
        {"p99", latency(0.99)},
        {"cold", std::move(cold)}}},
      {"runs_per_second", runsPerSecond(report)},
      {"load_ms", milliseconds(report.stats.loadNs)},
      {"peak_rss_bytes", report.peakRssBytes},
      {"page_faults_per_run", static_cast<double>(report.pageFaults) /
                                  static_cast<double>(report.numRuns())},
      {"runs", report.numRuns()},
      {"late_runs", report.lateRuns},
      {"lost_spans", report.lostSpans},
      {"devices", std::move(devices)},
      {"device_ports", std::move(ports)}};
  if (summary)
    json["profile"] = summary->toJson();
  return toJsonText(json, 2);
}
