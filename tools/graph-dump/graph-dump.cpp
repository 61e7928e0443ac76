//===- graph-dump.cpp - Shows the contents of an artifact -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "weir/Artifact/Dump.h"
#include "weir/Support/OutputFile.h"

using namespace weir;

static Status dump(const std::string &path, bool asJson) {
  WEIR_ASSIGN_OR_RETURN(artifact::Artifact loaded,
                        artifact::Artifact::open(path));
  WEIR_RETURN_IF_ERROR(loaded.checkBlobs().withContext(path));
  std::string text =
      asJson ? artifact::dumpJson(loaded) + "\n" : artifact::dumpText(loaded);
  return atomicWriteFile("-", std::as_bytes(std::span(text)));
}

int main(int argc, char **argv) {
  CLI::App app(
      "Shows what a compiled model holds: its inputs and outputs, and "
      "for each variant\nthe devices, the planned memory and its lower "
      "bound, the kernels, and every command\nin the order in which its "
      "queue runs it. Damaged files are refused as before a run. Only a "
      "run\nchecks whether this machine has the devices, their kernels, and "
      "what generated code needs.",
      "graph-dump");
  app.footer("Exit codes: 0 shown, 1 the file is missing or damaged, 2 wrong "
             "usage.\n\nExample:\n  graph-dump model.weir --json | python3 -m "
             "json.tool");
  std::string path;
  bool asJson = false;
  app.add_option("MODEL", path,
                 "An artifact of graph-compile; - reads "
                 "standard input")
      ->required();
  app.add_flag("--json", asJson, "Print one JSON object instead of text");
  if (std::optional<ExitCode> code = parseCommandLine(app, argc, argv))
    return *code;
  return finish("graph-dump", dump(path, asJson));
}
