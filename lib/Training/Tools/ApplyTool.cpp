//===- ApplyTool.cpp - Entries on data by graph-run -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ApplyTool.h"

#include "CheckpointData.h"
#include "DataArguments.h"
#include "RowsFile.h"
#include "Training/BatchErrors.h"
#include "Training/BatchRuns.h"
#include "Training/FiniteChecks.h"
#include "Training/Means.h"
#include "weir/Support/Counted.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace weir;

namespace {
/// An entry, and the data on which it runs.
class Application {
public:
  /// Loads the model and opens the data `text`. If the options name no entry,
  /// takes the entry `preferred`, if it exists.
  static StatusOr<Application> load(const TrainToolOptions &options,
                                    const std::string &text,
                                    std::string_view preferred);

  /// Runs on all examples in their order, and calls `use(batches, batch)` after
  /// each batch.
  template <typename Function> Status run(Function use);

  std::unique_ptr<Session> session;
  Dataset data;
  LoaderOptions loading;
  BatchRuns runs;

private:
  Application(std::unique_ptr<Session> session, Dataset data,
              LoaderOptions loading, BatchRuns runs)
      : session(std::move(session)), data(std::move(data)),
        loading(std::move(loading)), runs(std::move(runs)) {}
};
} // namespace

static StatusOr<std::unique_ptr<Session>>
loadSession(const TrainToolOptions &options) {
  const RunToolOptions &common = options.common;
  WEIR_ASSIGN_OR_RETURN(SessionOptions sessionOptions,
                        sessionOptionsOf(common));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                        Session::load(common.model, sessionOptions));
  WEIR_RETURN_IF_ERROR(loadGivenVariables(*session, common.loadVariables));
  if (common.loadVariables.empty() && !session->variables().empty())
    printReport("note: the variables have the values of the model; give those "
                "of a training with --load-variables FILE.safetensors\n");
  return session;
}

/// The classes of --classes, or else the classes of the checkpoint.
static StatusOr<ColumnClasses> findClasses(const TrainToolOptions &options,
                                           const std::string &text) {
  if (options.common.loadVariables.empty())
    return readClasses(options.classes, text);
  WEIR_ASSIGN_OR_RETURN(ColumnClasses trained,
                        classesOfCheckpoint(options.common.loadVariables));
  if (options.classes.empty())
    return trained;
  WEIR_ASSIGN_OR_RETURN(ColumnClasses given,
                        readClasses(options.classes, text));
  for (const auto &[column, names] : trained)
    if (const auto found = given.find(column);
        found != given.end() && found->second != names)
      return invalidArgument(
          fmt::format("--classes: '{}' has other classes for column '{}', or "
                      "another order, "
                      "than the training of '{}'; leave --classes out, since "
                      "the checkpoint "
                      "has them",
                      printable(options.classes), printable(column),
                      printable(options.common.loadVariables)));
  return given;
}

StatusOr<Application> Application::load(const TrainToolOptions &options,
                                        const std::string &text,
                                        std::string_view preferred) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, loadSession(options));
  WEIR_ASSIGN_OR_RETURN(const std::vector<ColumnMap> maps,
                        parseMaps(options.maps));
  WEIR_ASSIGN_OR_RETURN(const ColumnClasses classes,
                        findClasses(options, text));
  WEIR_ASSIGN_OR_RETURN(Dataset data,
                        openMapped(text, maps, classes, /*warns=*/true));
  WEIR_RETURN_IF_ERROR(checkClasses(options.classes, data));
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedColumn> fixed,
                        readFixedInputs(options.common.inputs));
  std::string name = options.common.entry;
  if (name.empty() && session->entry(preferred))
    name = preferred;
  auto found = session->entry(name);
  if (!found && name.empty())
    return std::move(found).status().withContext(fmt::format(
        "without --entry this runs '{}', which the model lacks", preferred));
  WEIR_RETURN_IF_ERROR(found.status());
  const SessionEntry &entry = *found;
  if (name.empty())
    printReport(fmt::format("note: the model has no entry '{}', so '{}' runs\n",
                            preferred, printable(entry.name())));
  const std::string trains = fmt::format("weir.training.{}.", entry.name());
  for (const auto &[key, value] : session->metadata())
    if (key.starts_with(trains))
      return invalidArgument(fmt::format(
          "entry '{}' trains, so it would train on this data; name another "
          "one with --entry",
          printable(entry.name())));
  WEIR_ASSIGN_OR_RETURN(data, mapAsCheckpoint(options.common.loadVariables,
                                              std::move(data), maps, entry));
  WEIR_ASSIGN_OR_RETURN(
      BatchRuns runs,
      BatchRuns::create(entry, data.columns(), fixed, OptionNames::Flags));
  warnOfUnread(text, entry);
  LoaderOptions loading = options.trainer.loader;
  const std::vector<int64_t> sizes = runs.batchSizes();
  if (loading.batchSize == 0)
    loading.batchSize = sizes.front();
  if (std::ranges::find(sizes, loading.batchSize) == sizes.end())
    return invalidArgument(fmt::format(
        "--batch {}: entry '{}' is compiled for batches of {}; leave the "
        "flag out, or name one of these",
        loading.batchSize, printable(entry.name()), fmt::join(sizes, ", ")));
  loading.augment = loading.shuffle = false;
  loading.epochs = 1;
  const int64_t rest = data.size() % loading.batchSize;
  loading.last = std::ranges::find(sizes, rest) != sizes.end() ? LastBatch::Keep
                                                               : LastBatch::Pad;
  return Application(std::move(session), std::move(data), std::move(loading),
                     std::move(runs));
}

