//===- DeviceList.h - The devices of this machine ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_DEVICELIST_H
#define WEIR_LIB_RUNTIME_TOOLS_DEVICELIST_H

#include "weir/Support/Status.h"

namespace weir {

/// Prints the devices of this machine, including the devices of all plug-ins,
/// to standard output. A plug-in that cannot be loaded, or fails, is reported
/// on standard error.
Status listDevices(bool json);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_DEVICELIST_H
