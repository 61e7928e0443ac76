//===- DeviceNotes.h - Remarks for the user about devices -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_DEVICENOTES_H
#define WEIR_LIB_RUNTIME_LOADING_DEVICENOTES_H

#include "Plan.h"
#include "weir/Runtime/SessionStats.h"

#include <memory>
#include <span>
#include <string>

namespace weir {

/// Adds remarks to `held`, which has one record per device: about launches
/// that run scalar code, and about devices without work.
void noteDevices(std::span<const std::unique_ptr<Plan>> plans,
                 std::span<const DeviceRequest> requests,
                 std::span<DeviceHeld> held);

/// Adds a remark if the artifact has a variant for other devices, which do not
/// run here because of `lacking`.
void noteVariant(const std::string &lacking, std::span<DeviceHeld> held);

/// `asked` are the numbers of the devices that were asked to tune their
/// kernels. Adds a remark for each of these devices that had nothing to tune.
void noteTuning(std::span<const std::unique_ptr<Plan>> plans,
                std::span<const size_t> asked, std::span<DeviceHeld> held);

/// Adds a remark if a session asks for more runs in flight than the artifact
/// was compiled for.
void noteRunsInFlight(size_t asked, size_t compiled,
                      std::span<DeviceHeld> held);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_DEVICENOTES_H
