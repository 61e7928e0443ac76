//===- EntryBatches.h - Which batches an entry takes ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_ENTRYBATCHES_H
#define WEIR_LIB_TRAINING_ENTRYBATCHES_H

#include "BatchRuns.h"
#include "TrainingOption.h"
#include "weir/Data/Dataset.h"
#include "weir/Data/Loader.h"
#include "weir/Training/Trainer.h"

#include <string>

namespace weir {

/// The entry `name`. It runs on batches that a loader with `loading` makes of
/// `data`, and on the inputs of `options`. If `loading` has no batch size, it
/// gets the batch size of the entry. An error if the entry returns no value, or
/// cannot run all batches. `last` is the option that has set `loading.last`.
StatusOr<BatchRuns> bindBatches(const Session &session, const std::string &name,
                                const Dataset &data,
                                const TrainerOptions &options,
                                LoaderOptions &loading, TrainingOption last);

} // namespace weir

#endif // WEIR_LIB_TRAINING_ENTRYBATCHES_H
