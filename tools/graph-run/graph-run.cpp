//===- graph-run.cpp - Runs an artifact ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Runtime/Tools/DeviceList.h"
#include "Runtime/Tools/RunTool.h"
#include "weir/Support/Topology.h"

#include <cmath>

using namespace weir;

static constexpr const char *purpose =
    "Runs a compiled model on the devices it was compiled for, and reports for "
    "each device\nits groups, launches, planned memory with its lower bound, "
    "bytes that crossed to it, and\ntime; then the latency.";

static constexpr const char *examples =
    "Element types and shapes of inputs are checked; a missing or unknown name "
    "lists the\nvalid ones. Reports go to standard error, --json to standard "
    "output.\n\nExit codes: 0 fine, 1 the work failed or an output differs, 2 "
    "wrong usage.\n\nExamples:\n"
    "  graph-run net.weir --input x=image.npy --output y=scores.npy\n"
    "  graph-run net.weir --input x=random:7 --warmup 5 --repeat 100 --json\n"
    "  graph-run net.weir --input x=random --in-flight 2 --repeat 100 --json\n"
    "  graph-run net.weir --input x=x.npy --expect y=y.npy --rtol 1e-4\n"
    "  graph-run net.weir --input x=x.npy --compare-with=layers --rtol 1e-3\n"
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

/// A day; longer waits are mistakes.
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
  app.add_option("--threads", options.threads,
                 "Threads of each device (default: as compiled)")
      ->check(CLI::Range(1, static_cast<int>(maxDeviceThreads)));
  app.add_option("--device-option", options.deviceOptions,
                 "Ask something of a device, or of all devices of a kind: "
                 "sim.timed=copies (repeat)")
      ->type_name("DEVICE.NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--no-pin", options.noPin, "Never pin threads to cores");
}

static void addRunOptions(CLI::App &app, RunToolOptions &options) {
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

int main(int argc, char **argv) {
  CLI::App app(purpose, "graph-run");
  app.footer(examples);
  RunToolOptions options;
  bool wantsDevices = false;
  app.add_option("MODEL", options.model,
                 "An artifact of graph-compile; - reads standard input");
  addTensorOptions(app, options);
  addDeviceOptions(app, options);
  addRunOptions(app, options);
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
  });
  if (std::optional<ExitCode> code = parseCommandLine(app, argc, argv))
    return *code;
  if (wantsDevices)
    return finish("graph-run", listDevices(options.json));
  if (const Status status = checkUsage(options); !status.isOk()) {
    printError("graph-run", status.message());
    return exitWrongUsage;
  }
  return finish("graph-run", runTool(options));
}
