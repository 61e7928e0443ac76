//===- ApplyTool.h - Entries on data by graph-run -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_APPLYTOOL_H
#define WEIR_LIB_TRAINING_TOOLS_APPLYTOOL_H

#include "TrainTool.h"

namespace weir {

/// Runs an entry on the data of `options.evaluate`, and reports the means of
/// its values over all examples.
Status evaluateTool(const TrainToolOptions &options);

/// Runs an entry on the data of `options.predict`, and writes the outputs that
/// `options.common.outputs` name, a row for each example.
Status predictTool(const TrainToolOptions &options);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_APPLYTOOL_H
