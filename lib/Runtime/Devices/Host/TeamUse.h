//===- TeamUse.h - Whether runs use their team ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_DEVICES_HOST_TEAMUSE_H
#define WEIR_LIB_RUNTIME_DEVICES_HOST_TEAMUSE_H

#include "weir/Runtime/DeviceQueue.h"

#include <cstdint>
#include <optional>

namespace weir {

/// Chooses whether runs of a queue use the team of the thread that carries them
/// out. One thread at a time calls it.
class TeamUse {
public:
  virtual ~TeamUse() = default;

  /// Whether the next run of `list`, which needs a team, does without the team.
  virtual bool isAlone(const CommandList &list) = 0;

  /// Called when the calling thread begins the next run of `list`.
  virtual void begin(const CommandList &list) = 0;

  /// Called when the run has ended. `ns` is the time of its steps without their
  /// waits; nothing if some steps were not carried out.
  virtual void end(const CommandList &list, std::optional<uint64_t> ns) = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_DEVICES_HOST_TEAMUSE_H
