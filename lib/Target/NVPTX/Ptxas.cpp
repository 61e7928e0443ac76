//===- Ptxas.cpp - Makes machine code of PTX --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fmt/format.h>

using namespace llvm;
using namespace weir;

static StatusOr<std::string> findProgram() {
  const char *home = std::getenv("CUDA_HOME");
  const std::string folder =
      fmt::format("{}/bin", home ? home : "/usr/local/cuda");
  if (auto path = sys::findProgramByName("ptxas", {folder}))
    return *path;
  if (auto path = sys::findProgramByName("ptxas"))
    return *path;
  return unavailable("there is no ptxas, the assembler of the CUDA toolkit; "
                     "put it on the path or set CUDA_HOME");
}

static StatusOr<std::string> readAll(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return internalError(
        fmt::format("cannot read '{}': {}", path, buffer.getError().message()));
  return (*buffer)->getBuffer().str();
}

static Status writeAll(const std::string &path, const std::string &text) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return resourceExhausted(
        fmt::format("cannot write '{}': {}", path, error.message()));
  return Status::ok();
}

/// Calls `work` with a folder that exists only meanwhile.
template <typename Work>
static StatusOr<std::string> inFolder(const Work &work) {
  SmallString<128> folder;
  if (std::error_code error =
          sys::fs::createUniqueDirectory("weir-ptxas", folder))
    return resourceExhausted(fmt::format(
        "cannot make a folder for temporary files in '{}': {}; set TMPDIR to a "
        "folder that can be written",
        sys::path::parent_path(folder).str(), error.message()));
  scope_exit cleanUp([&] {
    [[maybe_unused]] std::error_code left = sys::fs::remove_directories(folder);
  });
  return work(folder.str().str());
}

/// Runs `program`. What it says is in `folder`.
static StatusOr<std::string> runProgram(const std::string &folder,
                                        std::vector<StringRef> arguments) {
  const std::string log = folder + "/log";
  std::string error;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  const int code = sys::ExecuteAndWait(arguments.front(), arguments,
                                       std::nullopt, redirects, 0, 0, &error);
  auto said = readAll(log);
  const std::string text = said.isOk() ? *std::move(said) : std::string();
  if (code == 0)
    return text;
  return internalError(fmt::format("{} failed: {}{}", arguments.front().str(),
                                   error, StringRef(text).trim().str()));
}

StatusOr<Ptxas> Ptxas::find() {
  Ptxas found;
  WEIR_ASSIGN_OR_RETURN(found.path, findProgram());
  WEIR_ASSIGN_OR_RETURN(found.version, inFolder([&](const std::string &folder) {
                          return runProgram(folder, {found.path, "--version"});
                        }));
  return found;
}

StatusOr<std::string> Ptxas::assemble(const std::string &ptx,
                                      const TargetGpu &gpu) const {
  return inFolder([&](const std::string &folder) -> StatusOr<std::string> {
    const std::string input = folder + "/kernels.ptx";
    const std::string output = folder + "/kernels.cubin";
    const std::string arch = "-arch=" + gpu.name;
    WEIR_RETURN_IF_ERROR(writeAll(input, ptx));
    WEIR_RETURN_IF_ERROR(
        runProgram(folder, {path, arch, "-O3", input, "-o", output}).status());
    return readAll(output);
  });
}
