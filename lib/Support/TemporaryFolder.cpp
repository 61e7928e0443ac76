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
  // Whoever can write to the folder can replace what is made in it.
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
  // What cannot be removed stays in the folder of temporary files.
  std::error_code error;
  if (!folder.empty())
    std::filesystem::remove_all(folder, error);
}

std::string TemporaryFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", folder, name);
}
