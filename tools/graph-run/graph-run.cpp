//===- graph-run.cpp - Runs an artifact ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Runtime/Tools/DeviceList.h"
#include "Runtime/Tools/RunTool.h"
#include "Training/Tools/ApplyTool.h"
#include "weir/Support/Topology.h"

#include <algorithm>
#include <cmath>

using namespace weir;

static constexpr const char *purpose =
    "Runs a compiled model on the devices it was compiled for, and reports for "
    "each device\nits groups, launches, planned memory with its lower bound, "
    "bytes that crossed to it, and\ntime; then the latency. With --data, "
    "trains it.";

static constexpr const char *examples =
    "Element types and shapes of inputs are checked; a missing or unknown name "
    "lists the\nvalid ones. Reports go to standard error, --json to standard "
    "output.\n\nExit codes: 0 fine, 1 the work failed or an output differs, 2 "
    "wrong usage,\n128 + N training was stopped by the signal N.\n\nExamples:\n"
    "  graph-run net.weir --input x=image.npy --output y=scores.npy\n"
    "  graph-run net.weir --input x=random:7 --warmup 5 --repeat 100 --json\n"
    "  graph-run net.weir --input x=random --in-flight 2 --repeat 100 --json\n"
    "  graph-run net.weir --input x=x.npy --expect y=y.npy --rtol 1e-4\n"
    "  graph-run net.weir --input x=x.npy --compare-with=layers --rtol 1e-3\n"
    "  graph-run net.weir --data 'x=train.npz:images,y=train.npz:labels' "
    "--shuffle 1\n      --epochs 5 --checkpoint checkpoints\n"
    "  graph-run net.weir --input x=random --profile=trace.json\n"
    "      (open the trace at https://ui.perfetto.dev)";

static const CLI::Validator tolerance(
    [](std::string &text) {
      char *end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return value >= 0 && std::isfinite(value) && end && !*end
                 ? std::string()
                 : "expected a finite number from 0 up, found " + text;
    },
    "");

/// The longest deadline, a day. A longer one is a mistake.
static constexpr double maxDeadlineMs = 86400e3;

static const CLI::Validator milliseconds(
    [](std::string &text) {
      char *end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return value > 0 && value <= maxDeadlineMs && end && !*end
                 ? std::string()
                 : "expected milliseconds above 0 and up to 86400000, which is "
                   "a day, found " +
                       text;
    },
    "");

static void addTensorOptions(CLI::App &app, RunToolOptions &options) {
  const OptionGroup group(app, "Inputs and outputs");
  app.add_option("--input", options.inputs,
                 "NAME=FILE.npy, NAME=FILE.pb (a tensor of ONNX), or "
                 "NAME=random[:SEED]: floats in [-1, 1), integers in 0 to 99. "
                 "Once for every input")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "NAME=FILE.npy: write an output (repeat)")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  app.add_option("--output-dir", options.outputDir,
                 "Write every output into this folder as NAME.npy")
      ->type_name("DIR");
  app.add_option(
         "--expect", options.expectations,
         "NAME=FILE.npy or .pb: compare an output as "
         "numpy.testing.assert_allclose does (NaN equals NaN); if it differs, "
         "print the largest differences and exit with 1 (repeat)")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  app.add_option("--compare-with", options.compareWith,
                 "Compare the tensors inside of the run with the NAME.npy or "
                 "NAME.pb of this folder; print the first that differs and "
                 "exit with 1")
      ->type_name("DIR");
  app.add_option("--dump-tensors", options.dumpTensors,
                 "Write every tensor that a launch stores into this folder as "
                 "NAME.npy, with '_' for '/'")
      ->type_name("DIR");
  app.add_option("--rtol", options.rtol,
                 "Relative tolerance of --expect and --compare-with")
      ->check(tolerance)
      ->capture_default_str();
  app.add_option("--atol", options.atol,
                 "Absolute tolerance of --expect and --compare-with")
      ->check(tolerance)
      ->capture_default_str();
}

