//===- ToolMain.h - Shared by all command-line tools ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TOOLMAIN_H
#define WEIR_SUPPORT_TOOLMAIN_H

#include "weir/Support/Status.h"

#include <string>
#include <string_view>

namespace weir {

/// The exit codes of the tools.
enum ExitCode : int {
  exitOk = 0,
  /// The work failed; the reason is on standard error.
  exitFailed = 1,
  exitWrongUsage = 2,
};

/// The exit code of a tool that `signal` has asked to end: 128 + `signal`, as
/// shells report it.
ExitCode exitBySignal(int signal);

/// The version of this build: "0.1.0".
std::string_view versionText();

/// The answer to --version: "graph-run (Weir) 0.1.0".
std::string toolVersion(std::string_view tool);

/// Prints "`tool`: error: `message`" to standard error.
void printError(std::string_view tool, std::string_view message);

/// Prints text for people to standard error. Text that cannot be written is
/// lost, because a tool should not fail only because nobody reads its report.
void printReport(std::string_view text);

/// Prepares the process of a tool, before it opens a file:
/// - A failed allocation ends it with a message and exitFailed.
/// - A write beyond the limit on file sizes fails. By default, a signal would
///   end the process.
/// - A closed standard stream stays closed. By default, a file that is opened
///   later could get its number and receive what is meant for the stream.
/// `tool` must outlive the process's work.
void startTool(std::string_view tool);

/// Ends the process of a tool in the way a failed allocation ends it.
[[noreturn]] void endOutOfMemory();

/// Prints `status` if it is an error. Returns the matching exit code.
ExitCode finish(std::string_view tool, const Status &status);

} // namespace weir

#endif // WEIR_SUPPORT_TOOLMAIN_H
