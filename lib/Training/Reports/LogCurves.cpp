//===- LogCurves.cpp - Curves that begin with older steps ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LogCurves.h"

#include "weir/Support/JsonText.h"
#include "weir/Support/RegularFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

using namespace weir;

namespace {
/// The number that `value` stands for. A log has texts in place of numbers that
/// are not finite.
double numberOf(const nlohmann::json &value) {
  return value.is_number() ? value.get<double>()
                           : std::numeric_limits<double>::quiet_NaN();
}

void readLine(std::string_view text, RunCurves &curves) {
  const nlohmann::json line =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || !line.contains("step") ||
      !line["step"].is_number_integer())
    return;
  const auto step = line["step"].get<int64_t>();
  if (const auto train = line.find("train");
      train != line.end() && train->is_object())
    for (const auto &[name, value] : train->items())
      curves.addStep(step, name, numberOf(value));
  if (const auto validation = line.find("validation");
      validation != line.end() && validation->is_object())
    for (const auto &[name, value] : validation->items())
      curves.addValidation(step, name, numberOf(value));
}
} // namespace

Status weir::addLoggedSteps(const std::string &path, RunCurves &curves) {
  WEIR_ASSIGN_OR_RETURN(const std::string file, readRegularFile(path));
  std::string_view text = file;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    readLine(text.substr(0, end), curves);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Status::ok();
}

static const char *keyOf(bool isValidation) {
  return isValidation ? "validation" : "train";
}

std::string weir::writeCurves(RunCurves &curves) {
  nlohmann::json all;
  curves.visit([&](bool isValidation, const std::string &name,
                   const CurveSeries &series) {
    all[keyOf(isValidation)][name] = series.state();
  });
  return toJsonText(all);
}

bool weir::readCurves(std::string_view text, RunCurves &curves) {
  const nlohmann::json all =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  bool hasAny = false;
  curves.visit(
      [&](bool isValidation, const std::string &name, CurveSeries &series) {
        const auto path =
            nlohmann::json::json_pointer() / keyOf(isValidation) / name;
        if (!all.is_object() || !all.contains(path) || !all[path].is_array())
          return;
        std::vector<double> numbers;
        for (const auto &number : all[path])
          numbers.push_back(numberOf(number));
        hasAny |= series.setState(numbers);
      });
  return hasAny;
}
