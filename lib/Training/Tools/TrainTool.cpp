//===- TrainTool.cpp - Training by graph-run ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainTool.h"

#include "DataArguments.h"
#include "FolderFlags.h"
#include "StopSignals.h"

#include "../JoinedMaps.h"
#include "../Patience.h"

#include "Runtime/Tools/TensorArguments.h"
#include "weir/Support/Counted.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/ToolMain.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace weir;

static StatusOr<StepReportOptions::Progress>
parseProgress(std::string_view text) {
  using Progress = StepReportOptions::Progress;
  if (text == "auto")
    return Progress::Auto;
  if (text == "lines")
    return Progress::Lines;
  if (text == "none")
    return Progress::None;
  return invalidArgument(fmt::format(
      "--progress: expected auto, lines or none, found '{}'", printable(text)));
}

static StatusOr<NonFiniteLoss> parseNan(std::string_view text) {
  if (text == "stop")
    return NonFiniteLoss::Stop;
  if (text == "ignore")
    return NonFiniteLoss::Ignore;
  return invalidArgument(fmt::format("--nan: expected stop or ignore, found "
                                     "'{}'",
                                     printable(text)));
}

/// Parses "min:loss" and "max:accuracy".
static StatusOr<BestMetric> parseBest(std::string_view text) {
  if (const auto metric = parseMetric(text))
    return *metric;
  return invalidArgument(
      fmt::format("--best: expected min:NAME or max:NAME with an output of "
                  "the validation, found '{}'",
                  printable(text)));
}

/// Removes the part of `text` after its last ':', and this ':' itself. Parses
/// that part as a number.
template <typename T>
static std::optional<T> takeNumber(std::string_view &text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos)
    return std::nullopt;
  const std::string_view part = text.substr(colon + 1);
  text = text.substr(0, colon);
  T value;
  const auto [rest, error] =
      std::from_chars(part.data(), part.data() + part.size(), value);
  return error == std::errc() && rest == part.data() + part.size() && value > 0
             ? std::optional(value)
             : std::nullopt;
}

/// Parses "min:loss:5".
static StatusOr<EarlyStop> parseEarlyStop(std::string_view text) {
  std::string_view metric = text;
  const auto patience = takeNumber<int64_t>(metric);
  if (const auto best = parseBest(metric); best && patience)
    return EarlyStop{*best, *patience};
  return invalidArgument(fmt::format(
      "--stop-early: expected min:NAME:PATIENCE or max:NAME:PATIENCE with an "
      "output of the validation and a whole number above 0, found '{}'",
      printable(text)));
}

/// Parses "rate:min:loss:5:0.1".
static StatusOr<Plateau> parsePlateau(std::string_view text) {
  std::string_view rest = text;
  const auto factor = takeNumber<double>(rest);
  const auto patience = takeNumber<int64_t>(rest);
  const size_t colon = rest.find(':');
  const auto metric =
      parseBest(colon == rest.npos ? "" : rest.substr(colon + 1));
  if (metric && patience && factor && *factor < 1 && colon > 0)
    return Plateau{std::string(rest.substr(0, colon)), *metric, *patience,
                   *factor};
  return invalidArgument(fmt::format(
      "--plateau: expected INPUT:min:NAME:PATIENCE:FACTOR or with max, a whole "
      "number above 0, and a factor between 0 and 1, found '{}'",
      printable(text)));
}

/// Checks that `text`, the value of `flag`, is data without a column that
/// --input gives as well.
static Status checkData(std::string_view flag, const std::string &text,
                        std::span<const std::string> inputs) {
  if (text.empty())
    return Status::ok();
  auto items = parseDataItems(text);
  if (!items)
    return std::move(items).status().withContext(flag);
  for (const DataItem &item : *items) {
    const std::string &name = item.name.empty() ? item.part : item.name;
    for (const std::string &input : inputs)
      if (!name.empty() && input.starts_with(name + "="))
        return invalidArgument(
            fmt::format("'{}' is a column of {} and is given with --input too; "
                        "leave one of them out",
                        printable(name), flag));
  }
  return Status::ok();
}

