//===- DeviceRequests.h - What a model asks of its devices ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_DEVICEREQUESTS_H
#define WEIR_LIB_RUNTIME_LOADING_DEVICEREQUESTS_H

#include "VariantSelection.h"

#include "weir/Runtime/Session.h"

#include <span>
#include <vector>

namespace weir {

/// Requests for the devices of `variant`, with what `options` ask of them. It
/// is an error if an option is for no device of `model`.
StatusOr<std::vector<DeviceRequest>>
requestDevices(const artifact::Model &model, const artifact::Variant &variant,
               const SessionOptions &options, const DriverSet &drivers);

/// Checks that the drivers take the options of `requests`.
Status checkRequests(std::span<const DeviceRequest> requests,
                     const DriverSet &drivers);

/// The numbers of the devices that were asked to tune their kernels.
std::vector<size_t> devicesToTune(std::span<const DeviceRequest> requests,
                                  const SessionOptions &options);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_DEVICEREQUESTS_H
