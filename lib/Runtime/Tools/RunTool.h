//===- RunTool.h - What graph-run does ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H
#define WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H

#include "weir/Support/Status.h"

#include <string>
#include <vector>

namespace weir {

/// A command line of graph-run, taken apart.
struct RunToolOptions {
  /// The artifact; "-" is standard input.
  std::string model;
  std::string entry;
  int threads = 0;
  bool noPin = false;
  /// "NAME=FILE.npy" or "NAME=random[:SEED]".
  std::vector<std::string> inputs;
  /// "NAME=FILE.npy".
  std::vector<std::string> outputs;
  std::vector<std::string> expectations;
  /// Where all outputs are written as NAME.npy; empty: nowhere.
  std::string outputDir;
  /// A folder of tensors that the run's are compared with; empty: none.
  std::string compareWith;
  /// Where all tensors that a run leaves are written; empty: nowhere.
  std::string dumpTensors;
  double rtol = 1e-5;
  double atol = 1e-8;
  int repeat = 1;
  int warmup = 0;
  bool json = false;
  bool verbose = false;
  bool checkNumerics = false;
  /// Where the trace of the runs goes; empty: nowhere.
  std::string profile;
};

/// Whether the options make sense, whatever the model: what does not is wrong
/// usage.
Status checkUsage(const RunToolOptions &options);

/// Loads and runs an artifact as the options say. Outputs that differ from what
/// is expected are an error, behind a table of the worst elements.
Status runTool(const RunToolOptions &options);

/// Prints the devices of this machine, to standard output.
Status listDevices(bool json);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_RUNTOOL_H