static void addDeviceOptions(CLI::App &app, RunToolOptions &options) {
  const OptionGroup group(app, "Devices");
  app.add_option("--threads", options.threads,
                 "Threads of each device (default: as compiled)")
      ->check(CLI::Range(1, static_cast<int>(maxDeviceThreads)));
  app.add_option("--device-option", options.deviceOptions,
                 "Ask something of a device, or of all devices of a kind: "
                 "sim.timed=copies (repeat)")
      ->type_name("DEVICE.NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--no-pin", options.noPin, "Never pin threads to cores");
  app.add_flag("--tune", options.tune,
               "Let GPUs choose kernels of libraries by timing several, and "
               "keep the choices for later loads with --tune");
}

static void addRunOptions(CLI::App &app, RunToolOptions &options) {
  const OptionGroup group(app, "Runs");
  app.add_option("--entry", options.entry,
                 "The entry to run (default: the only one, else main)");
  app.add_option("--shape", options.shapes,
                 "Of an entry that is compiled for several shapes, run that in "
                 "which an input has this one: x:8x3 (repeat; default: the "
                 "first that fits the files of --input)")
      ->type_name("INPUT:DIMS")
      ->allow_extra_args(false);
  app.add_flag("--no-code", options.noCode,
               "Refuse a model with native code before any of it is loaded");
  app.add_option("--repeat", options.repeat, "Timed runs")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  app.add_option("--in-flight", options.inFlight,
                 "Runs that are in flight at the same time, each from a thread "
                 "of its own. The devices work on as many as the model was "
                 "compiled for")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--load-variables", options.loadVariables,
                 "Set all variables from this safetensors file before the "
                 "first run")
      ->type_name("FILE");
  app.add_option("--save-variables", options.saveVariables,
                 "Write all variables to this safetensors file after the last "
                 "run")
      ->type_name("FILE");
  app.add_option("--warmup", options.warmup, "Runs before the timed ones")
      ->check(CLI::Range(0, 10000000))
      ->capture_default_str();
  app.add_option_function<double>(
         "--deadline",
         [&options](double ms) {
           options.deadline = std::chrono::nanoseconds(
               static_cast<int64_t>(std::ceil(ms * 1e6)));
         },
         "Stop each timed run that takes longer than this many milliseconds; "
         "if there was one, exit with 1 after the report")
      ->type_name("MS")
      ->check(milliseconds);
  app.add_flag("--json", options.json, "Print the report as one JSON object");
  app.add_option("--profile", options.profile,
                 "Write a Chrome trace with a row per queue: launches, copies, "
                 "waits")
      ->type_name("FILE");
  app.add_flag("--profile-summary", options.profileSummary,
               "Add up the times of all timed runs by device, op and kernel: "
               "launches, total, mean, share, GFLOP/s, GB/s");
  app.add_flag("--verbose", options.verbose,
               "Print a line per launch: device, op, kernel, implementation, "
               "time, shapes");
  app.add_flag("--check-numerics", options.checkNumerics,
               "Fail with the first op whose result contains a NaN or "
               "infinity; slow. A relu in a library kernel may hide a NaN");
}

/// The numbers of steps, epochs and checkpoints that are accepted.
static const CLI::Range count(int64_t(0), int64_t(1) << 40);
static const CLI::Range countFromOne(int64_t(1), int64_t(1) << 40);

/// The flags that have a meaning only for runs, and not for training.
static constexpr const char *runOnly[] = {
    "--output",          "--output-dir", "--expect", "--compare-with",
    "--dump-tensors",    "--rtol",       "--atol",   "--shape",
    "--repeat",          "--in-flight",  "--warmup", "--deadline",
    "--profile-summary", "--verbose"};

/// The flags for data of all kinds: for training, evaluation and prediction.
static constexpr std::string_view dataFlags[] = {
    "--map", "--batch", "--classes", "--loader-threads", "--prefetch"};

static bool isShared(const std::string &flag) {
  return std::ranges::find(dataFlags, flag) != std::end(dataFlags);
}

