//===- PluginFile.h - Finds the file of a plug-in ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_PLUGINFILE_H
#define WEIR_LIB_SUPPORT_PLUGINFILE_H

#include <string>
#include <string_view>

namespace weir {

/// The path of the plug-in for `kind`. This is the first file with its name in
/// the folders of plug-ins. Empty if there is none.
std::string findPluginFile(std::string_view kind);

} // namespace weir

#endif // WEIR_LIB_SUPPORT_PLUGINFILE_H
