//===- StepReports.cpp - What people see of a training run ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/StepReports.h"

#include "CurveDrawing.h"
#include "EventFile.h"
#include "JsonLog.h"
#include "LogCurves.h"
#include "ProgressMeter.h"
#include "RecordWriter.h"
#include "ReportChecks.h"
#include "ReportTerminal.h"

#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>

using namespace weir;

/// The seconds after which the line on a terminal is rewritten, and the seconds
/// after which a line is printed, unless lines are printed after a number of
/// steps.
static constexpr double secondsPerDraw = 0.1, secondsPerLine = 10;

struct StepReports::State {
  State(const StepReportOptions &options, const ReportedRun &run)
      : options(options), run(run), terminal(options.descriptor), meter(run),
        curves(run) {}

  Status openFiles();
  void reportProgress(int64_t lastStep, double now);
  void reportStep(double now);
  void reportEnd(double now);
  void print(std::string_view lines, double now);
  void warn(const Status &error, std::string_view effect);
  bool checkCount(std::span<const double> values, size_t expected);
  void write(const ReportRecord &record);
  Status writeCurve(const std::string &path,
                    std::span<const Curve> drawn) const;
  void plot(std::span<const Curve> drawn);

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  /// Whether one line is rewritten.
  bool rewrites() const {
    return options.progress == StepReportOptions::Progress::Auto &&
           terminal.isTerminal();
  }
  bool wantsCurves() const {
    return !options.curves.empty() || options.plot.value_or(rewrites());
  }
  bool printsLines() const {
    return options.progress != StepReportOptions::Progress::None && !rewrites();
  }

  const StepReportOptions options;
  const ReportedRun run;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();

  /// The lock of all members that follow, except for the writer. The writer's
  /// thread calls `warn`, which takes the lock.
  std::mutex mutex;
  ReportTerminal terminal;
  ProgressMeter meter;
  RunCurves curves;
  /// The time at which progress was last drawn or printed, and the latest step
  /// at that time.
  double shownTime = 0;
  int64_t shownStep = 0;
  bool isEnded = false;
  std::atomic<bool> hasWrongCount = false;
  Status firstFailure;

  /// The writer; null if no file is written. It ends before the members that it
  /// uses.
  std::unique_ptr<RecordWriter> writer;
};

Status StepReports::State::openFiles() {
  std::vector<RecordFile> files;
  const bool hasCurves = readCurves(run.curveState, curves);
  if (!options.log.empty()) {
    WEIR_ASSIGN_OR_RETURN(RecordFile file, openJsonLog(options, run));
    if (run.stepsBefore > 0 && wantsCurves() && !hasCurves &&
        options.log != "-" && file.isRegular())
      WEIR_RETURN_IF_ERROR(addLoggedSteps(options.log, curves));
    files.push_back(std::move(file));
  }
  if (!options.eventFolder.empty()) {
    WEIR_ASSIGN_OR_RETURN(std::vector<RecordFile> events,
                          openEventFiles(options, run));
    std::ranges::move(events, std::back_inserter(files));
  }
  if (files.empty())
    return Status::ok();
  auto onFailure = [this](const Status &error, int64_t step) {
    warn(error,
         fmt::format("it lacks the steps from {} on; training goes on", step));
  };
  WEIR_ASSIGN_OR_RETURN(
      writer,
      RecordWriter::start(
          std::move(files),
          std::max(run.values.size(), run.validationValues.size()), onFailure));
  return Status::ok();
}

/// Prints lines that stay, and the line of progress below them.
void StepReports::State::print(std::string_view lines, double now) {
  terminal.print(lines);
  if (rewrites() && !meter.isEmpty() && !isEnded)
    terminal.draw(meter.line(now, terminal.columns()));
}

void StepReports::State::warn(const Status &error, std::string_view effect) {
  const std::lock_guard lock(mutex);
  if (firstFailure.isOk())
    firstFailure = error;
  print(printable(fmt::format("warning: {}; {}", error.message(), effect)),
        elapsed());
}

/// Whether a record has as many values as were declared. If not, warns once.
bool StepReports::State::checkCount(std::span<const double> values,
                                    size_t expected) {
  if (values.size() == expected)
    return true;
  if (!hasWrongCount.exchange(true))
    warn(invalidArgument(fmt::format(
             "a step or a validation has {} values, expected the {} that "
             "the run has declared",
             values.size(), expected)),
         "such ones are not reported");
  return false;
}

/// Shows progress if it is time, after a record that follows `lastStep`.
void StepReports::State::reportProgress(int64_t lastStep, double now) {
  const bool isFirst = shownStep == 0;
  if (rewrites()) {
    if (!isFirst && now - shownTime < secondsPerDraw)
      return;
    terminal.draw(meter.line(now, terminal.columns()));
    shownTime = now;
    shownStep = meter.step();
    return;
  }
  const int64_t distance = options.stepsPerLine;
  const bool isDue = distance > 0
                         ? meter.step() / distance > lastStep / distance
                         : isFirst || now - shownTime >= secondsPerLine;
  if (isDue)
    reportStep(now);
}

