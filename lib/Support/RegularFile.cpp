//===- RegularFile.cpp - An open file that is read anywhere ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/RegularFile.h"

#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace weir;

StatusOr<RegularFile> RegularFile::open(const std::string &path) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  RegularFile opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                     0);
  struct stat info;
  if (opened.file < 0 || ::fstat(opened.file, &info) != 0)
    return systemError(fmt::format("cannot read '{}'", printable(path)));
  if (S_ISFIFO(info.st_mode))
    return invalidArgument(
        fmt::format("cannot read '{}': it is a pipe; use - for standard input",
                    printable(path)));
  if (!S_ISREG(info.st_mode))
    return invalidArgument(fmt::format(
        "cannot read '{}': it is not a regular file", printable(path)));
  opened.length = static_cast<uint64_t>(info.st_size);
  return opened;
}

Status RegularFile::read(uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count =
        ::pread(file, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot read the file");
    if (count == 0)
      return dataLoss(fmt::format(
          "the file ends at byte {}, but had {} bytes when it was opened; "
          "replace a file in use by renaming another one",
          offset, length));
    offset += static_cast<uint64_t>(count);
    to = to.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

StatusOr<std::string> weir::readRegularFile(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(const RegularFile file, RegularFile::open(path));
  std::string bytes(file.size(), '\0');
  Status status = file.read(0, std::as_writable_bytes(std::span(bytes)));
  if (!status.isOk())
    return std::move(status).withContext(
        fmt::format("cannot read '{}'", printable(path)));
  return bytes;
}

RegularFile::RegularFile(RegularFile &&other) noexcept
    : file(std::exchange(other.file, -1)),
      length(std::exchange(other.length, 0)) {}

RegularFile &RegularFile::operator=(RegularFile &&other) noexcept {
  std::swap(file, other.file);
  std::swap(length, other.length);
  return *this;
}

RegularFile::~RegularFile() {
  if (file >= 0)
    ::close(file);
}
