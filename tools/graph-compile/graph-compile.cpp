//===- graph-compile.cpp - Compiles a graph into an artifact -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"

#include "weir/Compiler/Compiler.h"

#include <cstdio>

using namespace weir;

namespace {
struct Flags {
  std::string input;
  std::string output;
  std::string emit = "artifact";
  std::string explain;
  std::string stats;
  CompileOptions options;
};
} // namespace

static void addFlags(CLI::App &app, Flags &flags) {
  CompileOptions &options = flags.options;
  app.add_option("INPUT", flags.input, "Textual IR (.mlir); - for stdin")
      ->required();
  app.add_option("-o", flags.output,
                 "Where to write the artifact or the IR; - for stdout. "
                 "Default: INPUT with .weir for an artifact, stdout for IR");
  app.add_option("--emit", flags.emit,
                 "Stop after a phase and print the IR: import, lifted, graph, "
                 "grouped, placed, partitioned, lowered, exec; or write the "
                 "artifact")
      ->capture_default_str();
  app.add_option("--entry", options.entry,
                 "The function to compile (default: the only one, else main)");
  app.add_option("--shape", options.shapes,
                 "Fix an input's unknown dims: NAME:1x3x224x224 (repeat)")
      ->allow_extra_args(false);
  app.add_option("--devices", options.devices,
                 "Devices to compile for: cpu:0-1 (default: those that "
                 "annotations name, else cpu:0)");
  app.add_option("--topology", options.topology,
                 "Devices and links from a file (docs/topology.md)");
  app.add_option("--threads", options.threads,
                 "Threads per CPU device; 0 for an even share of the cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--place", options.place,
                 "Place ops by name: GLOB=DEVICE, or all that depends on a "
                 "node: after:NODE=DEVICE (repeat)")
      ->allow_extra_args(false);
  app.add_option("--placement", options.placement,
                 "explicit: annotations decide, the rest follows its operands; "
                 "random:SEED")
      ->capture_default_str();
  app.add_flag("--strict", options.strict,
               "An op that cannot be where it should be is an error");
  app.add_flag("--isolated", options.isolated,
               "Every device has its own heap; crossings are real copies");
  app.add_option("--memory-cap", options.memoryCaps,
                 "The most scratch on a device: cpu:0=64MiB (repeat)")
      ->allow_extra_args(false);
  app.add_flag("--allow-reference", options.allowReference,
               "Run ops without a library kernel on slow reference kernels");
  app.add_option("--explain", flags.explain,
                 "Print why each group runs where it does (text or json)")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--stats", flags.stats,
                 "Print groups, launches, crossings, memory (text or json)")
      ->expected(0, 1)
      ->default_str("text")
      ->check(CLI::IsMember({"text", "json"}));
}

/// The artifact's default path: the input's name with another ending.
static std::string defaultOutput(const std::string &input) {
  size_t slash = input.find_last_of('/');
  size_t dot = input.find_last_of('.');
  bool hasEnding = dot != std::string::npos &&
                   (slash == std::string::npos || dot > slash + 1);
  return input.substr(0, hasEnding ? dot : std::string::npos) + ".weir";
}

static ExitCode writeText(const std::string &path, const std::string &text) {
  bool isStdout = path.empty() || path == "-";
  std::FILE *file = isStdout ? stdout : std::fopen(path.c_str(), "wb");
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  isWritten = file && (isStdout ? std::fflush(file) : std::fclose(file)) == 0 &&
              isWritten;
  if (isWritten)
    return exitOk;
  printError("graph-compile", "cannot write '" + path + "'");
  return exitFailed;
}

/// Reports: JSON goes to stdout as one object, text for people to stderr.
static void printReports(const Flags &flags, const CompileReport &report) {
  if (flags.explain == "json")
    std::fputs(explainJson(report).c_str(), stdout);
  else if (!flags.explain.empty())
    std::fputs(explainText(report).c_str(), stderr);
  if (flags.stats == "json")
    std::fputs(statsJson(report).c_str(), stdout);
  else if (!flags.stats.empty())
    std::fputs(statsText(report).c_str(), stderr);
}

int main(int argc, char **argv) {
  CLI::App app("Compiles a dataflow graph for one or more devices.",
               "graph-compile");
  Flags flags;
  addFlags(app, flags);
  if (std::optional<ExitCode> code = parseCommandLine(app, argc, argv))
    return *code;
  StatusOr<EmitPhase> phase = parseEmitPhase(flags.emit);
  if (!phase.isOk()) {
    printError("graph-compile", phase.status().message());
    return exitWrongUsage;
  }
  flags.options.emit = *phase;
  bool writesArtifact = *phase == EmitPhase::Artifact;
  if (writesArtifact && flags.output.empty())
    flags.output = flags.input == "-" ? "-" : defaultOutput(flags.input);
  StatusOr<CompileResult> result = compileFile(
      flags.input, flags.output, flags.options, [](std::string_view message) {
        std::fwrite(message.data(), 1, message.size(), stderr);
      });
  if (!result.isOk()) {
    printError("graph-compile", result.status().message());
    return exitFailed;
  }
  printReports(flags, result->report);
  return writesArtifact ? exitOk : writeText(flags.output, result->text);
}
