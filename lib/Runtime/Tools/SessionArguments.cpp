//===- SessionArguments.cpp - What all tasks of graph-run have in common --===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"

#include "DeviceOptions.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/OutputFile.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <span>

using namespace weir;

StatusOr<SessionOptions> weir::sessionOptionsOf(const RunToolOptions &options) {
  SessionOptions sessionOptions;
  sessionOptions.entry = options.entry;
  sessionOptions.threads = options.threads;
  sessionOptions.inFlight = options.inFlight;
  sessionOptions.pinThreads = !options.noPin;
  sessionOptions.checkNumerics = options.checkNumerics;
  sessionOptions.allowCode = !options.noCode;
  sessionOptions.tune = options.tune;
  for (const std::string &text : options.deviceOptions) {
    WEIR_ASSIGN_OR_RETURN(DeviceOption option, parseDeviceOption(text));
    sessionOptions.deviceOptions.push_back(std::move(option));
  }
  return sessionOptions;
}

/// An error that `path` is a folder and not a file. It names the newest file of
/// variables in the folder.
static Status refuseFolder(const std::string &path) {
  std::string newest;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error))
    // The steps in the names have eight digits.
    if (entry->path().extension() == ".safetensors")
      newest = std::max(newest, entry->path().string());
  return invalidArgument(fmt::format(
      "--load-variables: '{}' is a folder; expected a file{}", printable(path),
      newest.empty() ? ", and it has none that ends in .safetensors"
                     : fmt::format(" in it, such as '{}'", printable(newest))));
}

Status weir::loadGivenVariables(Session &session, const std::string &path) {
  if (path.empty())
    return Status::ok();
  if (session.variables().empty())
    return invalidArgument(fmt::format(
        "--load-variables {0}: the model has no variables, because no entry "
        "assigns a parameter; give its parameters the values of the file with "
        "graph-compile --weights={0}",
        printable(path)));
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return refuseFolder(path);
  return session.loadVariables(path).withContext("--load-variables");
}

void weir::addEndFiles(const RunToolOptions &options, FileUses &uses) {
  if (!options.loadVariables.empty())
    uses.reads("--load-variables", options.loadVariables);
  if (!options.saveVariables.empty())
    uses.replaces("--save-variables", options.saveVariables);
  if (!options.profile.empty())
    uses.replaces("--profile", options.profile);
  if (options.json)
    uses.replaces("--json", "-");
  uses.reportsToStandardError();
}

Status weir::checkEndFiles(const RunToolOptions &options) {
  if (!options.saveVariables.empty())
    WEIR_RETURN_IF_ERROR(
        checkWritable(options.saveVariables).withContext("--save-variables"));
  if (options.profile.empty())
    return Status::ok();
  return checkWritable(options.profile).withContext("--profile");
}

Status weir::printJson(std::string text) {
  text += '\n';
  return atomicWriteFile("-", std::as_bytes(std::span(text)));
}