static void addDataOptions(CLI::App &app, TrainToolOptions &options) {
  const OptionGroup group(app, "Data");
  LoaderOptions &loader = options.trainer.loader;
  app.add_option("--map", options.maps,
                 "Change each example of a column: x=scale:255,chw (repeat)")
      ->type_name("COLUMN=STEPS")
      ->allow_extra_args(false);
  app.add_option("--classes", options.classes,
                 "The names of the classes of labels in the order of their "
                 "numbers, one a line (default: those of the data, sorted)")
      ->type_name("FILE");
  app.add_option("--batch", loader.batchSize,
                 "Examples of a batch (default: as compiled)")
      ->check(countFromOne);
  app.add_option("--last", options.last,
                 "If the last examples of an epoch are fewer than a batch: "
                 "keep, drop or pad")
      ->capture_default_str();
  app.add_option("--mask", loader.maskColumn,
                 "The input that is 1 for an example and 0 for padding")
      ->type_name("INPUT");
  app.add_option_function<uint64_t>(
         "--shuffle",
         [&loader](uint64_t seed) {
           loader.shuffle = true;
           loader.seed = seed;
         },
         "Another order of the examples in each epoch, from this seed")
      ->type_name("SEED")
      ->check(CLI::Range(int64_t(0), INT64_MAX));
  app.add_option("--loader-threads", loader.threads,
                 "Threads that read batches ahead; 0: none")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--prefetch", loader.ahead, "Batches that are read ahead")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
}

static void addValidationOptions(CLI::App &app, TrainToolOptions &options) {
  const OptionGroup group(app, "Validation");
  TrainerOptions &trainer = options.trainer;
  const size_t numBefore = app.get_options({}).size();
  CLI::Option *data =
      app.add_option("--validation-data", options.validationData,
                     "Columns of the examples that are not trained on")
          ->type_name("COLUMNS");
  app.add_option("--validation-entry", trainer.validationEntry,
                 "The entry that computes values on them (default: validate)")
      ->type_name("ENTRY");
  app.add_option("--validation-last", options.validationLast,
                 "What --last is, for these examples")
      ->capture_default_str();
  app.add_option("--stop-early", options.stopEarly,
                 "min:loss:5: end when so many validations in a row were no "
                 "better than the best one")
      ->type_name("min:NAME:PATIENCE|max:NAME:PATIENCE");
  app.add_option("--plateau", options.plateau,
                 "rate:min:loss:5:0.1: multiply the input that has the rate "
                 "when so many validations in a row were no better")
      ->type_name("INPUT:min|max:NAME:PATIENCE:FACTOR");
  app.add_option("--validate-every", trainer.validateEvery,
                 "Steps from one validation to the next; 0: an epoch")
      ->check(count)
      ->capture_default_str();
  const std::vector<CLI::Option *> all = app.get_options({});
  for (size_t i = numBefore; i < all.size(); ++i)
    if (all[i] != data)
      all[i]->needs(data);
}

/// The command line as a user would type it in a shell.
static std::string commandText(int argc, char **argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "-_=+.,:/@%";
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    text += i > 0 ? " " : "";
    if (!argument.empty() &&
        argument.find_first_not_of(plain) == argument.npos) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument)
      text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

