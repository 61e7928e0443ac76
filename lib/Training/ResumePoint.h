//===- ResumePoint.h - Where a training begins or goes on -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_RESUMEPOINT_H
#define WEIR_LIB_TRAINING_RESUMEPOINT_H

#include "TrainingIdentity.h"
#include "weir/Training/Checkpoints.h"

#include <string>
#include <vector>

namespace weir {

struct ResumePoint {
  TrainingPosition position;
  bool isResumed = false;
  /// The notes about this point for the user.
  std::vector<std::string> notes;
};

/// The point at which a training with `identity` begins. It is after the latest
/// of `checkpoints`, if there is one that fits and `options` allow it.
StatusOr<ResumePoint> findResumePoint(const Session &session,
                                      const Checkpoints &checkpoints,
                                      const TrainerOptions &options,
                                      TrainingIdentity identity);

/// Whether a training at `position` has stopped early.
bool hasStoppedEarly(const TrainerOptions &options,
                     const TrainingPosition &position);

/// Whether a training at `position` has done all that `options` ask for.
bool isComplete(const TrainerOptions &options,
                const TrainingPosition &position);

/// The note of a run that was to be resumed, but has no checkpoint. `aside` is
/// the new name of the log of an earlier run; empty if there is none.
std::string describeBeginning(const TrainerOptions &options,
                              const std::string &aside);

} // namespace weir

#endif // WEIR_LIB_TRAINING_RESUMEPOINT_H
