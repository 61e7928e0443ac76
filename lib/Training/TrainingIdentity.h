//===- TrainingIdentity.h - What a training is ----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TRAININGIDENTITY_H
#define WEIR_LIB_TRAINING_TRAININGIDENTITY_H

#include "weir/Runtime/Session.h"
#include "weir/Training/Trainer.h"

#include <map>
#include <string>
#include <vector>

namespace weir {

/// The properties that decide the steps of a training: its entry and optimiser,
/// its data and their order. They are texts for people, by name. Properties
/// that may change between two runs of one training are left out: paths,
/// devices, threads, precision, and the length of the training.
using TrainingIdentity = std::map<std::string, std::string>;

/// The identity of a training on `data` by `options`. All fields of
/// `options.loader` must have their final values.
StatusOr<TrainingIdentity> identityOf(const Session &session,
                                      const Dataset &data,
                                      const TrainerOptions &options);

/// Compares the identity of a checkpoint with the identity of the training that
/// resumes it. An error names what differs, with both values and a repair.
/// `options` may accept another rate and schedule. Returns notes: what was
/// accepted, and what an older checkpoint or artifact does not say.
StatusOr<std::vector<std::string>>
compareIdentities(const TrainingIdentity &saved,
                  const TrainingIdentity &current,
                  const TrainerOptions &options);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TRAININGIDENTITY_H
