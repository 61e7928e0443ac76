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

namespace detail {
/// The first argument that is none of `app`, with the flags that there are.
inline std::string describeUnknown(const CLI::App &app) {
  std::string message, flags;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_lnames().empty())
      flags += (flags.empty() ? "--" : ", --") + option->get_lnames().front();
  for (const std::string &argument : app.remaining())
    if (message.empty() || argument.starts_with("-"))
      message = argument;
  if (!message.starts_with("-"))
    return "unexpected argument '" + message + "'";
  return "unknown flag '" + message + "'; the flags are " + flags;
}

/// What `error` says, in our style.
inline std::string describe(const CLI::App &app, const CLI::ParseError &error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError *>(&error))
    return describeUnknown(app);
  // "--devices: 1 required TEXT missing".
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    return message.substr(0, message.find(": ")) + ": expected a value";
  // "Could not convert: --strict = maybe".
  if (dynamic_cast<const CLI::ConversionError *>(&error))
    if (size_t colon = message.find(": "), equals = message.find(" = ");
        colon < equals && equals != message.npos)
      return message.substr(colon + 2, equals - colon - 2) +
             ": cannot read the value '" + message.substr(equals + 3) + "'";
  while (!message.empty() && (message.back() == '\n' || message.back() == '.'))
    message.pop_back();
  return message;
}
} // namespace detail

/// Parses the command line into the options of `app`, to which it adds
/// --version. Returns the exit code when there is nothing more to do: --help
/// and --version, or wrong usage, about which it prints an error.
inline std::optional<ExitCode> parseCommandLine(CLI::App &app, int argc,
                                                const char *const *argv) {
  exitWhenMemoryRunsOut(app.get_name());
  app.set_version_flag("--version", toolVersion(app.get_name()));
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &answer) {
    return static_cast<ExitCode>(app.exit(answer));
  } catch (const CLI::ParseError &error) {
    printError(app.get_name(), detail::describe(app, error) + "; see " +
                                   app.get_name() + " --help");
    return exitWrongUsage;
  }
}

} // namespace weir

#endif // WEIR_TOOLS_COMMANDLINE_H
