//===- SessionState.h - What a session consists of --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSIONSTATE_H
#define WEIR_LIB_RUNTIME_SESSIONSTATE_H

#include "Admission.h"
#include "LoadedModel.h"
#include "weir/Runtime/Session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// The plans of one entry, which differ in the shapes of inputs.
class SessionEntry::Plans {
public:
  explicit Plans(std::vector<const Plan *> plans) : plans(std::move(plans)) {}

  const Plan &operator[](size_t index) const { return *plans[index]; }
  size_t size() const { return plans.size(); }
  /// The plan whose inputs have the types and shapes of `inputs`, or the only
  /// plan. If there is none, the error lists what there is.
  StatusOr<const Plan *> choose(std::span<const ConstTensorView> inputs) const;

private:
  std::vector<const Plan *> plans;
};

class SessionState {
public:
  SessionState(std::unique_ptr<LoadedModel> model, uint64_t loadNs,
               bool mayRunHere);

  SessionEntry entry(const SessionEntry::Plans &plans) {
    return {*this, plans};
  }
  /// An error if the calling thread must not wait for `what`, since devices
  /// wait for it.
  Status checkMayWait(std::string_view what) const;

  uint64_t loadNs;
  std::unique_ptr<LoadedModel> model;
  std::shared_ptr<Admission> admission;
  /// The number of times a caller polls for the end of its run before it
  /// sleeps.
  int spins;
  /// Whether a caller may execute its own run.
  bool mayRunHere;
  std::map<std::string, SessionEntry::Plans, std::less<>> entries;
  const SessionEntry::Plans *defaultEntry;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSIONSTATE_H
