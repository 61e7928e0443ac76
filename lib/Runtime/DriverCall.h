//===- DriverCall.h - Calls of drivers that may throw -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DRIVERCALL_H
#define WEIR_LIB_RUNTIME_DRIVERCALL_H

#include "weir/Runtime/Device.h"
#include "weir/Runtime/Guarded.h"

#include <fmt/format.h>
#include <utility>

namespace weir {

/// The result of `function`, a Status or a StatusOr, which calls `driver`. An
/// exception becomes an error that names the driver.
template <typename Function>
auto callDriver(const DeviceDriver &driver, Function &&function) {
  return guarded(fmt::format("the driver of {} devices", driver.name()),
                 std::forward<Function>(function));
}

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DRIVERCALL_H
