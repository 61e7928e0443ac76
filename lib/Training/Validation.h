//===- Validation.h - Values on examples that are not trained on ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_VALIDATION_H
#define WEIR_LIB_TRAINING_VALIDATION_H

#include "BatchRuns.h"
#include "weir/Training/Trainer.h"

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// Runs an entry on all examples of the validation data, in their order.
class Validation {
public:
  /// An error if the entry changes a variable that entry `training` uses.
  static StatusOr<Validation> create(const Session &session,
                                     const TrainerOptions &options,
                                     const SessionEntry &training);

  std::span<const std::string> valueNames() const { return runs.valueNames(); }

  /// The means of the values over all examples; nothing if `isStopped` became
  /// true before the last batch.
  StatusOr<std::optional<std::vector<double>>>
  run(const std::atomic<bool> &isStopped, const RunOptions &options);
  /// The text of `NonFiniteBatches` about the last run.
  const std::string &nonFinite() const { return found; }

private:
  Validation(BatchRuns runs, Dataset data, LoaderOptions loading)
      : runs(std::move(runs)), data(std::move(data)),
        loading(std::move(loading)) {}

  BatchRuns runs;
  Dataset data;
  LoaderOptions loading;
  std::string found;
  /// The batch of the last run, and the loader that owns its memory. A GPU that
  /// was given up may still read the batch.
  std::optional<Loader> batches;
  std::optional<Batch> batch;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_VALIDATION_H
