//===- RunTool.cpp - The logic of graph-run -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"

#include "../Session/PortTensors.h"
#include "ConcurrentRuns.h"
#include "Expectations.h"
#include "ProfileSummary.h"
#include "RunReport.h"
#include "RunTarget.h"
#include "RunTensors.h"
#include "StoredTensors.h"
#include "TensorArguments.h"
#include "TensorInspection.h"
#include "TimedCalls.h"
#include "weir/Support/Counted.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/JsonText.h"
#include "weir/Support/Npy.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"
#include "weir/Support/ToolMain.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/resource.h>

using namespace weir;

namespace {

/// One call of the tool.
class ToolRun {
public:
  explicit ToolRun(const RunToolOptions &options)
      : options(options), inspection(options.dumpTensors, options.compareWith,
                                     {options.rtol, options.atol}) {}
  Status run();

private:
  Status load();
  Status chooseTarget();
  Status checkArguments();
  Status checkUses() const;
  Status checkFiles() const;
  Status checkOutput(size_t port, const std::string &path) const;
  std::string pathInOutputDir(size_t port) const {
    return fmt::format("{}/{}.npy", options.outputDir,
                       fileStem(target->outputs()[port].name));
  }
  Status execute(std::span<const HostTensor> inputs);
  Status timeRuns(std::span<const ConstTensorView> from,
                  std::span<const TensorView> to);
  Status timeEachRun(TimedCalls &calls, std::span<const ConstTensorView> from,
                     std::span<const TensorView> to, size_t count);
  Status callAll(TimedCalls &calls, std::span<const ConstTensorView> from,
                 std::span<const TensorView> to);
  bool looksAtOutputs() const {
    return !outputFiles.empty() || !options.outputDir.empty() ||
           !expectations.isEmpty();
  }
  Status finishRuns();
  Status writeOutputs();
  Status writeOutput(size_t port, const std::string &path);
  void noteDevicePorts(std::string_view what,
                       std::span<const TensorInfo> ports);
  Status report();

  const RunToolOptions &options;
  Trace trace;
  /// The session calls this object, which must outlive it.
  TensorInspection inspection;
  std::unique_ptr<Session> session;
  std::optional<RunTarget> target;
  InputArguments givenInputs;
  std::vector<TensorArgument> outputFiles;
  Expectations expectations;
  std::vector<HostTensor> outputs;
  ProfileSummary summary;
  /// The times of the launches in the last run that was not late; empty if all
  /// runs were late.
  std::vector<uint64_t> lastTimes;
  /// Whether something ran before the timed runs.
  bool isWarm = false;
  RunReport result;
};

} // namespace

/// "--output y".
static std::string argumentOf(std::string_view flag,
                              std::span<const TensorInfo> ports,
                              const TensorArgument &argument) {
  return fmt::format("{} {}", flag, printable(ports[argument.port].name));
}

Status ToolRun::load() {
  WEIR_ASSIGN_OR_RETURN(SessionOptions sessionOptions,
                        sessionOptionsOf(options));
  if (!options.profile.empty() || options.verbose || options.profileSummary)
    sessionOptions.trace = &trace;
  if (inspection.isWanted())
    sessionOptions.observer = &inspection;
  WEIR_ASSIGN_OR_RETURN(session, Session::load(options.model, sessionOptions));
  return Status::ok();
}

/// Finds the entry, and the shape of it that fits the inputs.
Status ToolRun::chooseTarget() {
  // A session can be loaded without a default entry, but a run needs an entry.
  auto entry = session->entry(options.entry);
  if (!entry && options.entry.empty())
    return std::move(entry)
        .status()
        .withContext("without --entry")
        .withContext(options.model);
  if (!entry)
    return std::move(entry).status().withContext(options.model);
  WEIR_ASSIGN_OR_RETURN(givenInputs,
                        readInputs(options.inputs, entry->inputs()));
  WEIR_ASSIGN_OR_RETURN(
      target, RunTarget::choose(*session, *entry, options.shapes, givenInputs));
  return Status::ok();
}

