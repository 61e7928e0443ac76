//===- LibraryFile.h - Checks the file of a shared library ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_LIBRARYFILE_H
#define WEIR_SUPPORT_LIBRARYFILE_H

#include "weir/Support/Status.h"

#include <string>

namespace weir {

/// Ok, or why the system's loader cannot load the file at `path`. On a pipe the
/// loader would wait for ever, and on a file that is cut off it would crash.
Status checkLibraryFile(const std::string &path);

} // namespace weir

#endif // WEIR_SUPPORT_LIBRARYFILE_H
