//===- RunUsage.cpp - Checks the command line of graph-run ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceOptions.h"
#include "RunTool.h"
#include "TensorArguments.h"
#include "weir/Support/FileUses.h"
#include "weir/Support/OptionText.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/Printable.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

using namespace weir;

namespace {
/// The flags that use a standard stream.
struct StreamUses {
  std::vector<std::string> flags;

  void add(std::string_view flag, std::string_view path) {
    if (path == "-")
      flags.emplace_back(flag);
  }
  void add(std::string_view flag, std::span<const NamedValue> files) {
    for (const NamedValue &file : files)
      // The name may contain a '=' too.
      if (file.value == "-" || file.value.ends_with("=-"))
        flags.push_back(fmt::format("{} {}", flag, file.name));
  }
  /// Returns an error if more than one flag uses the stream.
  Status check(std::string_view does, std::string_view repair) const {
    if (flags.size() < 2)
      return Status::ok();
    return invalidArgument(fmt::format("{} and {} would both {}; {}", flags[0],
                                       flags[1], does, repair));
  }
};
} // namespace

static Status checkStreams(const RunToolOptions &options,
                           std::span<const NamedValue> inputs,
                           std::span<const NamedValue> expected,
                           std::span<const NamedValue> outputs) {
  StreamUses reads, writes;
  reads.add("MODEL", options.model);
  reads.add("--input", inputs);
  reads.add("--expect", expected);
  reads.add("--load-variables", options.loadVariables);
  WEIR_RETURN_IF_ERROR(
      reads.check("read standard input", "name a file for one of them"));
  if (options.json)
    writes.add("--json", "-");
  writes.add("--profile", options.profile);
  writes.add("--output", outputs);
  writes.add("--save-variables", options.saveVariables);
  return writes.check("write to standard output",
                      options.json ? "name a file for the other, or leave "
                                     "--json out"
                                   : "name a file for one of them");
}

/// Checks that `path` has no ending other than `ending`, the only format that
/// `what` writes.
static Status checkEnding(const std::string &what, const std::string &path,
                          std::string_view ending) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind.empty() || kind == ending)
    return Status::ok();
  return invalidArgument(
      fmt::format("{}: expected a file whose name ends in {}, found {}; {}",
                  what, ending, printable(kind),
                  ending == ".npy" && kind == ".csv"
                      ? "name one, or write rows of text with --predict"
                      : "name one"));
}

/// Checks that outputs and saved variables have the only formats that runs
/// write: .npy and .safetensors.
static Status checkFormats(const RunToolOptions &options,
                           std::span<const NamedValue> outputs) {
  for (const NamedValue &output : outputs)
    WEIR_RETURN_IF_ERROR(
        checkEnding(fmt::format("--output {}={}", printable(output.name),
                                printable(output.value)),
                    output.value, ".npy"));
  return checkEnding(
      fmt::format("--save-variables {}", printable(options.saveVariables)),
      options.saveVariables, ".safetensors");
}

/// Checks that the value of no flag that writes is a word for a mode, such as
/// "off", or the name of another kind of file.
static Status checkNames(const RunToolOptions &options) {
  for (const auto &[flag, path] :
       {std::pair("--output-dir", &options.outputDir),
        std::pair("--dump-tensors", &options.dumpTensors),
        std::pair("--save-variables", &options.saveVariables),
        std::pair("--profile", &options.profile)})
    WEIR_RETURN_IF_ERROR(
        checkNoMode(flag, *path, "name one, or leave the flag out"));
  return checkOutputEnding("--profile", options.profile,
                           {"a trace in JSON", ".json"});
}

/// Checks that each file that is written is used in no other way, as far as
/// that is known without the model.
static Status checkUses(const RunToolOptions &options,
                        std::span<const NamedValue> inputs,
                        std::span<const NamedValue> expected,
                        std::span<const NamedValue> outputs) {
  FileUses uses;
  uses.reads("the model", options.model);
  uses.readsPlugins();
  for (const NamedValue &input : inputs)
    if (!isRandom(input.value))
      uses.reads(fmt::format("--input {}", printable(input.name)), input.value);
  for (const NamedValue &each : expected)
    uses.reads(fmt::format("--expect {}", printable(each.name)), each.value);
  for (const NamedValue &output : outputs)
    uses.replaces(fmt::format("--output {}", printable(output.name)),
                  output.value);
  addEndFiles(options, uses);
  return uses.check();
}

/// Checks that options of devices are well-formed, and that no option is given
/// twice.
static Status checkDeviceOptions(std::span<const std::string> texts) {
  std::map<std::string, std::string> seen;
  for (const std::string &text : texts) {
    WEIR_ASSIGN_OR_RETURN(const DeviceOption option, parseDeviceOption(text));
    const size_t comma = option.value.find(',');
    // Values may have commas, too.
    if (comma != option.value.npos &&
        parseDeviceOption(option.value.substr(comma + 1)).isOk())
      return invalidArgument(
          fmt::format("--device-option {}: expected one option{}",
                      printable(text), describeList(option.value)));
    auto [other, isNew] =
        seen.emplace(fmt::format("{}.{}", option.device, option.name), text);
    if (!isNew)
      return givenTwice(other->first, other->second, text)
          .withContext("--device-option");
  }
  return Status::ok();
}

/// Checks that shapes are well-formed, and that no input has two.
static Status checkShapes(std::span<const std::string> texts) {
  std::map<std::string, std::string> seen;
  for (const std::string &text : texts) {
    WEIR_ASSIGN_OR_RETURN(const ShapeOption shape, parseShapeOption(text));
    auto [other, isNew] = seen.emplace(shape.input, text);
    if (!isNew)
      return givenTwice(shape.input, other->second, text);
  }
  return Status::ok();
}

Status weir::checkUsage(const RunToolOptions &options) {
  WEIR_RETURN_IF_ERROR(checkInputArguments(options.inputs));
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedValue> inputs,
                        splitTensorArguments(options.inputs, "--input"));
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedValue> expected,
                        splitTensorArguments(options.expectations, "--expect"));
  WEIR_ASSIGN_OR_RETURN(const std::vector<NamedValue> outputs,
                        splitTensorArguments(options.outputs, "--output"));
  WEIR_RETURN_IF_ERROR(checkFormats(options, outputs));
  WEIR_RETURN_IF_ERROR(checkShapes(options.shapes).withContext("--shape"));
  WEIR_RETURN_IF_ERROR(checkDeviceOptions(options.deviceOptions));
  if (options.inFlight > 1 && (options.profileSummary || options.verbose))
    return invalidArgument(fmt::format(
        "{} shows one run at a time; leave --in-flight out, or "
        "write a trace with --profile",
        options.profileSummary ? "--profile-summary" : "--verbose"));
  WEIR_RETURN_IF_ERROR(checkStreams(options, inputs, expected, outputs));
  WEIR_RETURN_IF_ERROR(checkUses(options, inputs, expected, outputs));
  return checkNames(options);
}
