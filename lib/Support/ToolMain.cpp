//===- ToolMain.cpp - Shared by all command-line tools ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ToolMain.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <unistd.h>

using namespace weir;

std::string_view weir::versionText() { return WEIR_VERSION; }

std::string weir::toolVersion(std::string_view tool) {
  return fmt::format("{} (Weir) {}", tool, versionText());
}

void weir::printError(std::string_view tool, std::string_view message) {
  // A message may contain names from files, with any characters.
  std::string line =
      fmt::format("{}: error: {}\n", tool, printableLines(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void weir::printReport(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

/// The name of the running tool. `startTool` sets it.
static std::string_view runningTool;

/// Opens a descriptor for each standard stream that is closed. Otherwise files
/// would get the numbers of the streams. The descriptors can neither be read
/// nor written.
static void keepClosedStreams() {
  int fd;
  do
    fd = ::open("/dev/null", O_PATH);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    ::close(fd);
}

void weir::startTool(std::string_view tool) {
  keepClosedStreams();
  std::signal(SIGXFSZ, SIG_IGN);
  runningTool = tool;
  std::set_new_handler(endOutOfMemory);
}

void weir::endOutOfMemory() {
  // This code must not allocate.
  std::fprintf(
      stderr,
      "%.*s: error: out of memory; make the graph's tensors smaller or "
      "run on a machine with more memory\n",
      static_cast<int>(runningTool.size()), runningTool.data());
  std::_Exit(exitFailed);
}

ExitCode weir::exitBySignal(int signal) {
  constexpr int firstCode = 128;
  return static_cast<ExitCode>(firstCode + signal);
}

ExitCode weir::finish(std::string_view tool, const Status &status) {
  if (status.isOk())
    return exitOk;
  printError(tool, status.message());
  return exitFailed;
}
