//===- SimOptions.h - What can be asked of simulated devices ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_SIM_SIMOPTIONS_H
#define WEIR_LIB_PLUGINS_SIM_SIMOPTIONS_H

#include "weir/Runtime/Device.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// A day: the longest time that an option can ask for, and the longest that a
/// command lasts.
inline constexpr uint64_t mostNs = 86'400'000'000'000;

/// The options of one device. docs/topology.md describes them.
struct SimOptions {
  /// Whether launches last as long as predicted, and whether copies do. Such
  /// launches compute nothing.
  bool timedLaunches = false;
  bool timedCopies = false;
  /// The factor by which everything takes longer.
  double slow = 1;
  /// The most time that is added to each command, at random; and the seed of
  /// the random numbers.
  uint64_t delayNs = 0;
  uint64_t seed = 0;
  /// The longest that a command may last; 0: any time.
  uint64_t limitNs = 0;
  /// The op whose launch fails, the op whose copy fails, and the op at which
  /// the device is lost. "*" is any op, and an empty name none.
  std::string failLaunch;
  std::string failCopy;
  std::string lose;
  /// The number of times that launches and copies fail; 0: always.
  uint64_t failures = 0;

  /// Ok, or why there is no option `name` with the value `value`.
  static Status check(std::string_view name, std::string_view value);
  /// The options of a request that `check` allows.
  static StatusOr<SimOptions> parse(const DeviceRequest &request);
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_SIM_SIMOPTIONS_H
