//===- ProgressMeter.cpp - Where a run is, in one line ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ProgressMeter.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace weir;

void MovingMean::add(double number) {
  // About the latest twenty numbers count.
  constexpr double kept = 0.95;
  if (!std::isfinite(number))
    return;
  sum = kept * sum + (1 - kept) * number;
  weight = kept * weight + (1 - kept);
}

/// A part of the line. If the line is too long, fields of low rank are left out
/// first.
struct ProgressMeter::Field {
  std::string text;
  size_t rank;
};

ProgressMeter::ProgressMeter(const ReportedRun &run)
    : run(run), means(run.values.size()), latestValues(run.values.size()) {
  for (ReportedValue &value : this->run.values)
    value.name = printable(value.name);
  for (std::string &name : this->run.validationValues)
    name = printable(name);
}

void ProgressMeter::add(const StepRecord &record, double now) {
  if (numRecords++ == 0) {
    firstStep = record.step;
    firstTime = now;
  }
  latestStep = record.step;
  latestEpoch = record.epoch;
  latestSeconds = record.seconds;
  examples.add(static_cast<double>(record.examples));
  seconds.add(record.seconds);
  for (size_t i = 0; i < means.size(); ++i) {
    means[i].add(record.values[i]);
    latestValues[i] = record.values[i];
  }
}

double ProgressMeter::shownValue(size_t index) const {
  const bool isMean =
      run.values[index].isSmoothed && std::isfinite(latestValues[index]);
  return isMean ? means[index].mean() : latestValues[index];
}

std::string ProgressMeter::epochText(int64_t epoch) const {
  return run.totalEpochs > 0
             ? fmt::format("epoch {}/{}", epoch, run.totalEpochs)
             : fmt::format("epoch {}", epoch);
}

/// The time that is left. If the number of steps is not known, the time so far.
/// The estimate counts all time since the first step, including validations.
/// The first step itself does not count, because it takes longer than other
/// steps.
std::string ProgressMeter::timeLeft(double now) const {
  if (run.totalSteps <= 0)
    return durationText(now);
  const auto left = static_cast<double>(run.totalSteps - latestStep);
  const auto done = static_cast<double>(latestStep - firstStep);
  const double perStep = done > 0 ? (now - firstTime) / done : latestSeconds;
  return durationText(left * perStep) + " left";
}

std::vector<ProgressMeter::Field> ProgressMeter::fields(double now) const {
  // Ranks: the step, the loss, the time, the epoch, the speed, then the values
  // from first to last.
  const size_t numValues = run.values.size();
  const size_t most = numValues + 5;
  std::vector<Field> list;
  list.push_back({run.totalSteps > 0
                      ? fmt::format("step {}/{}", latestStep, run.totalSteps)
                      : fmt::format("step {}", latestStep),
                  most});
  list.push_back({epochText(latestEpoch), most - 3});
  for (size_t i = 0; i < numValues; ++i)
    list.push_back({fmt::format("{} {:.4g}", run.values[i].name, shownValue(i)),
                    i == 0 ? most - 1 : numValues - i});
  if (examples.mean() > 0 && seconds.mean() > 0)
    list.push_back(
        {fmt::format("{:.0f} examples/s", examples.mean() / seconds.mean()),
         most - 4});
  list.push_back({timeLeft(now), most - 2});
  return list;
}

/// `text`, or the part of it that fits `columns`.
static std::string cutText(std::string text, size_t columns) {
  while (columnsOf(text) > columns) {
    while ((static_cast<uint8_t>(text.back()) & 0xc0) == 0x80)
      text.pop_back();
    text.pop_back();
  }
  return text;
}

template <typename Field>
static std::string joinFields(std::vector<Field> fields, size_t columns) {
  constexpr std::string_view gap = "  ";
  const auto width = [&] {
    size_t sum = gap.size() * (fields.size() - 1);
    for (const Field &field : fields)
      sum += columnsOf(field.text);
    return sum;
  };
  while (columns > 0 && fields.size() > 1 && width() > columns)
    fields.erase(std::min_element(
        fields.begin(), fields.end(),
        [](const Field &a, const Field &b) { return a.rank < b.rank; }));
  std::string line;
  for (const Field &field : fields)
    line.append(line.empty() ? "" : gap).append(field.text);
  return columns > 0 ? cutText(std::move(line), columns) : line;
}

std::string ProgressMeter::line(double now, size_t columns) const {
  return joinFields(fields(now), columns);
}

std::string ProgressMeter::endLine(double now) const {
  if (latestStep < run.totalSteps)
    return fmt::format("stopped at step {} of {} after {}", latestStep,
                       run.totalSteps, durationText(now));
  const int64_t count = latestStep - run.stepsBefore;
  return fmt::format("trained {} step{} in {}", count, count == 1 ? "" : "s",
                     durationText(now));
}

std::string
ProgressMeter::validationLine(int64_t step, int64_t epoch,
                              std::span<const double> values) const {
  std::string line =
      fmt::format("validation at step {}  {}", step, epochText(epoch));
  for (size_t i = 0; i < values.size(); ++i)
    line += fmt::format("  {} {:.4g}", run.validationValues[i], values[i]);
  return line;
}

size_t weir::columnsOf(std::string_view text) {
  size_t columns = 0;
  for (char character : text) {
    const auto byte = static_cast<uint8_t>(character);
    // Each character has one first byte. A character of three bytes or more may
    // be wide.
    if ((byte & 0xc0) != 0x80)
      columns += byte >= 0xe0 ? 2 : 1;
  }
  return columns;
}

std::string weir::durationText(double seconds) {
  // A number that is not finite, or too large for a clock, becomes the largest
  // time.
  constexpr double most = 100.0 * 365 * 86400;
  const auto whole = static_cast<int64_t>(
      seconds < most ? std::max(seconds, 0.0) + 0.5 : most);
  const int64_t days = whole / 86400, hours = whole / 3600 % 24;
  const int64_t minutes = whole / 60 % 60, rest = whole % 60;
  if (days > 0)
    return fmt::format("{} day{} {}:{:02}:{:02}", days, days > 1 ? "s" : "",
                       hours, minutes, rest);
  if (hours > 0)
    return fmt::format("{}:{:02}:{:02}", hours, minutes, rest);
  return fmt::format("{}:{:02}", minutes, rest);
}
