//===- SimOptions.cpp - What can be asked of simulated devices ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SimOptions.h"

#include <charconv>
#include <fmt/format.h>

using namespace weir;

namespace {

/// A finite number in `text`, at least `least` and at most `most`.
StatusOr<double> parseNumber(std::string_view text, double least, double most) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  // NaN fails both comparisons.
  if (error == std::errc() && end == text.data() + text.size() &&
      number >= least && number <= most)
    return number;
  return invalidArgument(
      fmt::format("expected a number from {:g} to {:g}", least, most));
}

constexpr double mostMs = mostNs / 1e6;

Status parseMs(std::string_view text, uint64_t &ns) {
  WEIR_ASSIGN_OR_RETURN(const double ms, parseNumber(text, 0, mostMs));
  ns = static_cast<uint64_t>(ms * 1e6);
  return Status::ok();
}

Status parseWhole(std::string_view text, uint64_t &whole) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size())
    return Status::ok();
  return invalidArgument("expected a whole number of 0 or more");
}

Status parseTimed(std::string_view text, SimOptions &options) {
  options.timedLaunches = text == "launches" || text == "all";
  options.timedCopies = text == "copies" || text == "all";
  if (options.timedLaunches || options.timedCopies || text == "none")
    return Status::ok();
  return invalidArgument("expected launches, copies, all or none");
}

Status parseOne(std::string_view name, std::string_view text,
                SimOptions &options) {
  if (name == "timed")
    return parseTimed(text, options);
  if (name == "slow") {
    WEIR_ASSIGN_OR_RETURN(options.slow, parseNumber(text, 1, 1e6));
    return Status::ok();
  }
  if (name == "delay_ms")
    return parseMs(text, options.delayNs);
  if (name == "seed")
    return parseWhole(text, options.seed);
  if (name == "limit_ms")
    return parseMs(text, options.limitNs);
  if (name == "failures")
    return parseWhole(text, options.failures);
  std::string *op = name == "fail_launch" ? &options.failLaunch
                    : name == "fail_copy" ? &options.failCopy
                    : name == "lose"      ? &options.lose
                                          : nullptr;
  if (!op)
    return notFound("the options of sim devices are delay_ms, fail_copy, "
                    "fail_launch, failures, limit_ms, lose, seed, slow, timed");
  *op = text;
  return Status::ok();
}

} // namespace

Status SimOptions::check(std::string_view name, std::string_view value) {
  SimOptions options;
  return parseOne(name, value, options);
}

StatusOr<SimOptions> SimOptions::parse(const DeviceRequest &request) {
  SimOptions options;
  for (const auto &[name, text] : request.options)
    WEIR_RETURN_IF_ERROR(parseOne(name, text, options));
  return options;
}
