//===- TemporaryFolder.cpp - A folder of this user alone ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TemporaryFolder.h"

#include "weir/Support/SystemError.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

using namespace weir;

StatusOr<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
  const char *named = std::getenv("TMPDIR");
  const std::string parent = named && *named ? named : "/tmp";
  std::string path = fmt::format("{}/{}-XXXXXX", parent, prefix);
  // `mkdtemp` makes a folder for this user alone. Another user with access
  // could replace its files.
  if (::mkdtemp(path.data()))
    return TemporaryFolder(std::move(path));
  const Status failure = systemError(
      fmt::format("cannot make a folder for temporary files in '{}'", parent));
  return resourceExhausted(fmt::format(
      "{}; set TMPDIR to a folder that can be written", failure.message()));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : folder(std::exchange(other.folder, std::string())) {}

TemporaryFolder::~TemporaryFolder() {
  // Files that cannot be removed stay there.
  std::error_code error;
  if (!folder.empty())
    std::filesystem::remove_all(folder, error);
}

std::string TemporaryFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", folder, name);
}
