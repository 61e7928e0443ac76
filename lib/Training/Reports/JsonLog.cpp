//===- JsonLog.cpp - A JSON object for each step ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "JsonLog.h"

#include "LogEnd.h"
#include "ReportChecks.h"

#include "weir/Support/JsonText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iterator>
#include <vector>

using namespace weir;

namespace {
/// Appends `value`. JSON has no numbers for NaN and infinities. These become
/// texts that JavaScript and Python's `float` read.
void appendNumber(std::string &out, double value) {
  if (std::isnan(value))
    out += "\"NaN\"";
  else if (std::isinf(value))
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  else
    fmt::format_to(std::back_inserter(out), "{}", value);
}

class JsonFormat : public RecordFormat {
public:
  explicit JsonFormat(const ReportedRun &run) {
    for (const ReportedValue &value : run.values)
      stepKeys.push_back(keyOf(value.name));
    for (const std::string &name : run.validationValues)
      validationKeys.push_back(keyOf(name));
  }

  void append(std::string &out, const ReportRecord &record) override {
    fmt::format_to(std::back_inserter(out), R"({{"step":{},"epoch":{},"{}":)",
                   record.step, record.epoch,
                   record.isValidation ? "validation" : "train");
    appendValues(out, record.isValidation ? validationKeys : stepKeys,
                 record.values);
    if (!record.isValidation && record.seconds > 0) {
      out += R"(,"examples_per_second":)";
      appendNumber(out, static_cast<double>(record.examples) / record.seconds);
    }
    out += R"(,"seconds":)";
    appendNumber(out, secondsBefore + record.elapsed);
    out += "}\n";
  }

  /// The seconds that the earlier runs of a resumed training took.
  double secondsBefore = 0;

private:
  static std::string keyOf(const std::string &name) {
    return toJsonText(nlohmann::json(name)) + ":";
  }
  static void appendValues(std::string &out,
                           const std::vector<std::string> &keys,
                           std::span<const double> values) {
    out += '{';
    for (size_t i = 0; i < values.size(); ++i) {
      out += i ? "," : "";
      out += keys[i];
      appendNumber(out, values[i]);
    }
    out += '}';
  }

  std::vector<std::string> stepKeys;
  std::vector<std::string> validationKeys;
};
} // namespace

StatusOr<RecordFile> weir::openJsonLog(const StepReportOptions &options,
                                       const ReportedRun &run) {
  using Existing = StepReportOptions::Existing;
  const std::string &path = options.log;
  // The format depends on the file, which is locked first.
  auto format = std::make_unique<JsonFormat>(run);
  JsonFormat &added = *format;
  WEIR_ASSIGN_OR_RETURN(
      RecordFile file,
      RecordFile::open(path, RecordFile::Mode::Continue, std::move(format)));
  // Another run may have written the log after `checkReports` looked at it.
  if (options.existing == Existing::Refuse && path != "-") {
    WEIR_ASSIGN_OR_RETURN(const LogEnd left, findLogEnd(path, 0));
    if (left.size > 0)
      return leftBefore(path, "is the log", "file", options.names);
  }
  const bool isReplaced = options.existing == Existing::Replace;
  LogEnd end;
  if (path != "-") {
    WEIR_ASSIGN_OR_RETURN(end, cutLog(path, isReplaced ? 0 : run.stepsBefore));
  }
  if (run.stepsBefore == 0)
    return file;
  added.secondsBefore = end.seconds;
  WEIR_RETURN_IF_ERROR(
      file.writeNow(fmt::format(R"({{"step":{},"resumed":true,"seconds":{}}})"
                                "\n",
                                run.stepsBefore, end.seconds)));
  return file;
}
