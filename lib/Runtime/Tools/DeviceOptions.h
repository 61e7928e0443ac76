//===- DeviceOptions.h - Options of devices as text -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_DEVICEOPTIONS_H
#define WEIR_LIB_RUNTIME_TOOLS_DEVICEOPTIONS_H

#include "weir/Runtime/Session.h"

namespace weir {

/// Parses DEVICE.NAME=VALUE. The value may contain any characters.
StatusOr<DeviceOption> parseDeviceOption(std::string_view text);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_DEVICEOPTIONS_H
