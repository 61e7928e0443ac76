//===- RecordFile.cpp - A file to which each record is appended -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RecordFile.h"

#include "weir/Support/SystemError.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace weir;

StatusOr<RecordFile> RecordFile::open(const std::string &path, Mode mode,
                                      std::unique_ptr<RecordFormat> format) {
  const bool isStandard = path == "-";
  std::string name = isStandard ? "standard output" : fmt::format("'{}'", path);
  WEIR_RETURN_IF_ERROR(checkPath(path));
  const int fd = isStandard ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                            : ::open(path.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
                                         (mode == Mode::Create ? O_EXCL : 0),
                                     0666);
  if (fd < 0)
    return systemError(fmt::format("cannot write {}", name));
  RecordFile file(std::move(name), fd, std::move(format));
  WEIR_RETURN_IF_ERROR(file.lock(mode));
  return file;
}

Status RecordFile::lock(Mode mode) const {
  if (!isRegular())
    return Status::ok();
  // Nobody else writes to a new file. But another run may hold its lock for a
  // moment, to find out whether the file is locked.
  const int operation = LOCK_EX | (mode == Mode::Create ? 0 : LOCK_NB);
  int result;
  do
    result = ::flock(fd, operation);
  while (result != 0 && errno == EINTR);
  // Not all file systems have locks.
  if (result == 0 || errno != EWOULDBLOCK)
    return Status::ok();
  return unavailable(fmt::format(
      "another run writes to {}; wait for its end, or name another file",
      shownName));
}

RecordFile::RecordFile(RecordFile &&other) noexcept
    : shownName(std::move(other.shownName)), fd(std::exchange(other.fd, -1)),
      format(std::move(other.format)), pending(std::move(other.pending)),
      failure(std::move(other.failure)) {}

RecordFile::~RecordFile() {
  if (fd >= 0)
    ::close(fd);
}

bool RecordFile::isRegular() const {
  struct stat info;
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

void RecordFile::add(const ReportRecord &record) {
  if (failure.isOk())
    format->append(pending, record);
}

void RecordFile::write() {
  if (failure.isOk() && !pending.empty())
    failure = writeNow(pending);
  pending.clear();
}

Status RecordFile::writeNow(std::string_view bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count =
        ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      const int error = errno;
      removePart(written);
      return systemError(fmt::format("cannot write {}", shownName), error);
    }
    written += static_cast<size_t>(count);
  }
  return Status::ok();
}

void RecordFile::removePart(size_t written) {
  struct stat info;
  if (written == 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return;
  // If this call fails, too, the part stays, and readers skip it.
  (void)!::ftruncate(fd, info.st_size - static_cast<off_t>(written));
}

Status weir::checkUnlocked(std::span<const std::string> paths) {
  for (const std::string &path : paths) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
      continue;
    const bool isLocked =
        ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    if (isLocked)
      return unavailable(fmt::format("another run writes to '{}'; wait for its "
                                     "end, or name another",
                                     path));
  }
  return Status::ok();
}
