//===- ResumedMetrics.h - Values that a resumed training follows ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_RESUMEDMETRICS_H
#define WEIR_LIB_TRAINING_RESUMEDMETRICS_H

#include "weir/Training/Checkpoints.h"
#include "weir/Training/Trainer.h"

#include <string>
#include <vector>

namespace weir {

/// Fits the counts of values of the validation in `position`, the position of a
/// checkpoint, to `options`. A count of the same value goes on. If `options`
/// have another value, the count begins anew, and a rate that was lowered
/// becomes the first rate again. This is an error unless `options` allow it.
/// Adds to `notes` what has changed.
Status resumeMetrics(const TrainerOptions &options, TrainingPosition &position,
                     std::vector<std::string> &notes);

} // namespace weir

#endif // WEIR_LIB_TRAINING_RESUMEDMETRICS_H
