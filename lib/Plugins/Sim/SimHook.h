//===- SimHook.h - Times and faults of simulated devices --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_SIM_SIMHOOK_H
#define WEIR_LIB_PLUGINS_SIM_SIMHOOK_H

#include "SimOptions.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace weir {

/// The links that the devices of a session share.
class SimLinks {
public:
  /// Reserves link `number` for `ns`, as soon as it is free. Returns the time
  /// at which the reservation begins. Thread-safe.
  uint64_t reserve(uint32_t number, uint64_t ns);

private:
  std::mutex mutex;
  /// The times at which the links are free again.
  std::map<uint32_t, uint64_t> freeAt;
};

/// Applies the options of a device to its steps.
class SimHook final : public StepHook {
public:
  SimHook(std::string device, SimOptions options,
          std::shared_ptr<SimLinks> links);

  Status carryOut(const Step &step, const StepInfo &info, const RunControl &run,
                  const std::function<Status()> &work) override;

  /// Whether launches compute their results.
  bool computes() const { return !options.timedLaunches; }

  /// Ok until the device is lost.
  Status checkPresent() const;

private:
  /// The fault that strikes the step, or ok.
  Status strike(const Step &step, const StepInfo &info);
  /// The time that `step` lasts if its work took `workedNs`.
  uint64_t lengthOf(const Step &step, const StepInfo &info, uint64_t workedNs);
  bool isTimed(const Step &step) const;

  const std::string device;
  const SimOptions options;
  const std::shared_ptr<SimLinks> links;
  std::atomic<bool> isLost{false};
  std::atomic<uint64_t> numFailures{0};
  /// The number of random delays so far.
  std::atomic<uint64_t> numDelays{0};
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_SIM_SIMHOOK_H
