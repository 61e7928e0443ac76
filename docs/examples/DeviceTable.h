//===- DeviceTable.h - A table of what each device did ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_DEVICETABLE_H
#define EXAMPLES_DEVICETABLE_H

#include "weir/Runtime/SessionStats.h"

#include <cstdint>
#include <string>
#include <vector>

/// Adds up the work of a session's devices over several runs.
class DeviceTable {
public:
  /// Adds the statistics of a run that has just ended.
  void addRun(const weir::SessionStats &stats);
  int64_t numRuns() const { return runs; }

  /// Prints a line per device with the figures of one run. Times are means.
  void print() const;
  /// Whether values crossed between devices without being copied.
  bool isShared() const;

private:
  int64_t runs = 0;
  /// Statistics of the latest run. All of them except the times are the same in
  /// every run.
  std::vector<weir::DeviceStats> devices;
  std::vector<double> busySeconds;
};

/// "1,000".
std::string withCommas(int64_t number);

#endif // EXAMPLES_DEVICETABLE_H
