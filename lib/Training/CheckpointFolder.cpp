//===- CheckpointFolder.cpp - The files of a folder of checkpoints --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckpointFolder.h"

#include "weir/Support/MappedFile.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

static constexpr std::string_view filePrefix = "step-";
static constexpr std::string_view fileSuffix = ".safetensors";

/// Whether `name` is the name that `OutputFile` gives to a file that is not
/// complete.
static bool isTemporary(std::string_view name) {
  return name.starts_with(".weir-") && name.ends_with(".tmp");
}

/// The step in the name of a checkpoint's file; nothing for the name of another
/// file.
static std::optional<int64_t> stepOf(std::string_view name) {
  if (!name.starts_with(filePrefix) || !name.ends_with(fileSuffix))
    return std::nullopt;
  name.remove_prefix(filePrefix.size());
  name.remove_suffix(fileSuffix.size());
  int64_t step = 0;
  const char *end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, step);
  if (error != std::errc() || rest != end || step < 0)
    return std::nullopt;
  return step;
}

/// The names of the files in the folder `path`.
static StatusOr<std::vector<std::string>> listFiles(const std::string &path) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  std::vector<std::string> names;
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error)
    return systemError(
        fmt::format("cannot list the checkpoints in '{}'", printable(path)),
        error.value());
  return names;
}

static Status removeFile(const std::string &path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT)
    return Status::ok();
  return systemError(fmt::format("cannot remove '{}'", printable(path)));
}

StatusOr<CheckpointFolder> CheckpointFolder::open(const std::string &path) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return systemError(fmt::format("cannot make the folder of checkpoints '{}'",
                                   printable(path)),
                       error.value());
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return systemError(fmt::format("cannot open the folder of checkpoints '{}'",
                                   printable(path)));
  CheckpointFolder folder(path, fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK
               ? unavailable(fmt::format(
                     "another process writes checkpoints to '{}'; wait for its "
                     "end, or name another folder",
                     printable(path)))
               : systemError(fmt::format("cannot lock '{}'", printable(path)));
  WEIR_RETURN_IF_ERROR(folder.removeRemains());
  return folder;
}

CheckpointFolder::~CheckpointFolder() {
  if (fd >= 0)
    ::close(fd);
}

Status CheckpointFolder::removeRemains() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        listFiles(folder));
  for (const std::string &name : names)
    if (isTemporary(name))
      WEIR_RETURN_IF_ERROR(removeFile(fmt::format("{}/{}", folder, name)));
  return Status::ok();
}

std::string CheckpointFolder::fileOf(int64_t step) const {
  return fmt::format("{}/{}{:08}{}", folder, filePrefix, step, fileSuffix);
}

std::string CheckpointFolder::bestFile() const {
  return fmt::format("{}/best{}", folder, fileSuffix);
}

StatusOr<std::vector<int64_t>> CheckpointFolder::steps() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        listFiles(folder));
  std::vector<int64_t> steps;
  for (const std::string &name : names)
    if (const std::optional<int64_t> step = stepOf(name))
      steps.push_back(*step);
  std::ranges::sort(steps);
  return steps;
}

/// Makes `to` a copy of the file `from`. The copy appears as a whole.
static Status copyFile(const std::string &from, const std::string &to) {
  WEIR_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::read(from));
  return atomicWriteFile(to, file.bytes());
}

/// Whether the file `replaced` exists and has other permissions than `file`. A
/// user may keep the file private, for instance.
static bool hasOtherMode(const std::string &replaced, const std::string &file) {
  struct stat before, now;
  return ::stat(replaced.c_str(), &before) == 0 &&
         ::stat(file.c_str(), &now) == 0 && before.st_mode != now.st_mode;
}

Status CheckpointFolder::markBest(int64_t step) const {
  // A second name for the same file. It replaces the older best file in one
  // step.
  const std::string name = bestFile();
  const std::string temporary = fmt::format("{}/.weir-best.tmp", folder);
  WEIR_RETURN_IF_ERROR(removeFile(temporary));
  if (hasOtherMode(name, fileOf(step)))
    return copyFile(fileOf(step), name);
  // Some file systems have no second names: FAT, and some file systems of
  // networks.
  if (::link(fileOf(step).c_str(), temporary.c_str()) != 0)
    return copyFile(fileOf(step), name);
  if (::rename(temporary.c_str(), name.c_str()) != 0)
    return systemError(fmt::format("cannot write '{}'", printable(name)));
  // If both names are already names of one file, rename leaves both.
  WEIR_RETURN_IF_ERROR(removeFile(temporary));
  (void)::fsync(fd);
  return Status::ok();
}

Status CheckpointFolder::prune(int64_t keep) const {
  if (keep == 0)
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(const std::vector<int64_t> all, steps());
  const size_t numKept = std::min(static_cast<size_t>(keep), all.size());
  for (size_t i = 0; i + numKept < all.size(); ++i)
    WEIR_RETURN_IF_ERROR(removeFile(fileOf(all[i])));
  return Status::ok();
}