/// Checks that --predict has files for its rows, or a single stream that gets
/// nothing else.
static Status checkRows(const RunToolOptions &common) {
  if (common.outputs.empty())
    return invalidArgument("--predict writes outputs; name a file with "
                           "--output FILE.csv or --output NAME=FILE.npy");
  for (const std::string &output : common.outputs) {
    const bool isStream = output == "-" || output.ends_with("=-");
    if (isStream && common.json)
      return invalidArgument(
          fmt::format("--json and --output {} would both write to standard "
                      "output; name a file for the rows, or leave --json out",
                      printable(output)));
    if (!isStream && !output.ends_with(".csv") && !output.ends_with(".npy"))
      return invalidArgument(
          fmt::format("--output: expected a file whose name ends in .csv or "
                      ".npy, found '{}'",
                      printable(output)));
  }
  // An output needs no name if it is the only one.
  return common.outputs.size() < 2
             ? Status::ok()
             : splitTensorArguments(common.outputs, "--output").status();
}

/// Checks that each input that is the same for all batches is a file.
static Status checkFixedInputs(std::span<const std::string> arguments) {
  WEIR_ASSIGN_OR_RETURN(const auto inputs,
                        splitTensorArguments(arguments, "--input"));
  for (const NamedValue &input : inputs)
    if (isRandom(input.value))
      return invalidArgument(fmt::format(
          "--input {}: with data, inputs are columns of it or files; give a "
          "file",
          printable(input.name)));
  return Status::ok();
}

Status weir::checkUsage(const TrainToolOptions &options) {
  RunToolOptions common = options.common;
  // --predict writes other formats than a run does for its outputs.
  if (!options.predict.empty()) {
    WEIR_RETURN_IF_ERROR(checkRows(common));
    common.outputs.clear();
  }
  WEIR_RETURN_IF_ERROR(checkUsage(common));
  WEIR_RETURN_IF_ERROR(checkFixedInputs(common.inputs));
  const std::vector<std::string> &inputs = options.common.inputs;
  WEIR_RETURN_IF_ERROR(checkData("--data", options.data, inputs));
  WEIR_RETURN_IF_ERROR(
      checkData("--validation-data", options.validationData, inputs));
  WEIR_RETURN_IF_ERROR(checkData("--evaluate", options.evaluate, inputs));
  WEIR_RETURN_IF_ERROR(checkData("--predict", options.predict, inputs));
  WEIR_RETURN_IF_ERROR(parseMaps(options.maps).status());
  WEIR_RETURN_IF_ERROR(parseLast(options.last, "--last").status());
  WEIR_RETURN_IF_ERROR(
      parseLast(options.validationLast, "--validation-last").status());
  WEIR_RETURN_IF_ERROR(parseProgress(options.progress).status());
  WEIR_RETURN_IF_ERROR(parseNan(options.nan).status());
  if (!options.best.empty())
    WEIR_RETURN_IF_ERROR(parseBest(options.best).status());
  if (!options.stopEarly.empty())
    WEIR_RETURN_IF_ERROR(parseEarlyStop(options.stopEarly).status());
  if (!options.plateau.empty())
    WEIR_RETURN_IF_ERROR(parsePlateau(options.plateau).status());
  for (const std::string &curve : options.trainer.reports.curves)
    if (!curve.ends_with(".html") && !curve.ends_with(".png"))
      return invalidArgument(fmt::format(
          "--curve: expected a file whose name ends in .html or .png, found "
          "'{}'",
          printable(curve)));
  const std::string &log = options.trainer.reports.log;
  WEIR_RETURN_IF_ERROR(checkOutputEnding(
      "--log", log,
      {"JSON in lines", log.ends_with(".json") ? ".json" : ".jsonl"}));
  WEIR_RETURN_IF_ERROR(checkFolder("--checkpoint", options.checkpointFolder));
  WEIR_RETURN_IF_ERROR(
      checkFolder("--tensorboard", options.trainer.reports.eventFolder));
  if (options.common.json && log == "-")
    return invalidArgument("--json and --log would both write to standard "
                           "output; name a file for the log");
  return checkUses(options);
}

