//===- CudaOptions.cpp - Options of cuda devices -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaOptions.h"

#include <fmt/format.h>

using namespace weir;

static Status parseOne(std::string_view name, std::string_view value,
                       CudaOptions &options) {
  if (name != "tf32" && name != "tune")
    return notFound("the options of cuda devices are tf32 and tune");
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
