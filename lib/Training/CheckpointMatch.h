//===- CheckpointMatch.h - Whether a checkpoint fits a session ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_CHECKPOINTMATCH_H
#define WEIR_LIB_TRAINING_CHECKPOINTMATCH_H

#include "weir/Runtime/Session.h"
#include "weir/Support/SafeTensors.h"

#include <span>
#include <string>

namespace weir {

/// Ok if the file `path`, whose tensors are `tensors`, has exactly `variables`.
/// Otherwise the error tells what differs: the model, its optimiser, or which
/// parameters are trained.
Status checkMatch(std::span<const VariableInfo> variables,
                  const SafeTensors &tensors, const std::string &path);

} // namespace weir

#endif // WEIR_LIB_TRAINING_CHECKPOINTMATCH_H
