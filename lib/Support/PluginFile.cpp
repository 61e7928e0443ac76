//===- PluginFile.cpp - Finds the file of a plug-in -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PluginFile.h"

#include "weir/Support/DevicePlugin.h"

#include <filesystem>
#include <system_error>

using namespace weir;

std::string weir::findPluginFile(std::string_view kind) {
  for (const std::string &folder : devicePluginFolders()) {
    const auto path = std::filesystem::path(folder) / devicePluginFile(kind);
    std::error_code error;
    // A broken link counts as a file that cannot be loaded.
    if (std::filesystem::exists(symlink_status(path, error)))
      return path.string();
  }
  return {};
}
