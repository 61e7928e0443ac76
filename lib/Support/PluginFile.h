//===- PluginFile.h - Checks the file of a plug-in --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_PLUGINFILE_H
#define WEIR_LIB_SUPPORT_PLUGINFILE_H

#include "weir/Support/Status.h"

#include <string>
#include <string_view>

namespace weir {

/// The path of the plug-in for `kind`: the first file of its name in one of the
/// folders, or "".
std::string findPluginFile(std::string_view kind);

/// Ok, or why the system's loader cannot load the file at `path`. On a pipe the
/// loader would wait for ever, and on a file that is cut off it would crash.
Status checkPluginFile(const std::string &path);

} // namespace weir

#endif // WEIR_LIB_SUPPORT_PLUGINFILE_H
