//===- CudaOptions.cpp - Options of cuda devices -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaOptions.h"

#include "weir/Support/Printable.h"

#include <charconv>
#include <fmt/format.h>
#include <system_error>

using namespace weir;

/// Sets the patience to a number of seconds, at most a day.
static Status parsePatience(std::string_view value, CudaOptions &options) {
  constexpr int most = 86400;
  int seconds = 0;
  const char *end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, seconds);
  if (error != std::errc() || stop != end || seconds < 1 || seconds > most)
    return invalidArgument(
        fmt::format("expected a number of seconds from 1 to {}, found '{}'",
                    most, printable(value)));
  options.patience = std::chrono::seconds(seconds);
  return Status::ok();
}

static Status parseOne(std::string_view name, std::string_view value,
                       CudaOptions &options) {
  if (name == "patience")
    return parsePatience(value, options);
  if (name != "tf32" && name != "tune")
    return notFound("the options of cuda devices are patience, tf32 and tune");
  if (value != "on" && value != "off")
    return invalidArgument(
        fmt::format("expected on or off, found '{}'", value));
  (name == "tf32" ? options.allowsTF32 : options.tunes) = value == "on";
  return Status::ok();
}

Status CudaOptions::check(std::string_view name, std::string_view value) {
  CudaOptions options;
  return parseOne(name, value, options);
}

StatusOr<CudaOptions> CudaOptions::parse(const DeviceRequest &request) {
  CudaOptions options;
  for (const auto &[name, value] : request.options)
    WEIR_RETURN_IF_ERROR(parseOne(name, value, options));
  return options;
}
