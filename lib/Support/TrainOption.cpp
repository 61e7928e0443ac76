//===- TrainOption.cpp - Parses how an entry trains -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/Glob.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OptionText.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <type_traits>

using namespace weir;

static constexpr std::string_view grammar =
    "write 'loss=NAME, optimizer=adam(rate=0.001)', and what is wanted of "
    "schedule=NAME(...), parameters=GLOB, group(parameters=GLOB, ...), "
    "clip_value=, clip_norm=, accumulate=, rate=INPUT, entry=NAME";

/// The names of all parts. A name stands in front of a '='.
static std::vector<std::string> listParts() {
  return {"loss",       "optimizer", "schedule",   "parameters", "group",
          "clip_value", "clip_norm", "accumulate", "rate",       "entry"};
}

/// `text` without blanks at both ends. Ends of lines count as blanks, because a
/// long option may have several lines.
static std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos)
    return "";
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// The parts of `text` between commas. Commas in parentheses or brackets do not
/// count. Nothing if parentheses or brackets do not match.
static std::optional<std::vector<std::string_view>>
split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::string open;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[')
      open += c == '(' ? ')' : ']';
    else if (!open.empty() && c == open.back())
      open.pop_back();
    else if (c == ')' || c == ']')
      return std::nullopt;
    else if (c == ',' && open.empty()) {
      parts.push_back(trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  if (!open.empty())
    return std::nullopt;
  if (!trim(text).empty())
    parts.push_back(trim(text.substr(begin)));
  return parts;
}

/// Splits "name(a, b)" into the name and the text inside of the parentheses.
static std::optional<std::pair<std::string_view, std::string_view>>
splitCall(std::string_view text) {
  const size_t begin = text.find('(');
  if (begin == text.npos)
    return std::pair(text, std::string_view());
  if (text.back() != ')')
    return std::nullopt;
  return std::pair(trim(text.substr(0, begin)),
                   text.substr(begin + 1, text.size() - begin - 2));
}

template <typename T> static std::optional<T> toNumber(std::string_view text) {
  T number{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

static std::optional<OptionValue> toValue(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true";
  if (auto integer = toNumber<int64_t>(text))
    return *integer;
  if (auto number = toNumber<double>(text))
    return *number;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return std::nullopt;
  std::vector<int64_t> list;
  auto parts = split(text.substr(1, text.size() - 2));
  if (!parts)
    return std::nullopt;
  for (std::string_view part : *parts) {
    auto integer = toNumber<int64_t>(part);
    if (!integer)
      return std::nullopt;
    list.push_back(*integer);
  }
  return list;
}

/// The hint that `part`, which has no name, may be another glob. It says how to
/// write that. Empty if `globs` is empty.
static std::string offerGlob(const std::vector<std::string> &globs,
                             std::string_view part) {
  return globs.empty()
             ? ""
             : fmt::format("; give the name again for each glob, as in "
                           "parameters={}, parameters={}",
                           globs.back(), part);
}

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}
  StatusOr<TrainOption> run();

private:
  Status addPart(std::string_view part);
  Status addText(std::string_view name, std::string_view value);
  Status addLoss(std::string_view value);
  Status addGroup(std::string_view inside);
  StatusOr<NamedOptions> parseNamed(std::string_view value,
                                    std::string_view example);
  Status parseValues(std::string_view inside, std::string_view example,
                     OptionValues &values, std::vector<std::string> *globs);
  Status addGlob(std::string_view value, std::vector<std::string> &globs);
  Status setOnce(std::string &to, std::string_view name,
                 std::string_view value);
  template <typename T>
  Status setNumber(T &to, std::string_view name, std::string_view value);

  template <typename... Args>
  Status fail(fmt::format_string<Args...> form, Args &&...args) {
    return invalidArgument(fmt::format(form, std::forward<Args>(args)...));
  }

  std::string_view text;
  /// Whether the previous part is a glob of parameters.
  bool isBehindGlob = false;
  TrainOption option;
};
} // namespace

Status Parser::setOnce(std::string &to, std::string_view name,
                       std::string_view value) {
  if (!to.empty())
    return fail("'{}' is given twice; give it once", name);
  if (value.empty())
    return fail("'{}' is empty; give it a value", name);
  to = value;
  return Status::ok();
}

template <typename T>
Status Parser::setNumber(T &to, std::string_view name, std::string_view value) {
  auto number = toNumber<T>(value);
  // The range of the number is checked later, with all other numbers.
  if (!number || *number == T{})
    return fail("'{}' expects a {} above 0, found '{}'", name,
                std::is_integral_v<T> ? "whole number" : "number", value);
  to = *number;
  return Status::ok();
}

Status Parser::addGlob(std::string_view value,
                       std::vector<std::string> &globs) {
  if (auto glob = Glob::parse(value); !glob.isOk())
    return std::move(glob).status().withContext(
        fmt::format("parameters '{}'", value));
  globs.emplace_back(value);
  return Status::ok();
}

Status Parser::parseValues(std::string_view inside, std::string_view example,
                           OptionValues &values,
                           std::vector<std::string> *globs) {
  auto parts = split(inside);
  for (std::string_view part : parts ? *parts : std::vector{inside}) {
    const size_t equals = part.find('=');
    const std::string_view name = trim(part.substr(0, equals));
    const std::string_view given =
        equals == part.npos ? "" : trim(part.substr(equals + 1));
    if (globs && name == "parameters") {
      WEIR_RETURN_IF_ERROR(addGlob(given, *globs));
      continue;
    }
    auto value = toValue(given);
    if (!parts || name.empty() || !value)
      return fail("expected NAME=VALUE with a number, true, false or a list "
                  "[1, 2], as in {}, found '{}'{}",
                  example, part,
                  globs && equals == part.npos ? offerGlob(*globs, part)
                  : given.starts_with('[') || given.starts_with('(')
                      ? "; a list has whole numbers, and others have a name "
                        "each, as in beta1=0.9, beta2=0.999"
                      : "");
    for (const auto &[known, other] : values)
      if (known == name)
        return fail("'{}' is given twice; give it once", name);
    values.emplace_back(name, *std::move(value));
  }
  return Status::ok();
}

StatusOr<NamedOptions> Parser::parseNamed(std::string_view value,
                                          std::string_view example) {
  auto call = splitCall(value);
  if (!call || call->first.empty())
    return fail("expected NAME(NUMBER=VALUE, ...), such as {}, found '{}'",
                example, value);
  NamedOptions named{std::string(call->first), {}};
  WEIR_RETURN_IF_ERROR(
      parseValues(call->second, example, named.values, nullptr));
  return named;
}

Status Parser::addLoss(std::string_view value) {
  auto call = splitCall(value);
  if (!call || call->first.empty() || call->second.find(')') != value.npos)
    return fail("expected loss=NAME or loss=OP(OUTPUT), and a comma behind it, "
                "found '{}'",
                value);
  if (value.ends_with("()"))
    return fail("expected the name of an output in the parentheses of '{}', as "
                "in loss={}(y)",
                value, call->first);
  if (call->second.empty())
    return setOnce(option.loss, "loss", value);
  WEIR_RETURN_IF_ERROR(setOnce(option.loss, "loss", trim(call->second)));
  option.lossOp = call->first;
  return Status::ok();
}

Status Parser::addGroup(std::string_view inside) {
  ParameterGroup group;
  constexpr std::string_view example =
      "group(parameters=*.bias, rate_factor=2)";
  WEIR_RETURN_IF_ERROR(
      parseValues(inside, example, group.values, &group.parameters));
  if (group.parameters.empty())
    return fail("a group expects parameters=GLOB, as in {}", example);
  option.minimize.groups.push_back(std::move(group));
  return Status::ok();
}

Status Parser::addText(std::string_view name, std::string_view value) {
  MinimizeOptions &minimize = option.minimize;
  if (name == "loss")
    return addLoss(value);
  if (name == "parameters")
    return addGlob(value, minimize.parameters);
  if (name == "rate" && toNumber<double>(value))
    return fail("rate={0} names an input that has the rate; write a number "
                "with the optimizer, as in adam(rate={0})",
                value);
  if (name == "rate")
    return setOnce(option.rate, name, value);
  if (name == "entry")
    return setOnce(option.entry, name, value);
  if (name == "clip_value")
    return setNumber(minimize.clipValue, name, value);
  if (name == "clip_norm")
    return setNumber(minimize.clipNorm, name, value);
  if (name == "accumulate")
    return setNumber(minimize.accumulate, name, value);
  if (name != "optimizer" && name != "schedule")
    return fail(
        "there is no '{}'; {}; numbers of an optimizer, a schedule or a "
        "group stand in its parentheses",
        name, offerNames(name, listParts()));
  const bool isOptimizer = name == "optimizer";
  NamedOptions &to = isOptimizer ? minimize.optimizer : minimize.schedule;
  if (!to.name.empty())
    return fail("'{}' is given twice; give it once", name);
  WEIR_ASSIGN_OR_RETURN(to,
                        parseNamed(value, isOptimizer ? "adam(rate=0.001)"
                                                      : "cosine(steps=1000)"));
  return Status::ok();
}

Status Parser::addPart(std::string_view part) {
  const size_t equals = part.find('=');
  if (auto call = splitCall(part);
      call && call->first == "group" && part.find('(') < equals)
    return addGroup(call->second);
  if (equals == part.npos)
    return fail("expected NAME=VALUE, found '{}'{}", part,
                isBehindGlob ? offerGlob(option.minimize.parameters, part)
                             : fmt::format("; {}", grammar));
  return addText(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
}

StatusOr<TrainOption> Parser::run() {
  auto parts = split(text);
  if (!parts)
    return fail("parentheses or brackets do not match; close each that is "
                "opened");
  for (std::string_view part : *parts) {
    WEIR_RETURN_IF_ERROR(addPart(part));
    isBehindGlob = part.starts_with("parameters");
  }
  if (option.loss.empty() || option.minimize.optimizer.name.empty())
    return fail("{} is missing; {}",
                option.loss.empty() ? "the loss" : "the optimizer", grammar);
  const NamedOptions &optimizer = option.minimize.optimizer;
  for (const auto &[name, value] : optimizer.values)
    if (name == "rate" && !option.rate.empty())
      return fail(
          "rate={} makes the rate an input; leave 'rate' out of {}(...)",
          option.rate, optimizer.name);
  return std::move(option);
}

StatusOr<TrainOption> weir::parseTrainOption(std::string_view text) {
  return Parser(text).run();
}
