//===- DeviceOptions.cpp - Options of devices as text ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DeviceOptions.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<DeviceOption> weir::parseDeviceOption(std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view target = text.substr(0, equals);
  const size_t dot = target.rfind('.');
  if (equals == text.npos || dot == target.npos || dot == 0 ||
      dot + 1 == target.size() || equals + 1 == text.size())
    return invalidArgument(
        fmt::format("--device-option: expected DEVICE.NAME=VALUE, such as "
                    "sim:1.timed=copies, found '{}'",
                    printable(text)));
  return DeviceOption{std::string(target.substr(0, dot)),
                      std::string(target.substr(dot + 1)),
                      std::string(text.substr(equals + 1))};
}
