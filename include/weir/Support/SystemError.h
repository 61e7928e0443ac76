//===- SystemError.h - errno as a Status -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SYSTEMERROR_H
#define WEIR_SUPPORT_SYSTEMERROR_H

#include "weir/Support/Status.h"

#include <cerrno>
#include <string_view>

namespace weir {

/// The error `error` of a system call as "`what`: no such file or directory",
/// with the matching code.
Status systemError(std::string_view what, int error = errno);

/// Refuses a path that the system would cut off at a NUL.
Status checkPath(std::string_view path);

} // namespace weir

#endif // WEIR_SUPPORT_SYSTEMERROR_H