template <typename Function> Status Application::run(Function use) {
  WEIR_ASSIGN_OR_RETURN(Loader batches, Loader::create(data, loading));
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, batches.next());
    if (!batch)
      return Status::ok();
    Status ran = runs.run(*batch).status();
    if (!ran.isOk())
      return withExamples(std::move(ran), data, batches, *batch);
    WEIR_RETURN_IF_ERROR(use(batches, *batch));
  }
}

/// Reports `values`, the means of the values that the entry of `application`
/// returns.
static Status reportMeans(const Application &application,
                          const std::vector<double> &values, bool asJson) {
  const int64_t examples = application.data.size();
  nlohmann::ordered_json object;
  object["examples"] = examples;
  std::string text = counted(static_cast<uint64_t>(examples), "example") + ":";
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string &name = application.runs.valueNames()[i];
    object["values"][name] = values[i];
    text += fmt::format("  {} {:.6g}", printable(name), values[i]);
  }
  if (asJson)
    return printJson(toJsonText(object));
  printReport(text + "\n");
  return Status::ok();
}

Status weir::evaluateTool(const TrainToolOptions &options) {
  WEIR_ASSIGN_OR_RETURN(
      Application application,
      Application::load(options, options.evaluate, "validate"));
  const BatchRuns &runs = application.runs;
  if (runs.valueNames().empty())
    return invalidArgument(fmt::format(
        "entry '{}' has no output of one element whose mean could be reported; "
        "write its outputs with --predict instead",
        printable(runs.entryName())));
  const int64_t rest = application.data.size() % application.loading.batchSize;
  if (application.loading.last == LastBatch::Pad && rest != 0)
    return invalidArgument(fmt::format(
        "the data has {} examples, so the last batch of {} has {}, for which "
        "entry '{}' is not compiled; give a multiple of {} examples, or, if "
        "the graph leaves their number open, compile it with --shape for both "
        "sizes",
        application.data.size(), application.loading.batchSize, rest,
        printable(runs.entryName()), application.loading.batchSize));
  Means means(runs.valueNames().size());
  NonFiniteBatches nonFinite(OptionNames::Flags);
  WEIR_RETURN_IF_ERROR(
      application.run([&](const Loader &batches, const Batch &batch) {
        means.add(runs.lastValues(), batch.count());
        nonFinite.add(runs.valueNames(), runs.lastValues(), batches, batch);
        return Status::ok();
      }));
  if (const std::string found = nonFinite.describe(); !found.empty())
    printReport(fmt::format("warning: {}\n", found));
  return reportMeans(application, means.get(), options.common.json);
}

namespace {
/// An output and the file that gets its rows.
struct WrittenOutput {
  size_t output;
  RowsFile file;
  /// The number of rows that have a NaN, and a text about the first such row.
  int64_t numNaN = 0;
  std::string firstNaN = {};

  /// Looks for NaN in `rows`, the output for `batch`.
  void findNaN(const HostTensor &rows, const Loader &batches,
               const Batch &batch);
  void warnOfNaN(const Application &application) const;
};
} // namespace

