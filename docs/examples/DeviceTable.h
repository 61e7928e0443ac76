//===- DeviceTable.h - What devices did, as a table -*- C++ -*-===//
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

/// Adds up what a session's devices did over several runs.
class DeviceTable {
public:
  /// Takes in a run that has just ended.
  void addRun(const weir::SessionStats &stats);
  int64_t numRuns() const { return runs; }

  /// Prints a line per device with the figures of one run, times being means.
  void print() const;
  /// Whether values crossed between devices without being copied.
  bool isShared() const;

private:
  int64_t runs = 0;
  /// Of the latest run, in which all but the times are as in any other.
  std::vector<weir::DeviceStats> devices;
  std::vector<double> busySeconds;
};

/// "1,000".
std::string withCommas(int64_t number);

#endif // EXAMPLES_DEVICETABLE_H
