//===- FolderFlags.h - Folders on the command line of graph-run -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_FOLDERFLAGS_H
#define WEIR_LIB_TRAINING_TOOLS_FOLDERFLAGS_H

#include "weir/Support/Status.h"

#include <string>
#include <string_view>

namespace weir {

/// Checks that `path`, the value of `flag`, is a folder or the name of a new
/// folder. A new folder must not have the ending of a file of weights.
Status checkFolder(std::string_view flag, const std::string &path);

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_FOLDERFLAGS_H
