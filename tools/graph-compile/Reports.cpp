//===- Reports.cpp - The reports that graph-compile prints ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Reports.h"

#include "../CommandLine.h"

#include "weir/Support/OutputFile.h"
#include "weir/Support/OutputNames.h"
#include "weir/Support/ToolMain.h"

#include <span>
#include <utility>

using namespace weir;

/// Adds the flag of a report that is text or JSON.
static void addFormat(CLI::App &app, const std::string &flag,
                      std::string &format, const std::string &help) {
  const auto check = [](const std::string &given) -> std::string {
    const bool isKnown = given == "text" || given == "json";
    return isKnown ? "" : "expected text or json, found '" + given + "'";
  };
  app.add_flag(flag + "{text}", format, help + "; as text, or =json")
      ->check(check);
}

/// The flags take a value only after "=". Otherwise INPUT could be taken for
/// the value.
void Reports::addFlags(CLI::App &app) {
  const OptionGroup group(app, "Reports");
  addFormat(app, "--summary", summary,
            "Print the graph as a table: for each op its results, parameters, "
            "flops and bytes");
  addFormat(app, "--explain", explain,
            "Print why each group runs where it does, and its predicted time "
            "on every device");
  addFormat(app, "--stats", stats,
            "Print groups, launches, crossings and memory, per device");
  app.add_flag("--simulate{text}", simulate,
               "Predict when each command runs, and print a bar for each "
               "queue; =FILE also writes the timeline as a trace for Chrome "
               "or Perfetto");
}

Status Reports::check(const CompileOptions &options) const {
  if (!options.passPipeline.empty())
    for (const auto &[flag, isGiven] :
         {std::pair("--summary", !summary.empty()),
          std::pair("--explain", !explain.empty()),
          std::pair("--stats", !stats.empty()),
          std::pair("--simulate", !simulate.empty())})
      if (isGiven)
        return invalidArgument(
            std::string(flag) +
            " reports on the phases, instead of which --pass-pipeline runs "
            "passes; leave one of the two flags out");
  const EmitPhase emit = options.emit;
  if (!summary.empty() && emit < EmitPhase::Lifted)
    return invalidArgument("--summary lists ops with their shapes; give "
                           "--emit=lifted or a later phase");
  if (!explain.empty() && emit < EmitPhase::Placed)
    return invalidArgument("--explain describes the placement; give "
                           "--emit=placed or a later phase");
  if (!stats.empty() && (emit < EmitPhase::Exec || emit > EmitPhase::Artifact))
    return invalidArgument("--stats counts the plan; give --emit=exec, or "
                           "write the artifact");
  return Status::ok();
}

void Reports::request(CompileOptions &options) const {
  options.listOps = !summary.empty();
  options.countMemory = !stats.empty() || !explain.empty();
  options.simulate = !simulate.empty();
  if (writesTrace())
    options.traceFile = simulate;
}

int Reports::countOnStdout() const {
  return (summary == "json") + (explain == "json") + (stats == "json") +
         (simulate == "-");
}

void Reports::addFiles(FileUses &uses) const {
  if (summary == "json" || explain == "json" || stats == "json")
    uses.replaces("the report", "-");
  if (writesTrace())
    uses.replaces("--simulate", simulate);
}

Status Reports::checkNames() const {
  if (!writesTrace())
    return Status::ok();
  WEIR_RETURN_IF_ERROR(
      checkOutputEnding("--simulate", simulate, {"a trace in JSON", ".json"}));
  return checkNoMode("--simulate", simulate,
                     "--simulate alone prints text, and "
                     "--simulate=trace.json also writes a trace in JSON");
}

Status Reports::checkTrace() const {
  return writesTrace() ? checkWritable(simulate).withContext("--simulate")
                       : Status::ok();
}

/// Prints one report in the format that the user asked for, if any.
static Status printAs(const std::string &format, const CompileReport &report,
                      std::string (*text)(const CompileReport &),
                      std::string (*json)(const CompileReport &)) {
  if (format == "json") {
    const std::string object = json(report);
    return atomicWriteFile("-", std::as_bytes(std::span(object)));
  }
  if (!format.empty())
    printReport(text(report));
  return Status::ok();
}

Status Reports::print(const CompileReport &report) const {
  WEIR_RETURN_IF_ERROR(printAs(summary, report, summaryText, summaryJson));
  WEIR_RETURN_IF_ERROR(printAs(explain, report, explainText, explainJson));
  WEIR_RETURN_IF_ERROR(printAs(stats, report, statsText, statsJson));
  if (!simulate.empty())
    printReport(timelineText(report));
  if (!writesTrace())
    return Status::ok();
  const std::string trace = timelineTrace(report);
  return atomicWriteFile(simulate, std::as_bytes(std::span(trace)))
      .withContext("--simulate");
}
