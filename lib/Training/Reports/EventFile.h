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

/// Makes a new event file of `run` in `folder`, which is created if it is
/// missing. The value `loss` of a step is the scalar `train/loss`, that of a
/// validation is `validation/loss`. If the run is resumed, TensorBoard ignores
/// what earlier files say about steps that are done again.
/// It is an error if another run writes to an event file there. Files of
/// earlier runs are removed if they are to be replaced.
StatusOr<RecordFile> openEventFile(const std::string &folder,
                                   const ReportedRun &run,
                                   StepReportOptions::Existing existing);

/// The event files in `folder`, sorted; empty if it does not exist.
std::vector<std::string> findEventFiles(const std::string &folder);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_EVENTFILE_H