/// Prints a line for the latest step, unless a line has shown it.
void StepReports::State::reportStep(double now) {
  if (!printsLines() || shownStep == meter.step() || meter.isEmpty())
    return;
  terminal.print(meter.line(now, 0));
  shownTime = now;
  shownStep = meter.step();
}

void StepReports::State::reportEnd(double now) {
  isEnded = true;
  if (meter.isEmpty() || options.progress == StepReportOptions::Progress::None)
    return;
  if (rewrites())
    terminal.print(meter.line(now, terminal.columns()));
  reportStep(now);
  terminal.print(meter.endLine(now));
}

void StepReports::State::write(const ReportRecord &record) {
  if (writer)
    writer->add(record);
}

Status StepReports::State::writeCurve(const std::string &path,
                                      std::span<const Curve> drawn) const {
  if (drawn.empty())
    return unavailable(
        fmt::format("cannot draw '{}': no step has a loss", path));
  WEIR_ASSIGN_OR_RETURN(const CurveKind kind, curveKind(path));
  std::string file;
  if (kind == CurveKind::Page) {
    file = curvePage(drawn, options.title);
  } else {
    WEIR_ASSIGN_OR_RETURN(file, curveImage(drawn.front(), options.title));
  }
  return atomicWriteFile(path, std::as_bytes(std::span(file)));
}

void StepReports::State::plot(std::span<const Curve> drawn) {
  constexpr size_t most = 100, unknown = 72;
  if (drawn.empty() || !options.plot.value_or(rewrites()))
    return;
  const size_t columns =
      terminal.isTerminal() ? std::min(terminal.columns(), most) : unknown;
  terminal.print(
      curveText(drawn.front(), options.title, columns, terminal.hasColours()));
}

StatusOr<StepReports> StepReports::open(const StepReportOptions &options,
                                        const ReportedRun &run) {
  WEIR_RETURN_IF_ERROR(checkReports(options, run.stepsBefore));
  auto state = std::make_unique<State>(options, run);
  WEIR_RETURN_IF_ERROR(state->openFiles());
  return StepReports(std::move(state));
}

StepReports::StepReports(std::unique_ptr<State> state)
    : state(std::move(state)) {}
StepReports::StepReports(StepReports &&other) noexcept = default;
StepReports &StepReports::operator=(StepReports &&other) noexcept = default;
StepReports::~StepReports() = default;

void StepReports::step(const StepRecord &record) {
  if (!state->checkCount(record.values, state->run.values.size()))
    return;
  const double now = state->elapsed();
  {
    const std::lock_guard lock(state->mutex);
    ProgressMeter &meter = state->meter;
    const int64_t lastStep =
        meter.isEmpty() ? state->run.stepsBefore : meter.step();
    if (!meter.isEmpty() && meter.epoch() != record.epoch)
      state->reportStep(now);
    meter.add(record, now);
    state->curves.addStep(record.step, record.values);
    state->reportProgress(lastStep, now);
  }
  // The mutex is free here: `write` may wait for the writer's thread, which may
  // call `warn`.
  state->write({.isValidation = false,
                .step = record.step,
                .epoch = record.epoch,
                .examples = record.examples,
                .seconds = record.seconds,
                .elapsed = now,
                .values = record.values});
}

void StepReports::validation(int64_t step, int64_t epoch,
                             std::span<const double> values) {
  if (!state->checkCount(values, state->run.validationValues.size()))
    return;
  const double now = state->elapsed();
  {
    const std::lock_guard lock(state->mutex);
    state->curves.addValidation(step, values);
    state->reportStep(now);
    if (state->options.progress != StepReportOptions::Progress::None)
      state->print(state->meter.validationLine(step, epoch, values), now);
  }
  state->write({.isValidation = true,
                .step = step,
                .epoch = epoch,
                .elapsed = now,
                .values = values});
}

void StepReports::note(std::string_view text) {
  const std::lock_guard lock(state->mutex);
  state->print(printable(text), state->elapsed());
}

void StepReports::flush() {
  if (state->writer)
    state->writer->flush();
}

std::string StepReports::curveState() {
  const std::lock_guard lock(state->mutex);
  return state->wantsCurves() ? writeCurves(state->curves) : "";
}

Status StepReports::finish() {
  // The warnings of the writer come first.
  state->writer.reset();
  const std::vector<Curve> drawn = state->curves.curves();
  {
    const std::lock_guard lock(state->mutex);
    state->reportEnd(state->elapsed());
    state->plot(drawn);
  }
  for (const std::string &path : state->options.curves)
    if (const Status status = state->writeCurve(path, drawn); !status.isOk())
      state->warn(status, "what the run computed is not affected");
  return state->firstFailure;
}
