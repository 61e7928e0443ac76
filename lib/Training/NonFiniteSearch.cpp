//===- NonFiniteSearch.cpp - Why a loss is not finite ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// To look at every result is slow. So it is done only for the steps since the
// last checkpoint. These steps compute the same bits again.
//
//===----------------------------------------------------------------------===//

#include "NonFiniteSearch.h"

#include "BatchErrors.h"
#include "EntryBatches.h"

#include <fmt/format.h>

using namespace weir;

/// Checks that the steps after `from` took at most `maxSeconds`, by the mean
/// time of a step.
static Status checkTime(const TrainingPosition &from,
                        const TrainingSummary &summary, double maxSeconds) {
  const int64_t last = summary.position.step;
  const auto again = static_cast<double>(last - from.step);
  const auto done = static_cast<double>(last - summary.stepsBefore);
  if (summary.seconds * again <= maxSeconds * done)
    return Status::ok();
  return unavailable(
      fmt::format("{} steps would have to run again", last - from.step));
}

Status weir::searchNonFinite(Session &checked, const EndedTraining &training,
                             double maxSeconds) {
  if (training.options.onStep)
    return unavailable("the callback of the steps may have changed variables");
  TrainingPosition from;
  if (training.checkpoints) {
    WEIR_ASSIGN_OR_RETURN(const std::string latest,
                          training.checkpoints->latest());
    if (!latest.empty()) {
      WEIR_ASSIGN_OR_RETURN(from, training.checkpoints->restore(checked));
    }
  }
  WEIR_RETURN_IF_ERROR(checkTime(from, training.summary, maxSeconds));
  if (from.plateauFactor != training.summary.position.plateauFactor)
    return unavailable("the rate has been lowered since");
  const TrainerOptions &options = training.options;
  LoaderOptions loading = options.loader;
  loading.start = {from.epoch, from.batch};
  WEIR_ASSIGN_OR_RETURN(Loader batches, Loader::create(training.data, loading));
  WEIR_ASSIGN_OR_RETURN(BatchRuns runs,
                        bindBatches(checked, options.entry, training.data,
                                    options, loading, TrainingOption::Last));
  while (from.step < training.summary.position.step && !training.isStopped) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<Batch> batch, batches.next());
    if (!batch)
      break;
    ++from.step;
    auto values = runs.run(*batch);
    if (!values)
      return withExamples(std::move(values).status(), training.data, batches,
                          *batch)
          .withContext(fmt::format("step {}", from.step));
  }
  return Status::ok();
}
