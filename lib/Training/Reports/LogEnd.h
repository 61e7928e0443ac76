//===- LogEnd.h - Where a resumed run continues its log ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_LOGEND_H
#define WEIR_LIB_TRAINING_REPORTS_LOGEND_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace weir {

/// The place at which a resumed run continues a log.
struct LogEnd {
  /// The seconds that the runs so far took.
  double seconds = 0;
  /// The number of bytes of the file that stay, and the size of the file.
  size_t kept = 0, size = 0;
};

/// Finds where a run that goes on after `lastStep` continues the log `path`:
/// after the lines of all steps up to `lastStep`. A file that is no log is an
/// error. A missing file counts as an empty log, and so does a file that is not
/// regular.
StatusOr<LogEnd> findLogEnd(const std::string &path, int64_t lastStep);

/// Removes the lines of steps after `lastStep` from the log `path`, and a last
/// line that is incomplete because the run was killed. A file that is no log is
/// an error, and stays as it is.
StatusOr<LogEnd> cutLog(const std::string &path, int64_t lastStep);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_LOGEND_H