/// Finds mistakes in the arguments before anything runs.
Status ToolRun::checkArguments() {
  WEIR_ASSIGN_OR_RETURN(
      outputFiles,
      parseTensorArguments(options.outputs, target->outputs(), "--output"));
  WEIR_ASSIGN_OR_RETURN(expectations, Expectations::read(options.expectations,
                                                         target->outputs()));
  WEIR_RETURN_IF_ERROR(inspection.begin(*target));
  WEIR_RETURN_IF_ERROR(checkUses());
  return checkFiles();
}

/// Checks that each file that is written is used in no other way.
Status ToolRun::checkUses() const {
  FileUses uses;
  uses.reads("the model", options.model);
  uses.readsPlugins();
  for (const TensorArgument &input : givenInputs.arguments)
    if (!isRandom(input.value))
      uses.reads(argumentOf("--input", target->inputs(), input), input.value);
  expectations.addFiles(target->outputs(), uses);
  for (const TensorArgument &output : outputFiles)
    uses.replaces(argumentOf("--output", target->outputs(), output),
                  output.value);
  for (size_t i = 0; i < target->outputs().size(); ++i)
    if (!options.outputDir.empty())
      uses.replaces(fmt::format("output '{}' of --output-dir",
                                printable(target->outputs()[i].name)),
                    pathInOutputDir(i), "write them with --output");
  inspection.noteFiles(uses);
  addEndFiles(options, uses);
  return uses.check();
}

/// Creates the folder `path` if it does not exist.
static Status makeFolder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return systemError(fmt::format("cannot make the folder '{}'", path),
                       error.value());
  return Status::ok();
}

Status ToolRun::checkOutput(size_t port, const std::string &path) const {
  return checkWritable(path).withContext(
      fmt::format("output '{}'", printable(target->outputs()[port].name)));
}

/// A run may take long, so this reports files that cannot be written before the
/// run.
Status ToolRun::checkFiles() const {
  for (const TensorArgument &output : outputFiles)
    WEIR_RETURN_IF_ERROR(checkOutput(output.port, output.value));
  if (!options.outputDir.empty())
    WEIR_RETURN_IF_ERROR(makeFolder(options.outputDir));
  if (!options.dumpTensors.empty())
    WEIR_RETURN_IF_ERROR(makeFolder(options.dumpTensors));
  for (size_t i = 0; i < target->outputs().size(); ++i)
    if (!options.outputDir.empty())
      WEIR_RETURN_IF_ERROR(checkOutput(i, pathInOutputDir(i)));
  return checkEndFiles(options);
}

/// A limit that no run reaches; nothing if the timed runs have no deadline.
static std::optional<std::chrono::nanoseconds>
warmupLimit(std::optional<std::chrono::nanoseconds> deadline) {
  if (!deadline)
    return {};
  return std::chrono::hours(24 * 365);
}

using StoredVariables = std::vector<std::pair<std::string, HostTensor>>;

static StatusOr<StoredVariables> storeVariables(const Session &session) {
  StoredVariables stored;
  for (const VariableInfo &variable : session.variables()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor value, session.getVariable(variable.name));
    stored.emplace_back(variable.name, std::move(value));
  }
  return stored;
}

static Status restoreVariables(Session &session,
                               const StoredVariables &stored) {
  for (const auto &[name, value] : stored)
    WEIR_RETURN_IF_ERROR(
        session.setVariable(name, {value.type(), value.dims(), value.data(),
                                   value.bytes().size()}));
  return Status::ok();
}

Status ToolRun::execute(std::span<const HostTensor> inputs) {
  WEIR_ASSIGN_OR_RETURN(const RunInputs from, RunInputs::of(*target, inputs));
  WEIR_ASSIGN_OR_RETURN(outputs, zerosFor(target->outputs()));
  WEIR_ASSIGN_OR_RETURN(RunOutputs to, RunOutputs::of(*target, outputs));
  if (inspection.isLooking()) {
    // The user has not asked for this run, so it must not change the variables.
    WEIR_ASSIGN_OR_RETURN(const auto variables, storeVariables(*session));
    WEIR_RETURN_IF_ERROR(target->run(from.views(), to.views()));
    isWarm = true;
    WEIR_RETURN_IF_ERROR(to.fetch());
    WEIR_RETURN_IF_ERROR(inspection.end(inputs, outputs));
    WEIR_RETURN_IF_ERROR(restoreVariables(*session, variables));
  }
  if (const auto count = static_cast<size_t>(options.warmup)) {
    // These runs take the same path through the runtime as the timed runs. But
    // the first runs may take long, so no deadline ends them.
    TimedCalls warmup(*target, warmupLimit(options.deadline), count);
    WEIR_RETURN_IF_ERROR(runConcurrently(*target, warmup, from.views(),
                                         to.views(), options.inFlight, count));
    isWarm = true;
  }
  trace.clear();
  WEIR_RETURN_IF_ERROR(timeRuns(from.views(), to.views()));
  return result.lateRuns ? Status::ok() : to.fetch();
}

