//===- JsonLog.h - A JSON object for each step ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_JSONLOG_H
#define WEIR_LIB_TRAINING_REPORTS_JSONLOG_H

#include "RecordFile.h"

#include "weir/Training/StepReports.h"

#include <string>

namespace weir {

/// Opens the log that `options` name for `run`. A log that is continued is cut
/// off after the steps that were done before. If there are such steps, it gets
/// a line that says so. A log that is replaced is cut off at its beginning.
/// `checkReports` has refused other logs.
StatusOr<RecordFile> openJsonLog(const StepReportOptions &options,
                                 const ReportedRun &run);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_JSONLOG_H
