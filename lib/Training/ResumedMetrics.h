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

/// Lets what a checkpoint at `position` has counted of values of the validation
/// go on under `options`. Counts of another value begin anew, and a rate that
/// was lowered is the first one again, if `options` say that this may be;
/// otherwise they are an error. Adds to `notes` what has changed.
Status resumeMetrics(const TrainerOptions &options, TrainingPosition &position,
                     std::vector<std::string> &notes);

} // namespace weir

#endif // WEIR_LIB_TRAINING_RESUMEDMETRICS_H
