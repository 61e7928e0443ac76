//===- TrainTool.cpp - Training by graph-run ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TrainTool.h"

#include "Runtime/Tools/TensorArguments.h"
#include "weir/Data/DataText.h"
#include "weir/Support/Counted.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"
#include "weir/Support/TensorFile.h"
#include "weir/Support/ToolMain.h"
#include "weir/Support/Trace.h"

#include <atomic>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace weir;

static StatusOr<LastBatch> parseLast(std::string_view text,
                                     std::string_view flag) {
  if (text == "keep")
    return LastBatch::Keep;
  if (text == "drop")
    return LastBatch::Drop;
  if (text == "pad")
    return LastBatch::Pad;
  return invalidArgument(fmt::format(
      "{}: expected keep, drop or pad, found '{}'", flag, printable(text)));
}

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

/// Parses "min:loss" and "max:accuracy".
static StatusOr<BestMetric> parseBest(std::string_view text) {
  const bool isHigher = text.starts_with("max:");
  constexpr size_t prefix = 4;
  if ((!isHigher && !text.starts_with("min:")) || text.size() == prefix)
    return invalidArgument(
        fmt::format("--best: expected min:NAME or max:NAME with an output of "
                    "the validation, found '{}'",
                    printable(text)));
  return BestMetric{std::string(text.substr(prefix)), isHigher};
}

static Status parseMaps(const std::vector<std::string> &texts,
                        std::vector<ColumnMap> &maps) {
  for (const std::string &text : texts) {
    auto map = parseColumnMap(text);
    if (!map)
      return std::move(map).status().withContext("--map");
    maps.push_back(*std::move(map));
  }
  return Status::ok();
}

Status weir::checkUsage(const TrainToolOptions &options) {
  WEIR_RETURN_IF_ERROR(checkUsage(options.common));
  WEIR_RETURN_IF_ERROR(
      parseDataItems(options.data).status().withContext("--data"));
  if (!options.validationData.empty())
    WEIR_RETURN_IF_ERROR(parseDataItems(options.validationData)
                             .status()
                             .withContext("--validation-data"));
  std::vector<ColumnMap> maps;
  WEIR_RETURN_IF_ERROR(parseMaps(options.maps, maps));
  WEIR_RETURN_IF_ERROR(parseLast(options.last, "--last").status());
  WEIR_RETURN_IF_ERROR(
      parseLast(options.validationLast, "--validation-last").status());
  WEIR_RETURN_IF_ERROR(parseProgress(options.progress).status());
  if (!options.best.empty())
    WEIR_RETURN_IF_ERROR(parseBest(options.best).status());
  if (options.common.json && options.trainer.reports.log == "-")
    return invalidArgument("--json and --log would both write to standard "
                           "output; name a file for the log");
  return Status::ok();
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
  Status checkUses() const;
  StatusOr<Dataset> open(const std::string &text) const;
  Status readInputs();
  Status train(Trainer &trainer);
  Status report(const TrainingSummary &summary) const;

  TrainToolOptions options;
  std::vector<ColumnMap> maps;
  Trace trace;
  std::unique_ptr<Session> session;
};

/// The training that an interrupt stops; null: there is none.
std::atomic<Trainer *> interruptible = nullptr;

/// While it exists, the first interrupt stops `trainer` behind its step. A
/// second one ends the process.
class StopOnInterrupt {
public:
  explicit StopOnInterrupt(Trainer &trainer) {
    interruptible = &trainer;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      if (Trainer *trainer = interruptible)
        trainer->stop();
      wasInterrupted = 1;
    };
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, &action, &before);
  }
  ~StopOnInterrupt() {
    sigaction(SIGINT, &before, nullptr);
    interruptible = nullptr;
  }
  static bool isInterrupted() { return wasInterrupted != 0; }

private:
  static inline volatile std::sig_atomic_t wasInterrupted = 0;
  struct sigaction before = {};
};

} // namespace

Status ToolTraining::parse() {
  TrainerOptions &trainer = options.trainer;
  if (!options.common.entry.empty())
    trainer.entry = options.common.entry;
  if (!options.validationData.empty() && trainer.validationEntry.empty())
    trainer.validationEntry = "validate";
  WEIR_ASSIGN_OR_RETURN(trainer.loader.last, parseLast(options.last, "--last"));
  WEIR_ASSIGN_OR_RETURN(trainer.validationLast,
                        parseLast(options.validationLast, "--validation-last"));
  WEIR_ASSIGN_OR_RETURN(trainer.reports.progress,
                        parseProgress(options.progress));
  if (options.wantsPlot)
    trainer.reports.plot = true;
  if (!options.best.empty()) {
    WEIR_ASSIGN_OR_RETURN(trainer.best, parseBest(options.best));
  }
  if (!options.checkpointFolder.empty())
    trainer.checkpoints = {options.checkpointFolder, options.keepCheckpoints};
  if (!options.common.profile.empty())
    trainer.trace = &trace;
  return parseMaps(options.maps, maps);
}