static void addStateOptions(CLI::App &app, TrainToolOptions &options) {
  const OptionGroup group(app, "Checkpoints");
  TrainerOptions &trainer = options.trainer;
  CLI::Option *folder =
      app.add_option("--checkpoint", options.checkpointFolder,
                     "Write checkpoints of all variables into this folder")
          ->type_name("DIR");
  app.add_option("--checkpoint-every", trainer.checkpointEvery,
                 "Steps from one checkpoint to the next; 0: an epoch")
      ->check(count)
      ->capture_default_str()
      ->needs(folder);
  app.add_option("--keep-checkpoints", options.keepCheckpoints,
                 "The number of latest checkpoints that are kept; 0: all")
      ->check(count)
      ->capture_default_str()
      ->needs(folder);
  app.add_option("--best", options.best,
                 "min:loss or max:accuracy: keep the checkpoint with the best "
                 "value of the validation, too")
      ->type_name("min:NAME|max:NAME")
      ->needs(folder)
      ->needs(app.get_option("--validation-data"));
  app.add_option("--nan", options.nan,
                 "If the loss is NaN or infinite: stop, or ignore it")
      ->capture_default_str();
  CLI::Option *resume =
      app.add_flag("--resume", trainer.resume,
                   "Go on from the latest checkpoint, if there is one")
          ->needs(folder);
  app.add_flag("--override", trainer.mayOverride,
               "Go on with another rate or schedule than before")
      ->needs(resume);
}

static void addReportOptions(CLI::App &app, TrainToolOptions &options) {
  const OptionGroup group(app, "Reports of training");
  StepReportOptions &reports = options.trainer.reports;
  app.add_option("--progress", options.progress,
                 "auto: a line that is rewritten, on a terminal; lines; none")
      ->capture_default_str();
  app.add_option("--progress-every", reports.stepsPerLine,
                 "Of lines, one after so many steps; 0: one every ten seconds")
      ->check(count)
      ->capture_default_str();
  app.add_option("--log", reports.log,
                 "Write each step as a line of JSON into this file")
      ->type_name("FILE");
  app.add_option("--tensorboard", reports.eventFolder,
                 "Write event files of TensorBoard into this folder")
      ->type_name("DIR");
  app.add_option("--curve", reports.curves,
                 "Draw the loss into this file at the end: .html or .png "
                 "(repeat)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--overwrite",
      [&reports] { reports.existing = StepReportOptions::Existing::Replace; },
      "Replace a log and event files that an earlier run has left");
  app.add_flag("--plot", options.wantsPlot,
               "Print the loss as a curve at the end, not only on a terminal");
}

/// Adds the flags that train. They need --data.
static CLI::Option *addTrainingOptions(CLI::App &app,
                                       TrainToolOptions &options) {
  const OptionGroup group(app, "Training");
  const size_t numBefore = app.get_options({}).size();
  CLI::Option *data =
      app.add_option("--data", options.data,
                     "Train on these columns: x=digits.npz:images,"
                     "y=digits.npz:labels. Names are inputs of the entry")
          ->type_name("COLUMNS");
  app.add_option("--epochs", options.trainer.epochs,
                 "How often to go through the data")
      ->check(countFromOne)
      ->capture_default_str();
  app.add_option("--steps", options.trainer.steps,
                 "End after so many steps, whatever the epoch")
      ->check(countFromOne);
  addDataOptions(app, options);
  addValidationOptions(app, options);
  addStateOptions(app, options);
  addReportOptions(app, options);
  const std::vector<CLI::Option *> all = app.get_options({});
  for (size_t i = numBefore; i < all.size(); ++i)
    // `checkDataFlags` gives a better error about --last.
    if (all[i] != data && !isShared(all[i]->get_name()) &&
        all[i]->get_name() != "--last")
      all[i]->needs(data);
  for (const char *name : runOnly)
    app.get_option(name)->excludes(data);
  app.get_option("--overwrite")->excludes(app.get_option("--resume"));
  return data;
}

/// Adds the flags that run an entry on the examples of data.
static void addApplyOptions(CLI::App &app, TrainToolOptions &options,
                            CLI::Option *data) {
  const OptionGroup group(app, "Evaluation and prediction");
  CLI::Option *evaluate =
      app.add_option("--evaluate", options.evaluate,
                     "Run an entry (default: validate, else main) on these "
                     "columns, and report the means of its values")
          ->type_name("COLUMNS")
          ->excludes(data);
  CLI::Option *predict =
      app.add_option("--predict", options.predict,
                     "Run an entry (default: predict, else main) on these "
                     "columns, and write its outputs with --output FILE.csv or "
                     "NAME=FILE.npy, a row for each example")
          ->type_name("COLUMNS")
          ->excludes(data)
          ->excludes(evaluate);
  for (const std::string_view name : runOnly) {
    CLI::Option *option = app.get_option(std::string(name));
    if (name != "--output")
      option->excludes(evaluate)->excludes(predict);
  }
  for (const char *name : {"--save-variables", "--profile"})
    app.get_option(name)->excludes(evaluate)->excludes(predict);
}

