//===- Link.cpp - Links object files to one shared object -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "weir/Cache/UserCache.h"
#include "weir/Support/TemporaryFolder.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace llvm;
using namespace weir;

/// Finds LLVM's linker. It is in the folder of the LLVM with which Weir was
/// built, or on the path.
static StatusOr<std::string> findLinker() {
  for (StringRef name : {WEIR_LINKER, "ld.lld-22", "ld.lld"})
    // A name with a slash is not looked up on the path.
    if (auto path = sys::findProgramByName(name);
        path && sys::fs::can_execute(*path))
      return *path;
  return unavailable("cannot find the linker ld.lld, which puts generated code "
                     "together; install lld-22");
}

StatusOr<std::string> weir::identifyLinker() {
  WEIR_ASSIGN_OR_RETURN(std::string linker, findLinker());
  return identifyFile(linker);
}

static Status writeObject(const std::string &path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return resourceExhausted(
        fmt::format("cannot write '{}': {}", path, error.message()));
  return Status::ok();
}

/// Puts all objects into one archive. One file takes less time to write and to
/// read than many.
static StatusOr<std::string>
makeArchive(const std::vector<std::string> &objects) {
  std::vector<NewArchiveMember> members;
  for (const std::string &object : objects)
    members.emplace_back(MemoryBufferRef(object, "kernel.o"));
  auto archive = writeArchiveToBuffer(members, SymtabWritingMode::NoSymtab,
                                      object::Archive::K_GNU,
                                      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return internalError(toString(archive.takeError()));
  return (*archive)->getBuffer().str();
}

static StatusOr<std::string> readAll(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return internalError(
        fmt::format("cannot read '{}': {}", path, buffer.getError().message()));
  return (*buffer)->getBuffer().str();
}

/// Runs the linker. Its messages go to the file `log`. It uses only one thread,
/// because it crashes if the system refuses it a thread.
static Status runLinker(const std::string &log, const std::string &archive,
                        const std::string &output) {
  WEIR_ASSIGN_OR_RETURN(std::string linker, findLinker());
  std::vector<StringRef> arguments = {linker,
                                      "--threads=1",
                                      "--build-id=none",
                                      "-nostdlib",
                                      "-shared",
                                      "--no-undefined",
                                      "--gc-sections",
                                      "-z",
                                      "now",
                                      "-z",
                                      "relro",
                                      "--icf=all",
                                      "--hash-style=sysv",
                                      "--strip-debug",
                                      "-o",
                                      output,
                                      "--whole-archive",
                                      archive};
  std::string error;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  int code = sys::ExecuteAndWait(linker, arguments, std::nullopt, redirects, 0,
                                 0, &error);
  if (code == 0)
    return Status::ok();
  auto said = readAll(log);
  return internalError(
      fmt::format("generated code cannot be linked: {}{}", error,
                  said.isOk() ? StringRef(*said).trim().str() : ""));
}

StatusOr<std::string> weir::link(const std::vector<std::string> &objects) {
  WEIR_ASSIGN_OR_RETURN(const TemporaryFolder folder,
                        TemporaryFolder::make("weir-link"));
  WEIR_ASSIGN_OR_RETURN(std::string archive, makeArchive(objects));
  const std::string input = folder.file("kernels.a");
  WEIR_RETURN_IF_ERROR(writeObject(input, archive));
  const std::string output = folder.file("kernels.so");
  WEIR_RETURN_IF_ERROR(runLinker(folder.file("log.txt"), input, output));
  return readAll(output);
}
