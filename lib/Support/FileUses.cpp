//===- FileUses.cpp - Checks that a tool overwrites no input ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/FileUses.h"

#include "PluginFile.h"
#include "weir/Support/DevicePlugin.h"
#include "weir/Support/Printable.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

/// The numbers of device and inode of `info`, as text. Empty if it is not a
/// regular file.
static std::string identify(const struct stat &info) {
  if (!S_ISREG(info.st_mode))
    return {};
  return fmt::format("{}:{}", info.st_dev, info.st_ino);
}

static std::string identify(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    return identify(info);
  // The file does not exist yet.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const auto canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.string() : canonical.string();
}

static std::string identifyStream(int descriptor) {
  struct stat info;
  return ::fstat(descriptor, &info) == 0 ? identify(info) : std::string();
}

void FileUses::reads(std::string what, const std::string &path) {
  uses.push_back({Kind::Read, std::move(what), path, "",
                  path == "-" ? identifyStream(STDIN_FILENO) : identify(path)});
}

void FileUses::readsPlugins() {
  for (const std::string &kind : listDevicePlugins())
    if (const std::string path = findPluginFile(kind); !path.empty())
      reads(fmt::format("the plug-in for {} devices", kind), path);
}

void FileUses::replaces(std::string what, const std::string &path,
                        std::string repair) {
  if (path == "-")
    uses.push_back({Kind::Stream, "standard output", path, std::move(repair),
                    identifyStream(STDOUT_FILENO)});
  else
    uses.push_back({Kind::Replace, std::move(what), path, std::move(repair),
                    identify(path)});
}

void FileUses::reportsToStandardError() {
  uses.push_back(
      {Kind::Stream, "standard error", "-", "", identifyStream(STDERR_FILENO)});
}

Status FileUses::conflict(const Use &first, const Use &second) {
  const Use &replaced = first.kind == Kind::Replace ? first : second;
  const Use &other = first.kind == Kind::Replace ? second : first;
  const std::string path = printable(replaced.path);
  if (other.kind == Kind::Read)
    return invalidArgument(
        fmt::format("{} would write over '{}', which is read as {}; name "
                    "another file to write",
                    replaced.what, path, other.what));
  return invalidArgument(fmt::format(
      "{} and {} would both write '{}'; {}", first.what, second.what, path,
      first.repair == second.repair ? first.repair
                                    : "name another file for one of "
                                      "them"));
}

Status FileUses::check() const {
  std::map<std::string, const Use *> byIdentity;
  for (const Use &use : uses) {
    if (use.identity.empty())
      continue;
    auto [other, isNew] = byIdentity.emplace(use.identity, &use);
    if (isNew)
      continue;
    if (use.kind == Kind::Replace || other->second->kind == Kind::Replace)
      return conflict(*other->second, use);
  }
  return Status::ok();
}
