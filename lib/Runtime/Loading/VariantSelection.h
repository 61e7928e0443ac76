//===- VariantSelection.h - Selects a variant for this machine --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_VARIANTSELECTION_H
#define WEIR_LIB_RUNTIME_LOADING_VARIANTSELECTION_H

#include "weir/Artifact/Schema.h"
#include "weir/Runtime/Device.h"

#include <map>
#include <string>
#include <vector>

namespace weir {

/// The drivers that a session can use.
class DriverSet {
public:
  /// `extra` drivers override the built-in ones of the same kind.
  explicit DriverSet(std::span<const DeviceDriver *const> extra);

  /// The driver of the device `deviceName`. The plug-in of its kind is loaded
  /// unless the kind is built in. The error says where it was looked for, or
  /// why it could not be loaded.
  StatusOr<const DeviceDriver *> find(std::string_view deviceName) const;
  /// Whether the machine's processor has the feature `name`.
  bool hasCpuFeature(std::string_view name) const;

private:
  std::vector<const DeviceDriver *> drivers;
};

/// The devices of `variant`. `threads` overrides its number of threads unless
/// it is 0.
std::vector<DeviceRequest> requestsOf(const artifact::Variant &variant,
                                      int threads);

/// Why variants could not be loaded, by their numbers: their devices could be
/// opened, but lack something that their kernels need.
using VariantFailures = std::map<uint32_t, Status>;

/// A variant that this machine can run.
struct VariantChoice {
  const artifact::Variant *variant = nullptr;
  uint32_t number = 0;
  /// Why the devices of an earlier variant cannot be used; empty if none was
  /// tried.
  std::string lacking;
};

/// The first variant whose devices can be opened here, whose CPU features this
/// machine has, and which is not among `failures`. If there is none, the error
/// has the reason for each variant.
StatusOr<VariantChoice> selectVariant(const artifact::Model &model,
                                      const DriverSet &drivers,
                                      const VariantFailures &failures);

/// The name of the entry that runs if a session names `name`. If `name` is
/// empty, it is the only entry, else "main". Several entries may have that
/// name.
StatusOr<std::string_view> selectEntry(const artifact::Variant &variant,
                                       std::string_view name);

/// The requests for one driver, and their positions among all requests.
struct DriverRequests {
  const DeviceDriver *driver;
  std::vector<DeviceRequest> requests;
  std::vector<size_t> positions;
};

/// `requests` by driver, ordered by the first request for each.
StatusOr<std::vector<DriverRequests>>
groupByDriver(const DriverSet &drivers,
              std::span<const DeviceRequest> requests);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_VARIANTSELECTION_H
