//===- CommandLine.h - Parsing with CLI11, as all tools do it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TOOLS_COMMANDLINE_H
#define WEIR_TOOLS_COMMANDLINE_H

#include "weir/Support/ToolMain.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>

namespace weir {

/// Parses the command line into the options of `app`, to which it adds
/// --version. Returns the exit code when there is nothing more to do: --help
/// and --version, or wrong usage, about which it prints an error.
inline std::optional<ExitCode> parseCommandLine(CLI::App &app, int argc,
                                                const char *const *argv) {
  app.set_version_flag("--version", toolVersion(app.get_name()));
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &answer) {
    return static_cast<ExitCode>(app.exit(answer));
  } catch (const CLI::ParseError &error) {
    std::string message = error.what();
    while (!message.empty() &&
           (message.back() == '\n' || message.back() == '.'))
      message.pop_back();
    printError(app.get_name(), message + "; see " + app.get_name() + " --help");
    return exitWrongUsage;
  }
}

} // namespace weir

#endif // WEIR_TOOLS_COMMANDLINE_H
