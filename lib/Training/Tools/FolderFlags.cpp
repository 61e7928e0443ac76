//===- FolderFlags.cpp - Folders on the command line of graph-run ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FolderFlags.h"

#include "weir/Support/Printable.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

using namespace weir;

Status weir::checkFolder(std::string_view flag, const std::string &path) {
  constexpr std::string_view endings[] = {
      ".safetensors", ".npz", ".npy", ".pt", ".pth", ".ckpt", ".h5", ".weir"};
  const std::filesystem::path folder = path;
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(folder, error))
    return Status::ok();
  const bool isFile = std::filesystem::exists(folder, error);
  if (!isFile && std::ranges::find(endings, folder.extension().string()) ==
                     std::end(endings))
    return Status::ok();
  std::string other =
      isFile ? folder.parent_path().string()
             : std::filesystem::path(folder).replace_extension().string();
  if (other.empty())
    other = ".";
  return invalidArgument(fmt::format(
      "{0}: expected a folder, {1}; files are written into the folder, so "
      "write {0}={2}",
      flag,
      isFile ? fmt::format("'{}' is a file", printable(path))
             : fmt::format("found the name of a file, '{}'", printable(path)),
      printable(other)));
}
