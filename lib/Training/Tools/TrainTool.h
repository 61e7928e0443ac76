//===- TrainTool.h - Training by graph-run --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H
#define WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H

#include "Runtime/Tools/RunTool.h"
#include "weir/Training/Trainer.h"

#include <string>
#include <vector>

namespace weir {

/// The flags of graph-run that train.
struct TrainToolOptions {
  /// What training shares with runs.
  RunToolOptions common;
  /// "x=digits.npz:images,y=digits.npz:labels": see DataText.h.
  std::string data;
  std::string validationData;
  /// "x=scale:255".
  std::vector<std::string> maps;
  /// Texts of `LastBatch`.
  std::string last = "drop";
  std::string validationLast = "keep";
  /// "min:loss"; empty: none.
  std::string best;
  /// "auto", "lines" or "none".
  std::string progress = "auto";
  std::string checkpointFolder;
  int64_t keepCheckpoints = 3;
  bool wantsPlot = false;
  /// All that needs no parsing.
  TrainerOptions trainer;
};

/// Checks the texts without opening a file. Errors are wrong usage.
Status checkUsage(const TrainToolOptions &options);

/// Loads the model and the data, and trains.
Status trainTool(TrainToolOptions options);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_TRAINTOOL_H
