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

/// Checks that the system's loader can load the file at `path`. The loader
/// would wait for ever on a pipe, and would crash on a truncated file.
Status checkPluginFile(const std::string &path);

} // namespace weir

#endif // WEIR_LIB_SUPPORT_PLUGINFILE_H