/// Page faults of the whole process, including those that read from disk.
static uint64_t countPageFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt) +
         static_cast<uint64_t>(usage.ru_majflt);
}

/// Times one run after the other.
Status ToolRun::timeEachRun(TimedCalls &calls,
                            std::span<const ConstTensorView> from,
                            std::span<const TensorView> to, size_t count) {
  std::vector<LaunchInfo> launches;
  if (options.profileSummary || options.verbose)
    launches = target->launches();
  for (size_t i = 0; i < count; ++i) {
    // The summary reads one run at a time, but the trace file gets all runs.
    if (options.profile.empty())
      trace.clear();
    WEIR_ASSIGN_OR_RETURN(const bool inTime, calls.call(from, to));
    // A late run has recorded only some of the launches.
    if (launches.empty() || !inTime)
      continue;
    lastTimes = launchTimes(trace, launches);
    if (options.profileSummary)
      summary.add(launches, lastTimes);
  }
  return Status::ok();
}

/// Makes all timed runs.
Status ToolRun::callAll(TimedCalls &calls,
                        std::span<const ConstTensorView> from,
                        std::span<const TensorView> to) {
  const auto count = static_cast<size_t>(options.repeat);
  size_t numConcurrent = options.inFlight == 1 ? 0 : count;
  // With variables, each run has other outputs. The outputs of the last run
  // count, so it begins after the end of all other runs.
  if (numConcurrent > 0 && looksAtOutputs() && !session->variables().empty())
    --numConcurrent;
  if (numConcurrent > 0)
    WEIR_RETURN_IF_ERROR(runConcurrently(*target, calls, from, to,
                                         options.inFlight, numConcurrent));
  return timeEachRun(calls, from, to, count - numConcurrent);
}

Status ToolRun::timeRuns(std::span<const ConstTensorView> from,
                         std::span<const TensorView> to) {
  // Runs that begin before any has ended are cold.
  const int numCold = isWarm ? 0 : std::min(options.inFlight, options.repeat);
  TimedCalls calls(*target, options.deadline,
                   static_cast<size_t>(options.repeat),
                   static_cast<size_t>(numCold));
  const uint64_t faultsBefore = countPageFaults();
  const uint64_t begin = monotonicNs();
  Status status = callAll(calls, from, to);
  result.inFlight = options.inFlight;
  result.allRunsNs = monotonicNs() - begin;
  result.pageFaults = countPageFaults() - faultsBefore;
  result.lateRuns = calls.numLate();
  result.latenciesNs = calls.takeLatencies();
  result.coldNs = calls.takeCold();
  // The runs before a run that fails were measured, too. The error of the run
  // matters more than the error of a report.
  if (!status.isOk() && result.numRuns() > 0)
    (void)report();
  return status;
}

Status ToolRun::writeOutput(size_t port, const std::string &path) {
  return writeNpy(path, outputs[port].desc(), outputs[port].bytes())
      .withContext(
          fmt::format("output '{}'", printable(target->outputs()[port].name)));
}

Status ToolRun::writeOutputs() {
  for (const TensorArgument &file : outputFiles)
    WEIR_RETURN_IF_ERROR(writeOutput(file.port, file.value));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!options.outputDir.empty())
      WEIR_RETURN_IF_ERROR(writeOutput(i, pathInOutputDir(i)));
  return Status::ok();
}