void WrittenOutput::findNaN(const HostTensor &rows, const Loader &batches,
                            const Batch &batch) {
  if (countNonFinite(rows) == 0)
    return;
  const int64_t perRow = rows.desc().numElements() / rows.dims().front();
  for (int64_t row = 0; row < batch.count(); ++row)
    for (int64_t i = row * perRow; i < (row + 1) * perRow; ++i)
      if (std::isnan(loadFloat(rows.type(), rows.data(), i))) {
        if (numNaN++ == 0)
          firstNaN = batches.placeOf(batch, 0, row) +
                     describeCause(batches, batch, OptionNames::Flags);
        break;
      }
}

void WrittenOutput::warnOfNaN(const Application &application) const {
  if (numNaN == 0)
    return;
  printReport(fmt::format(
      "warning: output '{}' has NaN in {} of {}, first in the one of {}\n",
      printable(application.runs.outputInfos()[output].name), numNaN,
      counted(static_cast<uint64_t>(application.data.size()), "row"),
      firstNaN));
}

/// The output of `runs` that `argument` means. `argument` is NAME=FILE or FILE.
static StatusOr<WrittenOutput> openOutput(const BatchRuns &runs,
                                          const std::string &argument) {
  const std::span<const TensorInfo> infos = runs.outputInfos();
  std::vector<std::string> names;
  std::optional<size_t> found;
  for (size_t i = 0; i < infos.size(); ++i) {
    names.push_back(fmt::format("'{}'", printable(infos[i].name)));
    if (argument.starts_with(infos[i].name + "="))
      found = i;
  }
  const bool isFile = !found && argument.find('=') == argument.npos;
  if (isFile && infos.size() == 1)
    found = 0;
  if (!found)
    return invalidArgument(fmt::format(
        "--output {}: expected NAME=FILE; entry '{}' has the outputs {}",
        printable(argument), printable(runs.entryName()),
        fmt::join(names, ", ")));
  const TensorInfo &info = infos[*found];
  const std::vector<int64_t> &dims = info.desc.dims;
  if (dims.empty() || dims.front() != runs.batchSizes().front())
    return invalidArgument(fmt::format(
        "output '{}' is {}, which has no row for each example of a batch of "
        "{}; name another one, or report its mean with --evaluate",
        printable(info.name), info.desc.toString(), runs.batchSizes().front()));
  WEIR_ASSIGN_OR_RETURN(
      RowsFile file,
      RowsFile::create(
          isFile ? argument : argument.substr(info.name.size() + 1), info.name,
          info.desc.type, {dims.begin() + 1, dims.end()}));
  return WrittenOutput{*found, std::move(file)};
}

Status weir::predictTool(const TrainToolOptions &options) {
  WEIR_ASSIGN_OR_RETURN(Application application,
                        Application::load(options, options.predict, "predict"));
  std::vector<WrittenOutput> written;
  std::map<size_t, std::string> seen;
  for (const std::string &argument : options.common.outputs) {
    WEIR_ASSIGN_OR_RETURN(WrittenOutput output,
                          openOutput(application.runs, argument));
    auto [other, isNew] = seen.emplace(output.output, argument);
    if (!isNew)
      return givenTwice(application.runs.outputInfos()[output.output].name,
                        other->second, argument)
          .withContext("--output");
    written.push_back(std::move(output));
  }
  const auto use = [&](const Loader &batches, const Batch &batch) -> Status {
    for (WrittenOutput &each : written) {
      const HostTensor &rows = application.runs.lastOutputs()[each.output];
      // Outputs have other shapes in batches of another size.
      if (rows.dims().empty() || rows.dims().front() < batch.count())
        return invalidArgument(fmt::format(
            "output '{}' is {}, which has no row for each example of a batch "
            "of "
            "{}; name another one, or report its mean with --evaluate",
            printable(application.runs.outputInfos()[each.output].name),
            rows.desc().toString(), batch.count()));
      each.findNaN(rows, batches, batch);
      WEIR_RETURN_IF_ERROR(each.file.add(rows, batch.count()));
    }
    return Status::ok();
  };
  WEIR_RETURN_IF_ERROR(application.run(use));
  for (WrittenOutput &each : written) {
    WEIR_RETURN_IF_ERROR(each.file.commit());
    each.warnOfNaN(application);
  }
  const int64_t examples = application.data.size();
  if (options.common.json)
    return printJson(
        toJsonText(nlohmann::ordered_json{{"examples", examples}}));
  printReport(fmt::format("{} written\n",
                          counted(static_cast<uint64_t>(examples), "example")));
  return Status::ok();
}