/// Checks that flags for data are given together with data.
static void checkDataFlags(const CLI::App &app) {
  const bool applies = app.count("--evaluate") + app.count("--predict") > 0;
  if (app.count("--output") > 0 && app.count("--evaluate") > 0)
    throw CLI::ExcludesError("--output", "--evaluate");
  if (app.count("--last") > 0 && app.count("--data") == 0)
    throw CLI::RequiresError(
        "--last",
        applies ? "--data; --evaluate and --predict take all examples, so "
                  "leave it out"
                : "--data");
  for (const std::string_view flag : dataFlags)
    if (app.count(std::string(flag)) > 0 && app.count("--data") == 0 &&
        app.count("--evaluate") == 0 && app.count("--predict") == 0)
      throw CLI::RequiresError(std::string(flag),
                               "--data, --evaluate or --predict");
}

/// Checks that tolerances are given together with a flag that compares.
static void checkTolerances(const CLI::App &app) {
  for (const char *flag : {"--rtol", "--atol"})
    if (app.count(flag) > 0 && app.count("--expect") == 0 &&
        app.count("--compare-with") == 0)
      throw CLI::RequiresError(flag, "--expect or --compare-with");
}

/// Checks that --overwrite is given together with a file that it may replace.
static void checkOverwrite(const CLI::App &app) {
  if (app.count("--overwrite") > 0 && app.count("--log") == 0 &&
      app.count("--tensorboard") == 0)
    throw CLI::RequiresError("--overwrite", "--log or --tensorboard");
}

/// Trains, evaluates or predicts if the options ask for it. Otherwise runs the
/// model.
static ExitCode runOrTrain(TrainToolOptions options, bool trains) {
  const bool applies = !options.evaluate.empty() || !options.predict.empty();
  const Status usage =
      trains || applies ? checkUsage(options) : checkUsage(options.common);
  if (!usage.isOk()) {
    printError("graph-run", usage.message());
    return exitWrongUsage;
  }
  if (trains)
    return trainTool(std::move(options));
  if (!options.evaluate.empty())
    return finish("graph-run", evaluateTool(options));
  if (!options.predict.empty())
    return finish("graph-run", predictTool(options));
  return finish("graph-run", runTool(options.common));
}

int main(int argc, char **argv) {
  CLI::App app(purpose, "graph-run");
  app.footer(examples);
  TrainToolOptions training;
  training.command = commandText(argc, argv);
  RunToolOptions &options = training.common;
  bool wantsDevices = false;
  app.add_option("MODEL", options.model,
                 "An artifact of graph-compile; - reads standard input");
  addTensorOptions(app, options);
  addDeviceOptions(app, options);
  addRunOptions(app, options);
  CLI::Option *data = addTrainingOptions(app, training);
  addApplyOptions(app, training, data);
  CLI::Option *listing =
      app.add_flag("--list-devices", wantsDevices,
                   "Print the devices of this machine and exit");
  for (CLI::Option *option : app.get_options({}))
    if (option != listing && option->get_name() != "--json" &&
        option->get_name() != "--help")
      listing->excludes(option);
  app.callback([&] {
    if (options.model.empty() && !wantsDevices)
      throw CLI::RequiredError("MODEL");
    checkDataFlags(app);
    checkTolerances(app);
    checkOverwrite(app);
  });
  if (std::optional<ExitCode> code = parseCommandLine(app, argc, argv))
    return *code;
  if (wantsDevices)
    return finish("graph-run", listDevices(options.json));
  return runOrTrain(std::move(training), data->count() > 0);
}