Status weir::checkUses(const TrainToolOptions &options) {
  const RunToolOptions &common = options.common;
  FileUses uses;
  uses.reads("the model", common.model);
  uses.readsPlugins();
  for (const std::string &text : {options.data, options.validationData,
                                  options.evaluate, options.predict}) {
    if (text.empty())
      continue;
    WEIR_ASSIGN_OR_RETURN(const auto items, parseDataItems(text));
    for (const DataItem &item : items)
      uses.reads("the data", item.path);
  }
  WEIR_ASSIGN_OR_RETURN(const auto inputs,
                        splitTensorArguments(common.inputs, "--input"));
  for (const NamedValue &input : inputs)
    if (!isRandom(input.value))
      uses.reads(fmt::format("--input {}", printable(input.name)), input.value);
  if (!options.classes.empty())
    uses.reads("--classes", options.classes);
  const StepReportOptions &reports = options.trainer.reports;
  if (!reports.log.empty())
    uses.replaces("--log", reports.log);
  for (const std::string &curve : reports.curves)
    uses.replaces("--curve", curve);
  // The name of an output hardly has a '='.
  for (const std::string &output : common.outputs)
    uses.replaces(fmt::format("--output {}", printable(output)),
                  output.substr(output.find('=') + 1));
  addEndFiles(common, uses);
  return uses.check();
}

namespace {

/// One training by the tool.
class ToolTraining {
public:
  explicit ToolTraining(TrainToolOptions options)
      : options(std::move(options)) {}
  Status run();

private:
  Status parse();
  StatusOr<std::unique_ptr<Session>> loadSession(bool checkNumerics);
  Status train(Trainer &trainer);
  Status save(const Trainer &trainer) const;
  Status explainNonFinite(Trainer &trainer, Status error);
  Status report(const TrainingSummary &summary) const;

  TrainToolOptions options;
  std::vector<ColumnMap> maps;
  /// The entry that trains.
  std::string entry;
  bool wasResumed = false;
  Trace trace;
  std::unique_ptr<Session> session;
};

} // namespace

Status ToolTraining::parse() {
  TrainerOptions &trainer = options.trainer;
  if (!options.common.entry.empty())
    trainer.entry = options.common.entry;
  entry = trainer.entry;
  wasResumed = trainer.resume;
  if (!options.validationData.empty() && trainer.validationEntry.empty())
    trainer.validationEntry = "validate";
  WEIR_ASSIGN_OR_RETURN(trainer.loader.last, parseLast(options.last, "--last"));
  WEIR_ASSIGN_OR_RETURN(trainer.validationLast,
                        parseLast(options.validationLast, "--validation-last"));
  WEIR_ASSIGN_OR_RETURN(trainer.reports.progress,
                        parseProgress(options.progress));
  WEIR_ASSIGN_OR_RETURN(trainer.nonFiniteLoss, parseNan(options.nan));
  if (options.wantsPlot)
    trainer.reports.plot = true;
  if (!options.best.empty()) {
    WEIR_ASSIGN_OR_RETURN(trainer.best, parseBest(options.best));
  }
  if (!options.stopEarly.empty()) {
    WEIR_ASSIGN_OR_RETURN(trainer.earlyStop, parseEarlyStop(options.stopEarly));
  }
  if (!options.plateau.empty()) {
    WEIR_ASSIGN_OR_RETURN(trainer.plateau, parsePlateau(options.plateau));
  }
  if (!options.checkpointFolder.empty())
    trainer.checkpoints = {options.checkpointFolder, options.keepCheckpoints};
  if (!options.common.profile.empty())
    trainer.trace = &trace;
  trainer.names = OptionNames::Flags;
  trainer.maps = joinMaps(options.maps);
  WEIR_ASSIGN_OR_RETURN(maps, parseMaps(options.maps));
  return Status::ok();
}

