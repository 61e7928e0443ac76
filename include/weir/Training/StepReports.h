//===- StepReports.h - What people see of a training run --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir::StepReportOptions options;
//   options.log = "run.jsonl";
//   options.curves = {"run.html"};
//   weir::ReportedRun run;
//   run.totalSteps = 1000;
//   run.values = {{"loss"}, {"mistakes"}, {"rate", /*isSmoothed=*/false}};
//   run.validationValues = {"loss", "mistakes"};
//   auto reports = weir::StepReports::open(options, run);
//   ...
//   const double values[] = {loss, mistakes, rate};
//   reports->step({.step = step, .epoch = epoch, .examples = 32,
//                  .seconds = seconds, .values = values});
//   ...
//   weir::Status lost = reports->finish();
//
// A report never stops a run. A file that cannot be opened is an error of
// `open`, when nothing is lost yet. A file that fails later costs a warning.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TRAINING_STEPREPORTS_H
#define WEIR_TRAINING_STEPREPORTS_H

#include "weir/Support/Status.h"
#include "weir/Training/OptionNames.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The destinations of reports.
struct StepReportOptions {
  enum class Progress {
    /// One line that is rewritten in place if `descriptor` is a terminal, else
    /// Lines.
    Auto,
    /// A line now and then, after each epoch and after each validation.
    Lines,
    /// Only notes, warnings and the plot.
    None
  };

  /// The treatment of a log and of event files that exist.
  enum class Existing {
    /// They are an error.
    Refuse,
    /// They are continued, after the steps that were done before.
    Continue,
    /// They are replaced. A file that is no log is an error all the same.
    Replace
  };

  Progress progress = Progress::Auto;
  /// The number of steps between two lines; 0: one line every ten seconds.
  int64_t stepsPerLine = 0;
  /// Receives all text for people. -1: nothing is printed.
  int descriptor = 2;
  /// A file with a JSON object on each line. "-": standard output. Empty: none.
  std::string log;
  /// A folder for event files of TensorBoard. It is created if it is missing.
  /// Empty: none.
  std::string eventFolder;
  Existing existing = Existing::Refuse;
  /// Files with the curve of the loss, written by `finish`: .html or .png.
  std::vector<std::string> curves;
  /// Whether `finish` prints the curve as text. If it is unset, the curve is
  /// printed if `descriptor` is a terminal and `progress` is Auto.
  std::optional<bool> plot;
  /// The title of the curves, such as the name of the network.
  std::string title = "Training";
  /// The names by which errors call options.
  OptionNames names = OptionNames::Cpp;
};

/// A number that each step reports.
struct ReportedValue {
  std::string name;
  /// Whether progress shows the mean of the latest steps. If not, it shows the
  /// latest value, as for a learning rate. Files have every value as it is.
  bool isSmoothed = true;
};

/// The facts about a run that are known before its first step.
struct ReportedRun {
  /// The number of steps that were done before; above 0 for a resumed run.
  int64_t stepsBefore = 0;
  /// The number of the last step, including the steps that were done before. 0:
  /// unknown.
  int64_t totalSteps = 0;
  /// 0: unknown.
  int64_t totalEpochs = 0;
  /// The values in `StepRecord::values`. The loss comes first. The curve shows
  /// the loss and the value of the same name in `validationValues`.
  std::vector<ReportedValue> values;
  /// The values that `StepReports::validation` gets.
  std::vector<std::string> validationValues;
  /// The result of `StepReports::curveState` after `stepsBefore` steps; empty
  /// if it is not known.
  std::string curveState = {};
};

/// One step, or all steps since the record before.
struct StepRecord {
  /// The number of the step, counted from 1. It grows from record to record.
  int64_t step = 0;
  /// The number of the epoch, counted from 1.
  int64_t epoch = 0;
  /// The number of examples, and the time that training on them took with all
  /// waiting for data.
  int64_t examples = 0;
  double seconds = 0;
  /// The values, one for each of `ReportedRun::values`.
  std::span<const double> values;
};

/// Receives the steps of a run and reports them. `step` and `validation` cost
/// a few microseconds at most, and allocate nothing unless they print: files
/// are written by another thread. If the disk falls 4096 records behind, they
/// wait for it. All methods are thread-safe.
class StepReports {
public:
  /// Opens what `options` asks for. It is an error if a file cannot be opened,
  /// if another run writes to it, if a curve is neither .html nor .png or this
  /// build cannot write .png, or if a log that exists is no log.
  ///
  /// In a log that is continued, lines of steps after `stepsBefore` are
  /// removed, because these steps are done again. Curves begin with those of
  /// `ReportedRun::curveState`, or else with the values in the log.
  static StatusOr<StepReports> open(const StepReportOptions &options,
                                    const ReportedRun &run);

  StepReports(StepReports &&other) noexcept;
  StepReports &operator=(StepReports &&other) noexcept;
  /// Without `finish`, the files keep what was reported, and curves are not
  /// written.
  ~StepReports();

  void step(const StepRecord &record);

  /// The result of a validation after `step`: one number for each of
  /// `ReportedRun::validationValues`.
  void validation(int64_t step, int64_t epoch, std::span<const double> values);

  /// Prints a line of text for people, such as "saved 'last.safetensors'". The
  /// line of progress is drawn again below.
  void note(std::string_view text);

  /// Waits until all records so far are in the files. After a call before a
  /// checkpoint is written, the log of a run that is killed and resumed has no
  /// gap.
  void flush();

  /// The curves so far as a text, for a run that is resumed. Empty if no curve
  /// is asked for.
  std::string curveState();

  /// Ends the reports, also if the run failed. The error of such a run is best
  /// printed after this call. Prints the last line of progress and the plot,
  /// writes the curves and closes the files. Returns the first error that a
  /// file had since `open`. The error has been printed as a warning, so callers
  /// that print may ignore it. This must be the last call.
  Status finish();

private:
  struct State;
  explicit StepReports(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace weir

#endif // WEIR_TRAINING_STEPREPORTS_H
