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
  /// `extra` drivers override built-in drivers of the same kind.
  explicit DriverSet(std::span<const DeviceDriver *const> extra);

  /// The driver of the device `deviceName`. Loads the plug-in of its kind,
  /// unless the kind is built in. The error says where the plug-in was looked
  /// for, or why it could not be loaded.
  StatusOr<const DeviceDriver *> find(std::string_view deviceName) const;
  /// Whether the machine's processor has the feature `name`.
  bool hasCpuFeature(std::string_view name) const;

private:
  std::vector<const DeviceDriver *> drivers;
};

/// The devices of `variant`. If `threads` is not 0, it overrides the number of
/// threads that the variant has.
std::vector<DeviceRequest> requestsOf(const artifact::Variant &variant,
                                      int threads);

/// The reasons why variants could not be loaded, by the numbers of the
/// variants. The devices of such a variant could be opened, but lack something
/// that its kernels need.
using VariantFailures = std::map<uint32_t, Status>;

/// A variant that this machine can run.
struct VariantChoice {
  const artifact::Variant *variant = nullptr;
  uint32_t number = 0;
  /// Why the devices of an earlier variant for this kind of CPU cannot be used;
  /// empty if there is no such variant.
  std::string lacking;
};

/// The first variant whose devices can be opened here, whose CPU features this
/// machine has, and which is not among `failures`. If there is no such variant,
/// the error has the reason for each variant.
StatusOr<VariantChoice> selectVariant(const artifact::Model &model,
                                      const DriverSet &drivers,
                                      const VariantFailures &failures);

/// The name of the entry that runs if a session names `name`. An empty `name`
/// means the only entry, or else "main". The entries for several shapes have
/// the same name.
StatusOr<std::string_view> selectEntry(const artifact::Variant &variant,
                                       std::string_view name);

/// The requests for one driver, and their positions among all requests.
struct DriverRequests {
  const DeviceDriver *driver;
  std::vector<DeviceRequest> requests;
  std::vector<size_t> positions;
};

/// `requests` by driver. The drivers have the order of their first requests.
StatusOr<std::vector<DriverRequests>>
groupByDriver(const DriverSet &drivers,
              std::span<const DeviceRequest> requests);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_VARIANTSELECTION_H