static nlohmann::ordered_json toJson(std::span<const NamedScalar> values) {
  auto object = nlohmann::ordered_json::object();
  for (const NamedScalar &value : values)
    object[value.name] = value.value;
  return object;
}

static std::string toText(std::span<const NamedScalar> values) {
  std::string text;
  for (const NamedScalar &value : values)
    text += fmt::format("  {} {:.6g}", printable(value.name), value.value);
  return text;
}

Status ToolTraining::report(const TrainingSummary &summary) const {
  const double perSecond =
      summary.seconds > 0
          ? static_cast<double>(summary.examples) / summary.seconds
          : 0;
  if (!options.common.json) {
    const int64_t steps = summary.position.step - summary.stepsBefore;
    std::string text = fmt::format(
        "{} in {:.2f} s, {:.0f} examples/s, {:.2f} s of it waiting for data, "
        "which was not ready for {}\n",
        counted(static_cast<size_t>(steps), "step"), summary.seconds, perSecond,
        summary.dataSeconds,
        counted(static_cast<size_t>(summary.dataWaits), "step"));
    if (steps > 0)
      text += fmt::format("last step:{}\n", toText(summary.values));
    if (!summary.validation.empty())
      text += fmt::format("validation:{}\n", toText(summary.validation));
    printReport(text);
    return Status::ok();
  }
  nlohmann::ordered_json object;
  object["step"] = summary.position.step;
  object["steps_before"] = summary.stepsBefore;
  object["epoch"] = summary.position.epoch;
  object["examples"] = summary.examples;
  object["seconds"] = summary.seconds;
  object["data_seconds"] = summary.dataSeconds;
  object["data_waits"] = summary.dataWaits;
  object["examples_per_second"] = perSecond;
  object["values"] = toJson(summary.values);
  object["validation"] = toJson(summary.validation);
  // The best value of a checkpoint may be of an earlier training that asked for
  // it.
  if (!options.best.empty() && summary.position.best)
    object["best"] = *summary.position.best;
  return printJson(toJsonText(object));
}

/// `error`, with the first op whose result is not finite, or else with the
/// command that finds this op.
Status ToolTraining::explainNonFinite(Trainer &trainer, Status error) {
  constexpr double maxSeconds = 60;
  if (options.common.checkNumerics)
    return error;
  // There may be no memory for a second session.
  Status found = unavailable("the model cannot be loaded again");
  if (options.common.model != "-")
    if (auto checked = loadSession(/*checkNumerics=*/true))
      found = trainer.findNonFinite(**checked, maxSeconds);
  if (!found.isOk() && found.code() != StatusCode::Unavailable)
    return Status(error.code(),
                  fmt::format("{}; {}", error.message(), found.message()));
  const bool resumes = !options.checkpointFolder.empty() && !wasResumed;
  return Status(error.code(),
                fmt::format("{}; find the first op whose result is not finite "
                            "with: {}{} --check-numerics",
                            error.message(), options.command,
                            resumes ? " --resume" : ""));
}

Status ToolTraining::save(const Trainer &trainer) const {
  const RunToolOptions &common = options.common;
  if (!common.saveVariables.empty())
    WEIR_RETURN_IF_ERROR(trainer.saveVariables(common.saveVariables)
                             .withContext("--save-variables"));
  WEIR_RETURN_IF_ERROR(report(trainer.summary()));
  if (common.profile.empty())
    return Status::ok();
  const std::string chromeJson = trace.toChromeJson();
  return atomicWriteFile(common.profile, std::as_bytes(std::span(chromeJson)))
      .withContext("--profile");
}

