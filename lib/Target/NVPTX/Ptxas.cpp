//===- Ptxas.cpp - Makes machine code of PTX --------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Ptxas.h"

#include "weir/Support/TemporaryFolder.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <thread>

using namespace llvm;
using namespace weir;

static StatusOr<std::string> findProgram() {
  const char *home = std::getenv("CUDA_HOME");
  const std::string folder =
      fmt::format("{}/bin", home && *home ? home : "/usr/local/cuda");
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

namespace {
/// A running program, and a folder for its files. The folder exists as long as
/// this object.
class ChildProcess {
public:
  static StatusOr<std::unique_ptr<ChildProcess>> make();
  explicit ChildProcess(TemporaryFolder folder) : folder(std::move(folder)) {}

  std::string file(StringRef name) const { return folder.file(name); }
  Status start(const std::vector<std::string> &command);
  /// Waits until the program ends, and returns its output. It is an error if
  /// the program fails, or if it takes longer than `limit`.
  StatusOr<std::string> wait(std::chrono::seconds limit);

private:
  sys::ProcessInfo waitUntil(std::chrono::steady_clock::time_point end);

  TemporaryFolder folder;
  std::string program;
  sys::ProcessInfo process;
};
} // namespace

StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::make() {
  WEIR_ASSIGN_OR_RETURN(TemporaryFolder folder,
                        TemporaryFolder::make("weir-ptxas"));
  return std::make_unique<ChildProcess>(std::move(folder));
}

Status ChildProcess::start(const std::vector<std::string> &command) {
  program = command.front();
  const std::vector<StringRef> arguments(command.begin(), command.end());
  const std::string log = file("log.txt");
  const std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                                StringRef(log)};
  std::string error;
  bool hasFailed = false;
  process = sys::ExecuteNoWait(program, arguments, std::nullopt, redirects, 0,
                               &error, &hasFailed);
  if (hasFailed)
    return internalError(
        fmt::format("cannot start {}: {}", program, StringRef(error).trim()));
  return Status::ok();
}

/// Waits for the program until `end`. If the program still runs then, the
/// result has no process. Neither signals nor threads are used, because they
/// belong to the caller of the library.
sys::ProcessInfo
ChildProcess::waitUntil(std::chrono::steady_clock::time_point end) {
  auto pause = std::chrono::microseconds(500);
  for (;;) {
    const sys::ProcessInfo now = sys::Wait(process, 0);
    if (now.Pid != 0 || std::chrono::steady_clock::now() >= end)
      return now;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(10'000));
  }
}

StatusOr<std::string> ChildProcess::wait(std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  const sys::ProcessInfo ended = waitUntil(end);
  if (ended.Pid == 0) {
    kill(process.Pid, SIGKILL);
    sys::Wait(process, std::nullopt);
    return internalError(fmt::format(
        "{} did not end within {} s; check the toolkit, or set CUDA_HOME to "
        "that of another one",
        program, limit.count()));
  }
  auto said = readAll(file("log.txt"));
  const std::string text =
      said.isOk() ? StringRef(*said).trim().str() : std::string();
  if (ended.ReturnCode == 0)
    return text;
  return internalError(
      fmt::format("{} failed: {}", program,
                  text.empty() ? fmt::format("it ended with {}, and said "
                                             "nothing",
                                             ended.ReturnCode)
                               : text));
}

StatusOr<Ptxas> Ptxas::find(std::chrono::seconds limit) {
  Ptxas found;
  found.limit = limit;
  WEIR_ASSIGN_OR_RETURN(found.path, findProgram());
  WEIR_ASSIGN_OR_RETURN(const auto program, ChildProcess::make());
  WEIR_RETURN_IF_ERROR(program->start({found.path, "--version"}));
  WEIR_ASSIGN_OR_RETURN(found.version, program->wait(limit));
  return found;
}

/// If ptxas is too old for the GPU, replaces its error by a clear one.
static Status explain(const Status &status, const TargetGpu &gpu) {
  const StringRef text(status.message());
  if (!text.contains("is not defined for option 'gpu-name'") &&
      !text.contains("Unsupported .version"))
    return status;
  return unavailable(fmt::format("ptxas is older than {}; set CUDA_HOME to a "
                                 "newer toolkit",
                                 gpu.name));
}

static StatusOr<std::string> take(StatusOr<std::unique_ptr<ChildProcess>> run,
                                  std::chrono::seconds limit) {
  if (!run.isOk())
    return run.status();
  WEIR_RETURN_IF_ERROR((*run)->wait(limit).status());
  return readAll((*run)->file("kernels.cubin"));
}

std::vector<StatusOr<std::string>>
Ptxas::assemble(const std::vector<PtxText> &texts) const {
  auto start =
      [&](const PtxText &text) -> StatusOr<std::unique_ptr<ChildProcess>> {
    WEIR_ASSIGN_OR_RETURN(auto program, ChildProcess::make());
    const std::string input = program->file("kernels.ptx");
    WEIR_RETURN_IF_ERROR(writeAll(input, text.text));
    WEIR_RETURN_IF_ERROR(
        program->start({path, "-arch=" + text.gpu.name, "-O3", input, "-o",
                        program->file("kernels.cubin")}));
    return program;
  };
  std::vector<StatusOr<std::unique_ptr<ChildProcess>>> running;
  for (const PtxText &text : texts)
    running.push_back(start(text));
  std::vector<StatusOr<std::string>> codes;
  for (size_t i = 0; i < texts.size(); ++i) {
    StatusOr<std::string> code = take(std::move(running[i]), limit);
    codes.push_back(code.isOk() ? std::move(code)
                                : explain(code.status(), texts[i].gpu));
  }
  return codes;
}
