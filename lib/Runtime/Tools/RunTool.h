//===- RunTool.h - The logic of graph-run ---------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H
#define WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H

#include "weir/Runtime/Session.h"
#include "weir/Support/Status.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace weir {

class FileUses;

/// The parsed command line of graph-run.
struct RunToolOptions {
  /// The artifact; "-" is standard input.
  std::string model;
  std::string entry;
  /// "NAME:DIMxDIM...": the inputs that choose a shape of the entry.
  std::vector<std::string> shapes;
  int threads = 0;
  /// "DEVICE.NAME=VALUE".
  std::vector<std::string> deviceOptions;
  bool noPin = false;
  bool tune = false;
  /// "NAME=FILE.npy" or "NAME=random[:SEED]".
  std::vector<std::string> inputs;
  /// "NAME=FILE.npy".
  std::vector<std::string> outputs;
  std::vector<std::string> expectations;
  /// The folder for all outputs, written as NAME.npy; empty: none.
  std::string outputDir;
  /// A folder of tensors with which the tensors of the run are compared; empty:
  /// none.
  std::string compareWith;
  /// The folder for all tensors that a run stores; empty: none.
  std::string dumpTensors;
  double rtol = 1e-5;
  double atol = 1e-8;
  int repeat = 1;
  /// The number of runs that are in flight at the same time.
  int inFlight = 1;
  int warmup = 0;
  /// The time after which a timed run is stopped.
  std::optional<std::chrono::nanoseconds> deadline;
  bool json = false;
  bool verbose = false;
  bool checkNumerics = false;
  /// Whether models with native code are refused.
  bool noCode = false;
  /// Files of variables. The first is read before the first run, and the second
  /// is written after the last run; empty: none.
  std::string loadVariables;
  std::string saveVariables;
  /// The file for the trace of the runs; empty: none.
  std::string profile;
  /// Whether the times of all runs are added up by op and kernel.
  bool profileSummary = false;
};

/// Checks the options without the model. Errors are wrong usage.
Status checkUsage(const RunToolOptions &options);

/// The session options that the flags ask for, without the trace and the
/// observer.
StatusOr<SessionOptions> sessionOptionsOf(const RunToolOptions &options);

/// Sets all variables from the file of --load-variables, if there is one.
Status loadGivenVariables(Session &session, const std::string &path);

/// Notes the files of variables, traces and reports in `uses`. Runs and
/// trainings have these flags in common.
void addEndFiles(const RunToolOptions &options, FileUses &uses);

/// Checks that the files which all tools write at their end can be written.
Status checkEndFiles(const RunToolOptions &options);

/// Prints one JSON object to standard output. It is an error if the disk is
/// full.
Status printJson(std::string text);

/// Loads and runs an artifact as the options say. If outputs differ from the
/// expected ones, prints a table of the largest differences and returns an
/// error.
Status runTool(const RunToolOptions &options);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H
