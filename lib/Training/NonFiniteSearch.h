//===- NonFiniteSearch.h - Why a loss is not finite -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_NONFINITESEARCH_H
#define WEIR_LIB_TRAINING_NONFINITESEARCH_H

#include "weir/Training/Trainer.h"

#include <atomic>

namespace weir {

/// A training that has ended.
struct EndedTraining {
  const Dataset &data;
  /// The options of the training. Their loader is complete.
  const TrainerOptions &options;
  /// The checkpoints; null without a folder.
  const Checkpoints *checkpoints;
  const TrainingSummary &summary;
  const std::atomic<bool> &isStopped;
};

/// Runs the steps of `training` since its last checkpoint again on `checked`;
/// see `Trainer::findNonFinite`.
Status searchNonFinite(Session &checked, const EndedTraining &training,
                       double maxSeconds);

} // namespace weir

#endif // WEIR_LIB_TRAINING_NONFINITESEARCH_H