/// The peak resident bytes of the process; 0 if the system does not report
/// them. getrusage may give the value of the parent process.
static uint64_t peakRss() {
  std::ifstream status("/proc/self/status");
  constexpr std::string_view field = "VmHWM:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return std::strtoull(line.c_str() + field.size(), nullptr, 10) * 1024;
  return 0;
}

/// Adds the ports that lie on devices to the report.
void ToolRun::noteDevicePorts(std::string_view what,
                              std::span<const TensorInfo> ports) {
  for (const TensorInfo &port : ports)
    if (!port.space.isHost())
      result.devicePorts.push_back({std::string(what), port.name,
                                    std::string(port.space.deviceName()),
                                    port.desc.spanBytes()});
}

Status ToolRun::report() {
  if (options.verbose)
    printReport(launchLines(target->launches(), lastTimes));
  result.entry = target->name();
  result.otherShapes = target->alternatives();
  result.stats = session->stats();
  // The groups are those of the shape that ran.
  for (size_t i = 0; i < target->groups().size(); ++i)
    result.stats.devices[i].groups = target->groups()[i];
  result.peakRssBytes = peakRss();
  noteDevicePorts("input", target->inputs());
  noteDevicePorts("output", target->outputs());
  if (!options.profile.empty())
    result.lostSpans = trace.numLost();
  if (options.json)
    WEIR_RETURN_IF_ERROR(
        printJson(toJson(result, options.profileSummary ? &summary : nullptr)));
  else
    printReport(summary.toText() + toText(result));
  if (options.profile.empty())
    return Status::ok();
  const std::string chromeJson = trace.toChromeJson();
  return atomicWriteFile(options.profile, std::as_bytes(std::span(chromeJson)))
      .withContext("--profile");
}

/// Writes the results of the runs and compares them. If a part fails, the other
/// parts are still done, as the runs may have taken long. The first error
/// counts.
Status ToolRun::finishRuns() {
  Status first;
  const auto note = [&](Status status) {
    if (first.isOk())
      first = std::move(status);
    else if (!status.isOk())
      printError("graph-run", status.message());
  };
  note(writeOutputs());
  if (!options.saveVariables.empty())
    note(session->saveVariables(options.saveVariables)
             .withContext("--save-variables"));
  note(report());
  note(expectations.compare(target->outputs(), outputs,
                            {options.rtol, options.atol}));
  note(inspection.report());
  return first;
}

Status ToolRun::run() {
  WEIR_RETURN_IF_ERROR(load());
  WEIR_RETURN_IF_ERROR(chooseTarget());
  WEIR_RETURN_IF_ERROR(checkArguments());
  const std::string randomIntegers =
      describeRandomIntegers(givenInputs, target->inputs());
  const std::vector<TensorArgument> given = givenInputs.arguments;
  WEIR_ASSIGN_OR_RETURN(const std::vector<HostTensor> inputs,
                        makeInputs(std::move(givenInputs), target->inputs()));
  if (!options.saveVariables.empty() && session->variables().empty())
    return invalidArgument("--save-variables: the model has no variables to "
                           "save, because no entry assigns a parameter; leave "
                           "the flag out");
  WEIR_RETURN_IF_ERROR(loadGivenVariables(*session, options.loadVariables));
  if (Status status = execute(inputs); !status.isOk()) {
    std::string more;
    if (status.code() == StatusCode::InvalidArgument)
      more = randomIntegers;
    else if (options.checkNumerics && status.code() == StatusCode::Internal)
      more = describeNonFinite(given, target->inputs(), inputs);
    return Status(status.code(), std::string(status.message()) + more);
  }
  if (result.lateRuns == 0)
    return finishRuns();
  // A late run leaves neither outputs nor variables.
  WEIR_RETURN_IF_ERROR(report());
  // The first run, which is compared, has no deadline.
  WEIR_RETURN_IF_ERROR(inspection.report());
  return Status(
      StatusCode::Cancelled,
      fmt::format("{} of {} did not end before --deadline, so outputs "
                  "are not compared, and neither outputs nor "
                  "variables are written; give the runs more time",
                  result.lateRuns, counted(result.numRuns(), "run")));
}

Status weir::runTool(const RunToolOptions &options) {
  return ToolRun(options).run();
}
