//===- MapText.cpp - Maps on the command line -----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TextParts.h"

#include "weir/Data/DataText.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

using namespace weir;

namespace {
using Arguments = std::vector<std::string_view>;
using Parsed = std::optional<MapStep>;

/// Parses a list of finite numbers such as "0.485/0.456/0.406".
std::optional<std::vector<double>> parseNumbers(std::string_view text) {
  std::vector<double> numbers;
  for (std::string_view part : splitText(text, '/')) {
    const std::optional<double> number = parseNumber<double>(part);
    if (!number || !std::isfinite(*number))
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Parsed parseCast(const Arguments &arguments) {
  const std::optional<DType> type = parseDType(arguments[0]);
  return type ? Parsed(CastStep{*type}) : std::nullopt;
}

Parsed parseScale(const Arguments &arguments) {
  const std::optional<double> divisor = parseNumber<double>(arguments[0]);
  const bool isRight = divisor && std::isfinite(*divisor) && *divisor != 0;
  return isRight ? Parsed(ScaleStep{*divisor}) : std::nullopt;
}

Parsed parseNormalise(const Arguments &arguments) {
  auto mean = parseNumbers(arguments[0]);
  auto deviation = parseNumbers(arguments[1]);
  if (!mean || !deviation || std::ranges::min(*deviation) <= 0)
    return std::nullopt;
  return NormaliseStep{*std::move(mean), *std::move(deviation)};
}

Parsed parseOneHot(const Arguments &arguments) {
  const std::optional<int64_t> classes = parseNumber<int64_t>(arguments[0]);
  const std::optional<DType> type =
      arguments.size() > 1 ? parseDType(arguments[1]) : DType::F32;
  if (!classes || *classes < 1 || !type)
    return std::nullopt;
  return OneHotStep{*classes, *type};
}

Parsed parseReshape(const Arguments &arguments) {
  std::optional<std::vector<int64_t>> dims = parseSizes(arguments[0]);
  return dims ? Parsed(ReshapeStep{*std::move(dims)}) : std::nullopt;
}

Parsed parseCrop(const Arguments &arguments) {
  const std::optional<std::vector<int64_t>> dims = parseSizes(arguments[0]);
  const std::optional<int64_t> padding =
      arguments.size() > 1 ? parseNumber<int64_t>(arguments[1]) : 0;
  if (!dims || dims->size() != 2 || std::ranges::min(*dims) < 1 || !padding ||
      *padding < 0)
    return std::nullopt;
  return RandomCropStep{(*dims)[0], (*dims)[1], *padding};
}

struct StepRow {
  std::string_view name;
  size_t fewest, most;
  Parsed (*parse)(const Arguments &arguments);
  /// The form of the step, with an example.
  std::string_view form;
};
constexpr StepRow steps[] = {
    {"cast", 1, 1, parseCast,
     "cast:TYPE with f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32, u64 "
     "or i1, such as cast:f32"},
    {"chw", 0, 0, [](const Arguments &) { return Parsed(ChannelsFirstStep{}); },
     "chw alone"},
    {"chw-already", 0, 0,
     [](const Arguments &) { return Parsed(IsChannelsFirstStep{}); },
     "chw-already alone"},
    {"crop", 1, 2, parseCrop,
     "crop:HEIGHTxWIDTH[:PADDING] with sizes from 1 and a padding from 0 up, "
     "such as crop:32x32:4"},
    {"flip", 0, 0, [](const Arguments &) { return Parsed(RandomFlipStep{}); },
     "flip alone"},
    {"normalise", 2, 2, parseNormalise,
     "normalise:MEAN[/MEAN...]:DEVIATION[/DEVIATION...] with finite numbers "
     "and deviations above 0, such as normalise:0.13:0.31"},
    {"one-hot", 1, 2, parseOneHot,
     "one-hot:CLASSES[:TYPE] with 1 class or more, such as one-hot:10"},
    {"reshape", 1, 1, parseReshape,
     "reshape:DIMxDIM..., such as "
     "reshape:1x28x28"},
    {"scale", 1, 1, parseScale,
     "scale:DIVISOR with a finite number other than 0, such as scale:255"},
};

StatusOr<MapStep> parseStep(std::string_view text) {
  Arguments arguments = splitText(text, ':');
  const std::string_view name = arguments.front();
  arguments.erase(arguments.begin());
  std::vector<std::string> names;
  for (const StepRow &row : steps) {
    names.push_back(std::string(row.name));
    if (row.name != name)
      continue;
    Parsed step;
    if (arguments.size() >= row.fewest && arguments.size() <= row.most)
      step = row.parse(arguments);
    if (!step)
      return invalidArgument(
          fmt::format("step '{}' expects {}", printable(text), row.form));
    return *std::move(step);
  }
  if (const size_t equals = name.find('=');
      std::ranges::find(names, name.substr(0, equals)) != names.end())
    return invalidArgument(
        fmt::format("step '{}' has a '=' in front of its value; write {}:{}",
                    printable(text), name.substr(0, equals),
                    printable(name.substr(equals + 1))));
  if (const size_t equals = name.find('=');
      equals != name.npos &&
      std::ranges::find(names, name.substr(equals + 1)) != names.end())
    return invalidArgument(fmt::format(
        "'{}' is the map of another column; give each column a map of its "
        "own",
        printable(text)));
  return invalidArgument(fmt::format("there is no step '{}'; there are {}",
                                     printable(name), nearNames(name, names)));
}
} // namespace

StatusOr<ColumnMap> weir::parseColumnMap(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalidArgument(fmt::format(
        "map '{}' expects COLUMN=STEP[,STEP...], for instance x=scale:255,chw",
        printable(text)));
  ColumnMap map;
  map.column = text.substr(0, equals);
  for (std::string_view part : splitText(text.substr(equals + 1), ',')) {
    StatusOr<MapStep> step = parseStep(part);
    if (!step)
      return std::move(step).status().withContext(
          fmt::format("map '{}'", printable(text)));
    map.steps.push_back(*std::move(step));
  }
  return map;
}
