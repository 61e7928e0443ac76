//===- ReportChecks.h - Whether reports can be written ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_REPORTCHECKS_H
#define WEIR_LIB_TRAINING_REPORTS_REPORTCHECKS_H

#include "weir/Training/StepReports.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

enum class CurveKind { Page, Image };

/// The kind of the curve `path`; an error if this build cannot write it.
StatusOr<CurveKind> curveKind(const std::string &path);

/// Checks that all files for which `options` ask can be written now, for a run
/// that goes on after step `stepsBefore`. Changes nothing, so that a run that
/// is refused leaves the reports of an earlier run as they are.
Status checkReports(const StepReportOptions &options, int64_t stepsBefore);

/// The error for a file or folder `path` that an earlier run has left. `what`
/// completes the sentence that begins with `path`: "is the log". The error
/// advises to name another `other`, such as "file".
Status leftBefore(const std::string &path, std::string_view what,
                  std::string_view other, OptionNames names);

/// Renames the log `path` to the first unused name among `path`.1, `path`.2 and
/// so on, and returns that name. Empty if there is no log with lines. An error
/// if another run writes to the log.
StatusOr<std::string> setLogAside(const std::string &path);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_REPORTCHECKS_H
