//===- LogCurves.h - Curves that begin with older steps --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_LOGCURVES_H
#define WEIR_LIB_TRAINING_REPORTS_LOGCURVES_H

#include "CurveSeries.h"

#include <string>
#include <string_view>

namespace weir {

/// Adds the values of the log `path` to `curves`. The log is that of the steps
/// which were done before. Values that the run does not have, and lines that
/// are not as Weir writes them, are left out.
Status addLoggedSteps(const std::string &path, RunCurves &curves);

/// `curves` as a text.
std::string writeCurves(RunCurves &curves);
/// Begins `curves` with those of a text that `writeCurves` has made. Returns
/// whether the text has any of them.
bool readCurves(std::string_view text, RunCurves &curves);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_LOGCURVES_H
