//===- EntryBatches.h - Which batches an entry takes ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_ENTRYBATCHES_H
#define WEIR_LIB_TRAINING_ENTRYBATCHES_H

#include "BatchRuns.h"
#include "weir/Data/Dataset.h"
#include "weir/Data/Loader.h"

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The entry `name` on batches that a loader with `loading` makes of `data`.
/// Completes `loading` with the batch size of the entry if it has none. An
/// error if the entry returns no value, or cannot run all of the batches.
/// `flag` is what chooses `loading.last`.
StatusOr<BatchRuns> bindBatches(const Session &session, const std::string &name,
                                const Dataset &data,
                                std::span<const NamedColumn> fixed,
                                LoaderOptions &loading, std::string_view flag);

} // namespace weir

#endif // WEIR_LIB_TRAINING_ENTRYBATCHES_H
