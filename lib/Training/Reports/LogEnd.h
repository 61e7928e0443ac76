//===- LogEnd.h - Where a resumed run continues its log ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_LOGEND_H
#define WEIR_LIB_TRAINING_REPORTS_LOGEND_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <string>

namespace weir {

/// The last line of a log.
struct LogEnd {
  /// The time of the runs so far.
  double seconds = 0;
};

/// Removes the lines of steps after `lastStep` from the log `path`, and a last
/// line that is incomplete because the run was killed. A file that is no log is
/// an error, and stays as it is. A missing file is an empty log, and so is what
/// is not a regular file.
StatusOr<LogEnd> cutLog(const std::string &path, int64_t lastStep);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_LOGEND_H