Status ToolTraining::train(Trainer &trainer) {
  const StopSignals handler(trainer);
  Status status = trainer.run();
  const TrainingEnd end = trainer.summary().end;
  if (end == TrainingEnd::NonFinite)
    return explainNonFinite(trainer, std::move(status));
  // Variables that could not be saved in one place may be saved in another.
  if (status.isOk() || end == TrainingEnd::Unsaved) {
    Status saved = save(trainer);
    if (status.isOk())
      status = std::move(saved);
  }
  WEIR_RETURN_IF_ERROR(status);
  const int signal = StopSignals::received();
  if (signal == 0)
    return Status::ok();
  const bool isDone = end == TrainingEnd::Complete || end == TrainingEnd::Early;
  const std::string what =
      signal == SIGINT ? "interrupted"
                       : fmt::format("stopped by {}", signalName(signal));
  const char *next = isDone ? ", the last one; nothing is left to do"
                     : options.checkpointFolder.empty()
                         ? ""
                         : "; go on with --resume";
  return Status(StatusCode::Cancelled,
                fmt::format("{} after step {}{}", what,
                            trainer.summary().position.step, next));
}

StatusOr<std::unique_ptr<Session>>
ToolTraining::loadSession(bool checkNumerics) {
  const RunToolOptions &common = options.common;
  WEIR_ASSIGN_OR_RETURN(SessionOptions sessionOptions,
                        sessionOptionsOf(common));
  sessionOptions.entry = entry;
  sessionOptions.checkNumerics = checkNumerics;
  if (!common.profile.empty())
    sessionOptions.trace = &trace;
  auto opened = Session::load(common.model, sessionOptions);
  const std::string lacks =
      fmt::format("there is no entry '{}'", printable(entry));
  if (!opened && common.entry.empty() &&
      opened.status().message().find(lacks) != std::string_view::npos)
    return notFound(
        fmt::format("{}; --data trains: compile the model with --train to add "
                    "'{}', or name an entry that trains with --entry",
                    opened.status().message(), printable(entry)));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> loaded, std::move(opened));
  WEIR_RETURN_IF_ERROR(loadGivenVariables(*loaded, common.loadVariables));
  return loaded;
}

Status ToolTraining::run() {
  WEIR_RETURN_IF_ERROR(parse());
  WEIR_RETURN_IF_ERROR(checkEndFiles(options.common));
  WEIR_ASSIGN_OR_RETURN(options.trainer.inputs,
                        readFixedInputs(options.common.inputs));
  WEIR_ASSIGN_OR_RETURN(session, loadSession(options.common.checkNumerics));
  WEIR_ASSIGN_OR_RETURN(const ColumnClasses given,
                        readClasses(options.classes, options.data));
  WEIR_ASSIGN_OR_RETURN(Dataset data, openMapped(options.data, maps, given,
                                                 /*warns=*/true));
  WEIR_RETURN_IF_ERROR(checkClasses(options.classes, data));
  if (!options.validationData.empty()) {
    WEIR_ASSIGN_OR_RETURN(options.trainer.validation,
                          openMapped(options.validationData, maps,
                                     classesOf(data),
                                     /*warns=*/false));
  }
  WEIR_ASSIGN_OR_RETURN(
      Trainer trainer,
      Trainer::create(*session, std::move(data), std::move(options.trainer)));
  warnOfUnread(options.data, session->entry());
  if (trainer.summary().stepsBefore > 0 &&
      !options.common.loadVariables.empty())
    printReport("note: the checkpoint's variables replace those of "
                "--load-variables\n");
  if (options.checkpointFolder.empty() && options.common.saveVariables.empty())
    printReport("warning: nothing keeps what is trained; name a folder with "
                "--checkpoint, or a file with --save-variables\n");
  return train(trainer);
}

ExitCode weir::trainTool(TrainToolOptions options) {
  const Status status = ToolTraining(std::move(options)).run();
  const ExitCode code = finish("graph-run", status);
  return status.code() == StatusCode::Cancelled && StopSignals::received() != 0
             ? exitBySignal(StopSignals::received())
             : code;
}
