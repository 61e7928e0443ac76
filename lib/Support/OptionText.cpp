//===- OptionText.cpp - Parses the values of compile options ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/OptionText.h"

#include "weir/Support/Glob.h"
#include "weir/Support/Printable.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>

using namespace weir;

/// Parses and removes the number at the beginning of `text`.
template <typename T>
static std::optional<T> takeNumber(std::string_view &text) {
  T number;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// Parses dims such as "1x3x224x224". An empty text is the shape of a scalar.
static std::optional<std::vector<int64_t>> parseDims(std::string_view text) {
  std::vector<int64_t> dims;
  while (!text.empty()) {
    if (!dims.empty() && text.front() != 'x')
      return std::nullopt;
    text.remove_prefix(dims.empty() ? 0 : 1);
    std::optional<int64_t> dim = takeNumber<int64_t>(text);
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// Whether `text` is of the form "a-d", "conv1..conv4" or "conv1-4". A text
/// with brackets, such as "conv[1-4]", is a glob and not a range.
static bool isRange(std::string_view text) {
  if (text.find('[') != text.npos)
    return false;
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::string_view between : {"-", ".."}) {
    const size_t at = text.find(between);
    if (at == text.npos || at == 0 || at + between.size() == text.size())
      continue;
    const std::string_view first = text.substr(0, at);
    const std::string_view last = text.substr(at + between.size());
    if (first.front() == last.front() ||
        (first.size() == 1 && last.size() == 1) ||
        (isDigit(first.back()) && isDigit(last.front())))
      return true;
  }
  return false;
}

std::string weir::describeList(std::string_view name) {
  if (name.starts_with('%') || name.starts_with('@'))
    return "; names have no '%' or '@' in front here";
  const size_t at = name.find_first_of(",;| ");
  if (at != name.npos)
    return fmt::format("; {} nothing here: give the flag several times",
                       name[at] == ','
                           ? std::string("commas separate")
                           : fmt::format("'{}' separates", name[at]));
  return isRange(name)
             ? "; there are no ranges of names: give the flag for each"
             : "";
}

Status weir::offerForms(Status error, std::string_view file,
                        std::string_view forms) {
  if (error.code() != StatusCode::NotFound)
    return error;
  // "a.npy,y=b.npy" was probably meant as a list and not as a name.
  return notFound(fmt::format(
      "{}; expected {}{}", error.message(), forms,
      file.find('=') == file.npos ? std::string() : describeList(file)));
}

Status weir::givenTwice(std::string_view name, std::string_view first,
                        std::string_view second) {
  return invalidArgument(
      fmt::format("'{}' is given twice, as '{}' and '{}'; give it once",
                  printable(name), printable(first), printable(second)));
}

/// Whether `text` is a list of dims, some of which are unknown: `?` or -1, as
/// in other tools.
static bool hasOpenDims(std::string_view text) {
  std::string known;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool isMinusOne = text.substr(at).starts_with("-1");
    known += isMinusOne || text[at] == '?' ? '1' : text[at];
    at += isMinusOne;
  }
  return known != text && parseDims(known);
}

StatusOr<ShapeOption> weir::parseShapeOption(std::string_view text) {
  const size_t colon = text.rfind(':');
  std::optional<std::vector<int64_t>> dims;
  if (colon != text.npos && colon > 0)
    dims = parseDims(text.substr(colon + 1));
  if (colon == text.npos && !text.empty() && parseDims(text))
    return invalidArgument(fmt::format(
        "shape '{0}' names no input; expected NAME:{0} with the name of the "
        "input in front",
        text));
  if (!dims && colon != text.npos && hasOpenDims(text.substr(colon + 1)))
    return invalidArgument(fmt::format(
        "shape '{}' leaves a dim open; expected a size for each, as in "
        "image:1x3x224x224: an artifact serves those shapes for which the flag "
        "is given, one or several",
        text));
  if (!dims && colon != text.npos && colon + 1 < text.size() &&
      text.find_first_not_of("0123456789x", colon + 1) == text.npos)
    return invalidArgument(fmt::format(
        "shape '{}' has a dim of more than 2^47, or one without digits", text));
  if (!dims)
    return invalidArgument(fmt::format(
        "shape '{}' expects NAME:DIMxDIM..., for instance image:1x3x224x224",
        text));
  return ShapeOption{std::string(text.substr(0, colon)), *std::move(dims)};
}

StatusOr<BindOption> weir::parseBindOption(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalidArgument(fmt::format(
        "binding '{}' expects NAME=FILE, for instance starts=starts.npy",
        text));
  return BindOption{std::string(text.substr(0, equals)),
                    std::string(text.substr(equals + 1))};
}

StatusOr<GradientOption> weir::parseGradientOption(std::string_view text) {
  // Names may contain a '=', so the last '=' counts. A glob can have a '?' in
  // place of a '='.
  const size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalidArgument(
        fmt::format("'{}': expected LOSS=GLOB, an output or op and the "
                    "parameters or inputs, such as 'loss=*'",
                    text));
  auto glob = Glob::parse(text.substr(equals + 1));
  if (!glob)
    return std::move(glob).status().withContext(fmt::format("'{}'", text));
  return GradientOption{std::string(text.substr(0, equals)), *std::move(glob)};
}

StatusOr<PortSpaceOption> weir::parsePortSpaceOption(std::string_view text) {
  // Names may contain a '=', but devices may not. So the last '=' counts.
  const size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    return invalidArgument(fmt::format(
        "memory of a port '{}' expects NAME=DEVICE, for instance image=cpu:1",
        text));
  auto device = parseDeviceName(text.substr(equals + 1));
  if (!device)
    return std::move(device).status().withContext(
        fmt::format("memory of a port '{}'", text));
  return PortSpaceOption{std::string(text.substr(0, equals)), *device};
}

StatusOr<PlacementRule> weir::parsePlacementRule(std::string_view text) {
  constexpr std::string_view after = "after:";
  const std::string context = fmt::format("placement rule '{}'", text);
  const size_t equals = text.rfind('=');
  std::string_view pattern = text.substr(0, equals);
  PlacementRule rule;
  rule.isAfter = pattern.starts_with(after);
  if (rule.isAfter)
    pattern.remove_prefix(after.size());
  if (equals == text.npos && parseDeviceName(text))
    return invalidArgument(
        fmt::format("{} names a device, but no op; expected GLOB=DEVICE or "
                    "after:NODE=DEVICE, such as '*={}' for all ops",
                    context, text));
  if (equals == text.npos || pattern.empty() || equals + 1 == text.size())
    return invalidArgument(context +
                           " expects GLOB=DEVICE or after:NODE=DEVICE");
  auto device = parseDeviceName(text.substr(equals + 1));
  if (!device)
    return std::move(device).status().withContext(context);
  if (!rule.isAfter)
    if (auto glob = Glob::parse(pattern); !glob)
      return std::move(glob).status().withContext(context);
  rule.pattern = pattern;
  rule.device = *device;
  return rule;
}

/// Parses "64MiB" as a number of bytes. Nothing if the text is not a size.
static std::optional<uint64_t> parseSize(std::string_view text) {
  constexpr std::pair<std::string_view, int> units[] = {
      {"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  std::optional<uint64_t> number = takeNumber<uint64_t>(text);
  for (auto [unit, shift] : units)
    if (number && text == unit &&
        *number <= std::numeric_limits<uint64_t>::max() >> shift)
      return *number << shift;
  return std::nullopt;
}

StatusOr<MemoryCap> weir::parseMemoryCap(std::string_view text) {
  const size_t equals = text.rfind('=');
  std::optional<uint64_t> bytes;
  if (equals != text.npos)
    bytes = parseSize(text.substr(equals + 1));
  if (!bytes)
    return invalidArgument(fmt::format(
        "memory cap '{}' expects DEVICE=SIZE, the size in bytes or with KiB, "
        "MiB or GiB and below 2^64 bytes, as in cpu:0=64MiB",
        text));
  // In artifacts, 0 stands for no cap.
  if (*bytes == 0)
    return invalidArgument(
        fmt::format("memory cap '{}' expects at least 1 byte", text));
  auto device = parseDeviceName(text.substr(0, equals));
  if (!device)
    return std::move(device).status().withContext(
        fmt::format("memory cap '{}'", text));
  return MemoryCap{*device, *bytes};
}
