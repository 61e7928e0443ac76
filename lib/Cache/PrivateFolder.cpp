//===- PrivateFolder.cpp - Folders and files of one user --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PrivateFolder.h"

#include "weir/Support/SystemError.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;

OwnedDescriptor::~OwnedDescriptor() {
  if (fd >= 0)
    ::close(fd);
}

/// Refuses a file or folder that another user owns or can write to.
static Status checkOwner(const OwnedDescriptor &opened, const std::string &path,
                         struct stat &info) {
  if (::fstat(opened.get(), &info) != 0)
    return systemError(fmt::format("cannot open '{}'", path));
  constexpr std::string_view repair =
      "name a folder of your own that nobody else can write to";
  if (info.st_uid != ::geteuid())
    return invalidArgument(fmt::format(
        "'{}' is not used: it belongs to the user {} and not to {}; {}", path,
        info.st_uid, ::geteuid(), repair));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return invalidArgument(
        fmt::format("'{}' is not used: others can write to it (mode {:o}); {}",
                    path, info.st_mode & 07777, repair));
  return Status::ok();
}

/// Makes `path` and the folders above it. Only this user can access them.
static Status makeFolders(const std::string &path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return systemError(fmt::format("cannot make the folder '{}'", folder));
  }
  return Status::ok();
}

StatusOr<OwnedDescriptor> weir::openPrivateFolder(const std::string &path) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  OwnedDescriptor folder(::open(path.c_str(), flags));
  if (!folder && errno == ENOENT) {
    WEIR_RETURN_IF_ERROR(makeFolders(path));
    folder = OwnedDescriptor(::open(path.c_str(), flags));
  }
  if (!folder)
    return systemError(fmt::format("cannot open the folder '{}'", path));
  struct stat info;
  WEIR_RETURN_IF_ERROR(checkOwner(folder, path, info));
  return folder;
}

StatusOr<PrivateFile> weir::openPrivateFile(const OwnedDescriptor &folder,
                                            const std::string &path,
                                            const std::string &name) {
  // Without O_NONBLOCK, opening a FIFO would wait for the other side.
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  auto open = [&](int how) {
    return OwnedDescriptor(
        ::openat(folder.get(), name.c_str(), how | flags, S_IRUSR | S_IWUSR));
  };
  const std::string full = path + "/" + name;
  PrivateFile opened{open(O_RDWR | O_CREAT), Status::ok()};
  if (!opened.file) {
    opened.writable = systemError(fmt::format("cannot write to '{}'", full));
    opened.file = open(O_RDONLY);
  }
  if (!opened.file && errno == ELOOP)
    return invalidArgument(fmt::format(
        "'{}' is not used: it is a symbolic link; remove it", full));
  if (!opened.file)
    return opened.writable;
  struct stat info;
  WEIR_RETURN_IF_ERROR(checkOwner(opened.file, full, info));
  if (!S_ISREG(info.st_mode))
    return invalidArgument(fmt::format(
        "'{}' is not used: it is not a regular file; remove it", full));
  return opened;
}