/// Whether each file that is written is used in no other way.
Status ToolTraining::checkUses() const {
  const RunToolOptions &common = options.common;
  FileUses uses;
  uses.reads("the model", common.model);
  uses.readsPlugins();
  for (const std::string &text : {options.data, options.validationData}) {
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
  if (!common.loadVariables.empty())
    uses.reads("--load-variables", common.loadVariables);
  const StepReportOptions &reports = options.trainer.reports;
  if (!common.saveVariables.empty())
    uses.replaces("--save-variables", common.saveVariables);
  if (!common.profile.empty())
    uses.replaces("--profile", common.profile);
  if (!reports.log.empty())
    uses.replaces("--log", reports.log);
  for (const std::string &curve : reports.curves)
    uses.replaces("--curve", curve);
  if (common.json)
    uses.replaces("--json", "-");
  uses.reportsToStandardError();
  return uses.check();
}

StatusOr<Dataset> ToolTraining::open(const std::string &text) const {
  WEIR_ASSIGN_OR_RETURN(Dataset data, parseDataset(text));
  for (const ColumnMap &map : maps) {
    auto mapped = data.map(map.column, map.steps);
    if (!mapped)
      return std::move(mapped).status().withContext("--map");
    data = *std::move(mapped);
  }
  return data;
}

/// The files of --input: inputs that are the same in all steps.
Status ToolTraining::readInputs() {
  WEIR_ASSIGN_OR_RETURN(const auto arguments,
                        splitTensorArguments(options.common.inputs, "--input"));
  for (const NamedValue &argument : arguments) {
    if (isRandom(argument.value))
      return invalidArgument(fmt::format(
          "--input {}: in training, inputs are columns of --data or files; "
          "give a file",
          printable(argument.name)));
    auto values = readTensorFile(argument.value);
    if (!values)
      return std::move(values).status().withContext(
          fmt::format("--input {}", printable(argument.name)));
    options.trainer.inputs.push_back({argument.name, *std::move(values)});
  }
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
  // That of a checkpoint may be of an earlier training that asked for it.
  if (options.trainer.best && summary.position.best)
    object["best"] = *summary.position.best;
  return printJson(toJsonText(object));
}

Status ToolTraining::train(Trainer &trainer) {
  const StopOnInterrupt handler(trainer);
  WEIR_RETURN_IF_ERROR(trainer.run());
  const RunToolOptions &common = options.common;
  if (!common.saveVariables.empty())
    WEIR_RETURN_IF_ERROR(session->saveVariables(common.saveVariables)
                             .withContext("--save-variables"));
  WEIR_RETURN_IF_ERROR(report(trainer.summary()));
  if (!common.profile.empty()) {
    const std::string chromeJson = trace.toChromeJson();
    WEIR_RETURN_IF_ERROR(
        atomicWriteFile(common.profile, std::as_bytes(std::span(chromeJson)))
            .withContext("--profile"));
  }
  if (!StopOnInterrupt::isInterrupted())
    return Status::ok();
  return Status(
      StatusCode::Cancelled,
      fmt::format(
          "interrupted after step {}{}", trainer.summary().position.step,
          options.checkpointFolder.empty() ? "" : "; go on with --resume"));
}

Status ToolTraining::run() {
  WEIR_RETURN_IF_ERROR(parse());
  WEIR_RETURN_IF_ERROR(checkUses());
  WEIR_RETURN_IF_ERROR(readInputs());
  const RunToolOptions &common = options.common;
  WEIR_ASSIGN_OR_RETURN(SessionOptions sessionOptions,
                        sessionOptionsOf(common));
  sessionOptions.entry = options.trainer.entry;
  if (!common.profile.empty())
    sessionOptions.trace = &trace;
  WEIR_ASSIGN_OR_RETURN(session, Session::load(common.model, sessionOptions));
  if (!common.loadVariables.empty())
    WEIR_RETURN_IF_ERROR(session->loadVariables(common.loadVariables)
                             .withContext("--load-variables"));
  WEIR_ASSIGN_OR_RETURN(Dataset data, open(options.data));
  if (!options.validationData.empty()) {
    WEIR_ASSIGN_OR_RETURN(options.trainer.validation,
                          open(options.validationData));
  }
  WEIR_ASSIGN_OR_RETURN(
      Trainer trainer,
      Trainer::create(*session, std::move(data), std::move(options.trainer)));
  return train(trainer);
}

Status weir::trainTool(TrainToolOptions options) {
  return ToolTraining(std::move(options)).run();
}
