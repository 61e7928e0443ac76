//===- ChosenVariant.h - What a session loads of an artifact ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_CHOSENVARIANT_H
#define WEIR_LIB_RUNTIME_LOADING_CHOSENVARIANT_H

#include "VariantSelection.h"
#include "weir/Runtime/Session.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// The purpose for which a model is loaded.
enum class Purpose {
  Run,
  /// Count what the model holds, on counting devices.
  Count,
  /// Count what the model holds, on null devices.
  Estimate
};

/// A variant of an artifact, with what a session asks of it.
struct ChosenVariant {
  const artifact::Variant *variant = nullptr;
  uint32_t number = 0;
  /// Why an earlier variant for this kind of CPU does not run here; empty if
  /// there is no such variant.
  std::string lacking;
  /// Whether null devices stand for the devices of the variant.
  bool isForeign = false;
  /// The name of the entry that runs if the caller names none. An error if
  /// there is no such entry.
  StatusOr<std::string> defaultEntry{std::string()};
  /// The requests, one per device.
  std::vector<DeviceRequest> requests;
  /// The number of runs that may be in flight.
  size_t numFrames = 1;
};

/// The number of runs in flight that `variant` was compiled for.
size_t compiledFrames(const artifact::Variant &variant);

/// Chooses the first variant of `model` that can run here and is not among
/// `failures`. If no variant can, returns an error for Purpose::Run, and the
/// first variant for other purposes.
StatusOr<ChosenVariant> chooseVariant(const artifact::Model &model,
                                      const SessionOptions &options,
                                      const DriverSet &drivers,
                                      const VariantFailures &failures,
                                      Purpose purpose);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_CHOSENVARIANT_H
