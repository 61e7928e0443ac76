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

/// Adds the values of the log `path`, which has the steps that were done
/// before, to `curves`. Values that the run does not have are left out, and so
/// are lines that Weir would not write.
Status addLoggedSteps(const std::string &path, RunCurves &curves);

/// `curves` as a text.
std::string writeCurves(RunCurves &curves);
/// Begins `curves` with the curves of a text that `writeCurves` has made.
/// Returns whether the text has values of `curves`.
bool readCurves(std::string_view text, RunCurves &curves);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_LOGCURVES_H
