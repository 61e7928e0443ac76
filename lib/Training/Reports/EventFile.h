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

namespace weir {

/// Makes a new event file of `run` in `folder`, which is created if it is
/// missing. The value `loss` of a step is the scalar `train/loss`, that of a
/// validation is `validation/loss`. If the run is resumed, TensorBoard ignores
/// what earlier files say about steps that are done again.
StatusOr<RecordFile> openEventFile(const std::string &folder,
                                   const ReportedRun &run);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_EVENTFILE_H
