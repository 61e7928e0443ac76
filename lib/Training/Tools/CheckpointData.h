//===- CheckpointData.h - What checkpoints keep of their data -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_CHECKPOINTDATA_H
#define WEIR_LIB_TRAINING_TOOLS_CHECKPOINTDATA_H

#include "weir/Data/DataText.h"
#include "weir/Runtime/Session.h"

#include <span>
#include <string>

namespace weir {

/// The classes that the checkpoint `path` keeps; empty if it keeps no classes.
StatusOr<ColumnClasses> classesOfCheckpoint(const std::string &path);

/// Maps columns of `data` as the training of the checkpoint `path` did. Only
/// columns that are inputs of `entry` and have no map among `given` are mapped.
/// A note is printed for each.
StatusOr<Dataset> mapAsCheckpoint(const std::string &path, Dataset data,
                                  std::span<const ColumnMap> given,
                                  const SessionEntry &entry);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_CHECKPOINTDATA_H
