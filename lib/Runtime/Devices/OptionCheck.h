//===- OptionCheck.h - The options of a request -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_OPTIONCHECK_H
#define WEIR_LIB_RUNTIME_DEVICES_OPTIONCHECK_H

#include "weir/Runtime/Device.h"
#include "weir/Support/DeviceKind.h"

namespace weir {

/// Ok, or why devices of `kind` cannot have the options of `request` on any
/// machine.
Status checkOptionsOf(DeviceKind kind, const DeviceRequest &request);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_OPTIONCHECK_H
