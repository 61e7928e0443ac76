//===- OutputFile.cpp - Files that appear whole or not at all -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/OutputFile.h"

#include "weir/Support/SystemError.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

namespace {
/// The target of `path` if `path` is a symbolic link to a missing file, and
/// otherwise `path` itself.
std::string followLinks(const std::string &path) {
  // The number of links that Linux follows.
  constexpr int maxLinks = 40;
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < maxLinks; ++i) {
    std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error)
      return target.string();
    target = target.parent_path() / next;
  }
  return path;
}

std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Gives the new file `fd` the owner and the permissions of the file
/// `replaced`. Users who cannot read `replaced` can never read the new file.
void takeOver(int fd, const struct stat &replaced) {
  mode_t mode = replaced.st_mode & 0777;
  // Only root may give files to other users. Other users may give files only to
  // groups of their own. If the group cannot be set, the permissions for the
  // group are removed, because they would apply to another group.
  if (::fchown(fd, replaced.st_uid, replaced.st_gid) != 0 &&
      ::fchown(fd, static_cast<uid_t>(-1), replaced.st_gid) != 0)
    mode &= 0700 | (mode >> 3 & 07);
  // If this fails, only this user can read the file.
  (void)!::fchmod(fd, mode);
}

/// Opens a new file in `folder`. If `replaced` is not null, the file gets the
/// owner and the permissions of `replaced`.
int openTemporary(const std::string &folder, const struct stat *replaced,
                  std::string &name) {
  static std::atomic<unsigned> counter = 0;
  // A file that replaces a private one must never be readable by others, not
  // even for a short time.
  const mode_t mode = replaced ? 0600 : 0666;
  int fd;
  do {
    name = fmt::format("{}/.weir-{}-{}.tmp", folder, ::getpid(), ++counter);
    fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EEXIST);
  if (fd >= 0 && replaced)
    takeOver(fd, *replaced);
  return fd;
}

/// Makes sure that the new name survives a power failure, if the file system
/// can sync folders.
void syncFolder(const std::string &folder) {
  int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  (void)!::fsync(fd);
  ::close(fd);
}
} // namespace

StatusOr<OutputFile> OutputFile::create(const std::string &path) {
  if (path == "-")
    return OutputFile(path, "", ::dup(STDOUT_FILENO));
  WEIR_RETURN_IF_ERROR(checkPath(path));
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno == ELOOP)
    return systemError(fmt::format("cannot write '{}'", path));
  // Standard output may be redirected to `path`. The output is then appended to
  // that file.
  struct stat standard;
  if (exists && S_ISREG(info.st_mode) &&
      ::fstat(STDOUT_FILENO, &standard) == 0 &&
      standard.st_dev == info.st_dev && standard.st_ino == info.st_ino)
    return OutputFile("-", "", ::dup(STDOUT_FILENO));
  // A symbolic link stays a link, and its target is replaced. A pipe behind a
  // link (/dev/stdout) can only be opened through the link.
  std::string target = path;
  if (!exists) {
    target = followLinks(path);
  } else if (S_ISREG(info.st_mode)) {
    std::error_code error;
    target = std::filesystem::canonical(path, error).string();
    if (error)
      return systemError(fmt::format("cannot write '{}'", path), error.value());
  }
  std::string temporary;
  int fd;
  if (exists && S_ISDIR(info.st_mode))
    return systemError(fmt::format("cannot write '{}'", path), EISDIR);
  if (exists && !S_ISREG(info.st_mode))
    fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
  else
    fd = openTemporary(folderOf(target), exists ? &info : nullptr, temporary);
  if (fd < 0)
    return systemError(fmt::format("cannot write '{}'", path));
  return OutputFile(std::move(target), std::move(temporary), fd);
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path(std::move(other.path)),
      temporary(std::exchange(other.temporary, std::string())),
      fd(std::exchange(other.fd, -1)) {}

OutputFile::~OutputFile() {
  if (fd >= 0)
    ::close(fd);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Status OutputFile::failure() const {
  return systemError(path == "-" ? "cannot write to standard output"
                                 : fmt::format("cannot write '{}'", path));
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  // Linux writes at most about 2 GiB in one call, so a chunk is smaller.
  constexpr size_t maxChunk = size_t(1) << 30;
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), maxChunk));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failure();
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

Status OutputFile::commit() {
  if (!temporary.empty() && ::fsync(fd) != 0)
    return failure();
  if (::close(std::exchange(fd, -1)) != 0)
    return failure();
  if (temporary.empty())
    return Status::ok();
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return failure();
  temporary.clear();
  syncFolder(folderOf(path));
  return Status::ok();
}

Status weir::checkWritable(const std::string &path) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  struct stat info;
  bool isOther = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
                 !S_ISDIR(info.st_mode);
  if (path == "-" || !isOther)
    return OutputFile::create(path).status();
  // A pipe is not opened for the check. If it were closed again, the input of
  // its reader would end.
  if (::access(path.c_str(), W_OK) != 0)
    return systemError(fmt::format("cannot write '{}'", path));
  return Status::ok();
}

Status weir::atomicWriteFile(const std::string &path,
                             std::span<const std::byte> bytes) {
  WEIR_ASSIGN_OR_RETURN(OutputFile file, OutputFile::create(path));
  WEIR_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}
