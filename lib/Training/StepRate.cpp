//===- StepRate.cpp - The learning rate of a step -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StepRate.h"

#include "TrainingOption.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Printable.h"

#include <charconv>
#include <fmt/format.h>
#include <map>

using namespace weir;

/// The number that `text` is; nothing if `text` has more than a number.
template <typename T>
static std::optional<T> readNumber(const std::string &text) {
  T value;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value)
                                             : std::nullopt;
}

std::optional<StepRate> StepRate::find(const Session &session,
                                       const std::string &entry) {
  const auto &pairs = session.metadata();
  std::map<std::string, std::string> metadata(pairs.begin(), pairs.end());
  const std::string prefix = "weir.training." + entry + ".";
  const auto first = readNumber<double>(metadata[prefix + "rate"]);
  const auto accumulate = readNumber<int64_t>(metadata[prefix + "accumulate"]);
  auto factor = ScalarExpr::parse(metadata[prefix + "rate_factor"]);
  if (!first || !accumulate || *accumulate < 1 || !factor ||
      factor->numOperands() > 1)
    return std::nullopt;
  return StepRate(*first, *accumulate, *std::move(factor));
}

double StepRate::behind(int64_t runs) const {
  const double updates = static_cast<double>(runs / accumulate);
  std::vector<double> scratch(factor.nodes().size());
  const std::vector<double> attributes(factor.nodes().size());
  return first * evaluate<double>(factor, {&updates, 1}, attributes, scratch);
}

std::string weir::warnOfNoRate(const StepRate &rate, const std::string &entry,
                               int64_t from, int64_t count, OptionNames names) {
  const int64_t middle = from + count / 2;
  if (rate.behind(middle) != 0 || rate.behind(from + count - 1) != 0)
    return "";
  int64_t first = from, last = middle;
  while (first < last) {
    const int64_t between = first + (last - first) / 2;
    if (rate.behind(between) == 0)
      last = between;
    else
      first = between + 1;
  }
  return fmt::format("warning: entry '{}' has the rate 0 from step {} on, and "
                     "this training goes to step {}, so most of its steps "
                     "train nothing; compile the model with a schedule of so "
                     "many steps, or give fewer with {}",
                     printable(entry), first + 1, from + count,
                     nameOf(TrainingOption::Steps, names));
}

int64_t weir::countedRuns(const Session &session) {
  const auto step = session.getVariable("step");
  return step && step->type() == DType::I64 && step->dims().empty()
             ? step->values<int64_t>()[0]
             : 0;
}
