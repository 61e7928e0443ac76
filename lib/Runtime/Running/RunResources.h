//===- RunResources.h - What the requests of a session share ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A resource is a class with three functions, which are called while the mutex
// of the admission is held:
//
// - `mayTake` returns whether the first request in the line may take what it
//   needs now. If not, the request waits until a request gives something back
//   or `Admission::takeTurn` is called. If the request can never begin,
//   `mayTake` returns false and writes the reason to `refusal`.
// - `take` follows when `mayTake` of all resources has returned true. It notes
//   in the claim what the request holds.
// - `giveBack` follows when the request has ended.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_RUNNING_RUNRESOURCES_H
#define WEIR_LIB_RUNTIME_RUNNING_RUNRESOURCES_H

#include "../CoreTurns.h"
#include "../Loading/LoadedModel.h"
#include "RunRequest.h"

#include <memory>
#include <utility>
#include <vector>

namespace weir {

class Admission;

/// The frames. Each run needs one frame.
class FramePool {
public:
  FramePool(const LoadedModel &model, Admission &admission);
  ~FramePool();

  bool mayTake(const Claim &claim, Status &) const {
    return !claim.plan || unused;
  }
  void take(Claim &claim);
  void giveBack(Claim &claim);

  /// All frames, whether they are in use or not.
  std::span<const std::unique_ptr<Frame>> all() const { return frames; }

private:
  std::vector<std::unique_ptr<Frame>> frames;
  /// The first unused frame.
  Frame *unused = nullptr;
};

/// The uses of variables. Several requests may read a variable at the same
/// time. A request that writes a variable excludes all other requests that use
/// it. A run that reads a variable without a value is refused.
class VariableUses {
public:
  explicit VariableUses(const VariableTable &variables)
      : variables(variables), classes(variables.numClasses()) {}

  bool mayTake(const Claim &claim, Status &refusal) const;
  void take(const Claim &claim);
  void giveBack(const Claim &claim);

private:
  /// The present use of a class of variables.
  struct ClassState {
    size_t numReaders = 0;
    bool hasWriter = false;
  };

  const VariableTable &variables;
  std::vector<ClassState> classes;
};

/// The turns of devices that use the same cores. This resource is asked last,
/// because a turn that was granted must be taken.
class DeviceTurns {
public:
  DeviceTurns(CoreTurns::Member *turns, Admission &admission)
      : turns(turns), admission(admission) {}

  /// Whether other models have devices on the same cores.
  bool areShared() const { return turns && !turns->isAlone(); }

  bool mayTake(const Claim &claim, Status &);
  void take(Claim &claim) { claim.holdsTurn = std::exchange(isGranted, false); }
  void giveBack(Claim &claim) {
    numEnded += std::exchange(claim.holdsTurn, false);
  }

  /// The turn for which a run waits has come.
  void grant() { isAwaited = false; }
  /// The number of turns that were given back since the last call. The caller
  /// ends these turns when it holds no mutex, since other models may then begin
  /// their runs on the calling thread.
  size_t takeEnded() { return std::exchange(numEnded, 0); }

private:
  CoreTurns::Member *const turns;
  Admission &admission;
  /// Whether `Admission::takeTurn` will be called.
  bool isAwaited = false;
  /// Whether the run that asks has a turn that it has not taken yet.
  bool isGranted = false;
  size_t numEnded = 0;
};

/// All resources of a session.
class Resources {
public:
  Resources(const LoadedModel &model, Admission &admission)
      : frames(model, admission), variables(model.variables),
        turns(model.devices.turns(), admission) {}

  FramePool frames;
  VariableUses variables;
  DeviceTurns turns;

  bool mayTake(const Claim &claim, Status &refusal) {
    return forAll([&](auto &each) { return each.mayTake(claim, refusal); });
  }
  void take(Claim &claim) {
    forAll([&](auto &each) { return each.take(claim), true; });
  }
  void giveBack(Claim &claim) {
    forAll([&](auto &each) { return each.giveBack(claim), true; });
  }

private:
  /// Calls `function` with each resource, in the order in which resources are
  /// asked, as long as `function` returns true. Returns whether it always
  /// returned true.
  template <typename Function> bool forAll(Function function) {
    return function(frames) && function(variables) && function(turns);
  }
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_RUNNING_RUNRESOURCES_H
