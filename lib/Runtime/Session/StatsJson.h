//===- StatsJson.h - What a device did and holds, as JSON -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSION_STATSJSON_H
#define WEIR_LIB_RUNTIME_SESSION_STATSJSON_H

#include "weir/Runtime/SessionStats.h"

#include <cstdint>
#include <utility>

namespace weir {

inline double milliseconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

/// The JSON object for `device` in the reports of graph-run and of the C API.
/// Json is a kind of nlohmann::json.
template <typename Json> Json statsJson(const DeviceStats &device) {
  Json notes = Json::array();
  for (const DeviceNote &note : device.info.notes)
    notes.push_back({{"code", note.code}, {"text", note.text}});
  return {{"name", device.info.name},
          {"kind", device.info.kind},
          {"threads", device.info.threads},
          {"isolated", device.isolated},
          {"groups", device.groups},
          {"launches", device.launches},
          {"kernels", device.kernels},
          {"crossings", device.crossings},
          {"bytes_crossed", device.bytesCrossed},
          {"planned_bytes", device.plannedBytes},
          {"lower_bound_bytes", device.lowerBoundBytes},
          {"allocated_bytes", device.allocatedBytes},
          {"workspace_bytes", device.workspaceBytes},
          {"packed_bytes", device.packedBytes},
          {"parameter_bytes", device.parameterBytes},
          {"in_place_bytes", device.inPlaceBytes},
          {"shared_bytes", device.sharedBytes},
          {"held_bytes", device.heldBytes()},
          {"memory_cap_bytes", device.memoryCap},
          {"busy_ms", milliseconds(device.busyNs)},
          {"note", device.info.note},
          {"notes", std::move(notes)}};
}

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSION_STATSJSON_H
