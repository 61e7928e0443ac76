//===- ProfileSummary.h - Where the time of all runs went -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_PROFILESUMMARY_H
#define WEIR_LIB_RUNTIME_TOOLS_PROFILESUMMARY_H

#include "weir/Runtime/SessionStats.h"

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace weir {

/// Adds the times of launches up over runs, by device, op and kernel.
class ProfileSummary {
public:
  /// Adds one run: `times` has the nanoseconds of each of `launches`.
  void add(std::span<const LaunchInfo> launches,
           std::span<const uint64_t> times);

  /// A table, which begins with the kernel that took longest; empty before the
  /// first run.
  std::string toText() const;
  /// A list of objects, which begins with the kernel that took longest.
  /// docs/cli/graph-run.md describes the keys.
  nlohmann::ordered_json toJson() const;

private:
  struct Sum {
    uint64_t launches = 0, ns = 0, bytes = 0, flops = 0;
  };
  /// The device, the op, the kernel and the implementation.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::vector<std::pair<Key, Sum>> sorted() const;

  std::map<Key, Sum> sums;
  uint64_t totalNs = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_PROFILESUMMARY_H
