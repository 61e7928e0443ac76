//===- TrainTool.h - Training by graph-run --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H
#define WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H

#include "Runtime/Tools/RunTool.h"
#include "weir/Support/ToolMain.h"
#include "weir/Training/Trainer.h"

#include <string>
#include <vector>

namespace weir {

/// The flags of graph-run that train.
struct TrainToolOptions {
  /// The options that training shares with runs.
  RunToolOptions common;
  /// "x=digits.npz:images,y=digits.npz:labels": see DataText.h.
  std::string data;
  std::string validationData;
  /// The data on which an entry is evaluated, or whose outputs are written;
  /// empty if the tool does something else.
  std::string evaluate, predict;
  /// A file with a name of a class on each line; empty: the classes are those
  /// of the data.
  std::string classes;
  /// "x=scale:255".
  std::vector<std::string> maps;
  /// The values of --last and --validation-last; see `parseLast`.
  std::string last = "drop";
  std::string validationLast = "keep";
  /// "min:loss"; empty: none.
  std::string best;
  /// "min:loss:PATIENCE"; empty: none.
  std::string stopEarly;
  /// "INPUT:min:loss:PATIENCE:FACTOR"; empty: none.
  std::string plateau;
  /// "auto", "lines" or "none".
  std::string progress = "auto";
  std::string checkpointFolder;
  int64_t keepCheckpoints = 3;
  bool wantsPlot = false;
  /// "stop" or "ignore".
  std::string nan = "stop";
  /// The command that was typed, for errors that advise another command.
  std::string command;
  /// The options that need no parsing.
  TrainerOptions trainer;
};

/// Checks the texts without opening a file. Errors are wrong usage.
Status checkUsage(const TrainToolOptions &options);

/// Checks that each file that is written is used in no other way.
Status checkUses(const TrainToolOptions &options);

/// Loads the model and the data, and trains. Prints the error if this fails.
ExitCode trainTool(TrainToolOptions options);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H
