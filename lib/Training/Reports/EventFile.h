//===- EventFile.h - Scalars for TensorBoard --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_EVENTFILE_H
#define WEIR_LIB_TRAINING_REPORTS_EVENTFILE_H

#include "RecordFile.h"

#include "weir/Training/StepReports.h"

#include <string>
#include <vector>

namespace weir {

/// Makes new event files of `run` in the folder that `options` name, and
/// creates the folder if it is missing. The file for steps is in the subfolder
/// `train`. If there are validations, the file for them is in the subfolder
/// `validation`. Both files have the scalar `loss` for the value `loss`. If the
/// run is resumed, TensorBoard ignores what earlier files say about steps that
/// are done again.
///
/// It is an error if another run writes to an event file of the folder. If two
/// runs begin at once, at most one of them goes on. Files of earlier runs are
/// removed if they are to be replaced, and are an error if they are to be
/// refused.
StatusOr<std::vector<RecordFile>>
openEventFiles(const StepReportOptions &options, const ReportedRun &run);

/// The event files of `folder`, sorted; empty if the folder does not exist.
std::vector<std::string> findEventFiles(const std::string &folder);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_EVENTFILE_H
