//===- ProgressMeter.h - Where a run is, in one line ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_PROGRESSMETER_H
#define WEIR_LIB_TRAINING_REPORTS_PROGRESSMETER_H

#include "weir/Training/StepReports.h"

#include <string>
#include <vector>

namespace weir {

/// A mean of numbers in which later numbers count more. Numbers that are not
/// finite do not count. Otherwise one such number would hide all later ones.
class MovingMean {
public:
  void add(double number);
  double mean() const { return weight > 0 ? sum / weight : 0; }

private:
  double sum = 0;
  double weight = 0;
};

/// Sums up the steps of a run. Times are seconds since the start of the run.
class ProgressMeter {
public:
  explicit ProgressMeter(const ReportedRun &run);

  void add(const StepRecord &record, double now);

  bool isEmpty() const { return numRecords == 0; }
  int64_t step() const { return latestStep; }
  int64_t epoch() const { return latestEpoch; }

  /// "step 12/100  epoch 1/5  loss 0.51  1024 examples/s  0:12 left", with as
  /// many fields as fit `columns`; 0: all.
  std::string line(double now, size_t columns) const;
  /// "trained 100 steps in 1:20", or at which step the run stopped.
  std::string endLine(double now) const;
  /// "validation at step 12  epoch 1/5  loss 0.62".
  std::string validationLine(int64_t step, int64_t epoch,
                             std::span<const double> values) const;

private:
  struct Field;
  std::vector<Field> fields(double now) const;
  std::string epochText(int64_t epoch) const;
  std::string timeLeft(double now) const;
  double shownValue(size_t index) const;

  ReportedRun run;
  std::vector<MovingMean> means;
  std::vector<double> latestValues;
  MovingMean examples;
  MovingMean seconds;
  int64_t numRecords = 0;
  int64_t latestStep = 0;
  int64_t latestEpoch = 0;
  double latestSeconds = 0;
  /// The step and the time of the first record.
  int64_t firstStep = 0;
  double firstTime = 0;
};

/// The columns that `text` takes on a terminal, at most.
size_t columnsOf(std::string_view text);

/// "0:12", "1:02:03" or "2 days 1:02:03".
std::string durationText(double seconds);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_PROGRESSMETER_H
