//===- RunReport.h - Reports times and memory of runs ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_RUNREPORT_H
#define WEIR_LIB_RUNTIME_TOOLS_RUNREPORT_H

#include "weir/Runtime/SessionStats.h"
#include "weir/Support/Trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir {

class ProfileSummary;

/// An input or output in the memory of a device. graph-run copies inputs to
/// this memory before the first run, and outputs from it after the last run.
struct DevicePort {
  /// "input" or "output".
  std::string what;
  std::string name;
  std::string device;
  uint64_t bytes = 0;
};

struct RunReport {
  /// The entry, with its shape if it has several: "main[x:8x3]".
  std::string entry;
  /// The shapes of the entry that would have been as good; empty if there was
  /// no choice.
  std::string otherShapes;
  SessionStats stats;
  /// The latencies of timed runs that are not cold. `latenciesNs` and `coldNs`
  /// together have at least one latency.
  std::vector<uint64_t> latenciesNs;
  /// The latencies of cold runs: timed runs with no run before them. They count
  /// only if there are no other runs.
  std::vector<uint64_t> coldNs;
  /// The number of runs that were in flight at the same time.
  int inFlight = 1;
  /// The time of all timed runs together; shorter than the sum of their
  /// latencies if several were in flight.
  uint64_t allRunsNs = 0;
  /// The page faults of the process during the timed runs.
  uint64_t pageFaults = 0;
  uint64_t peakRssBytes = 0;
  /// The timed runs that were stopped at their deadline.
  uint64_t lateRuns = 0;
  /// The spans that the file of --profile lacks.
  uint64_t lostSpans = 0;
  std::vector<DevicePort> devicePorts;

  size_t numRuns() const { return latenciesNs.size() + coldNs.size(); }
};

/// A table of the devices and a line on latency.
std::string toText(const RunReport &report);
/// One JSON object, with the launches of `summary` unless it is null;
/// docs/cli/graph-run.md describes it.
std::string toJson(const RunReport &report,
                   const ProfileSummary *summary = nullptr);

/// The smallest of `values` that is at least as large as the fraction `p` of
/// them (nearest rank).
uint64_t percentile(std::vector<uint64_t> values, double p);

/// For each launch, its time in the last run that `trace` holds; 0 if `trace`
/// holds none. `launches` has the launches of each device in order. Several
/// launches may be of one op.
std::vector<uint64_t> launchTimes(const Trace &trace,
                                  std::span<const LaunchInfo> launches);
/// A line per launch. `times` has the nanoseconds of each of `launches`, or is
/// empty.
std::string launchLines(std::span<const LaunchInfo> launches,
                        std::span<const uint64_t> times);

/// "12.5 KiB".
std::string bytesText(uint64_t bytes);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_RUNREPORT_H
