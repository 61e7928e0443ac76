//===- SimHook.cpp - Times and faults of simulated devices ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SimHook.h"

#include "weir/Support/Trace.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

using namespace weir;

uint64_t SimLinks::reserve(uint32_t number, uint64_t ns) {
  const std::lock_guard lock(mutex);
  uint64_t &at = freeAt[number];
  const uint64_t begin = std::max(at, monotonicNs());
  at = begin + ns;
  return begin;
}

/// Returns at the time `end`, or soon after `run` is cancelled.
static void sleepUntil(uint64_t end, const RunControl &run) {
  constexpr uint64_t longestNs = 2'000'000;
  for (uint64_t now = monotonicNs(); now < end && !run.isCancelled();
       now = monotonicNs())
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::min(end - now, longestNs)));
}

/// Whether `op`, the value of an option, names the op of `info`.
static bool names(const std::string &op, const StepInfo &info) {
  return op == "*" || (!op.empty() && op == info.op);
}

/// A number that depends on `number` alone, with all bits mixed. This is
/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t mix(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

SimHook::SimHook(std::string device, SimOptions options,
                 std::shared_ptr<SimLinks> links)
    : device(std::move(device)), options(std::move(options)),
      links(std::move(links)) {}

Status SimHook::checkPresent() const {
  if (!isLost)
    return Status::ok();
  return unavailable(fmt::format(
      "{} was lost; close all sessions that use it and load the model again",
      device));
}

Status SimHook::strike(const Step &step, const StepInfo &info) {
  if (names(options.lose, info))
    isLost = true;
  WEIR_RETURN_IF_ERROR(checkPresent());
  const std::string &op = step.kind == StepKind::Launch ? options.failLaunch
                          : step.kind == StepKind::Copy ? options.failCopy
                                                        : std::string();
  if (names(op, info) &&
      (options.failures == 0 || numFailures.fetch_add(1) < options.failures))
    return internalError("this failure was asked for");
  return Status::ok();
}

bool SimHook::isTimed(const Step &step) const {
  return step.kind == StepKind::Launch ? options.timedLaunches
                                       : options.timedCopies;
}

uint64_t SimHook::lengthOf(const Step &step, const StepInfo &info,
                           uint64_t workedNs) {
  uint64_t ns = std::min(isTimed(step) ? info.predictedNs : workedNs, mostNs);
  if (options.slow != 1)
    ns = static_cast<uint64_t>(std::min(static_cast<double>(ns) * options.slow,
                                        static_cast<double>(mostNs)));
  if (options.delayNs > 0)
    ns += mix(options.seed + mix(numDelays.fetch_add(1))) % options.delayNs;
  return ns;
}

Status SimHook::carryOut(const Step &step, const StepInfo &info,
                         const RunControl &run,
                         const std::function<Status()> &work) {
  WEIR_RETURN_IF_ERROR(strike(step, info));
  uint64_t begin = monotonicNs();
  if (step.kind != StepKind::Launch || !options.timedLaunches)
    WEIR_RETURN_IF_ERROR(work());
  const uint64_t ns = lengthOf(step, info, monotonicNs() - begin);
  if (info.sharedLink > 0 && isTimed(step))
    begin = links->reserve(info.sharedLink, ns);
  if (options.limitNs == 0 || ns <= options.limitNs) {
    sleepUntil(begin + ns, run);
    return Status::ok();
  }
  sleepUntil(begin + options.limitNs, run);
  return unavailable(
      fmt::format("it lasts longer than the limit of {} ms that the device has",
                  static_cast<double>(options.limitNs) * 1e-6));
}
