//===- SessionState.h - What a session consists of --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_SESSION_SESSIONSTATE_H
#define WEIR_LIB_RUNTIME_SESSION_SESSIONSTATE_H

#include "../Loading/LoadedModel.h"
#include "../Running/Admission.h"
#include "weir/Runtime/Session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// The plans of one entry, which differ in the shapes of inputs. If there is no
/// entry, the reason for that.
class SessionEntry::Plans {
public:
  explicit Plans(std::vector<const Plan *> plans) : plans(std::move(plans)) {}
  explicit Plans(Status whyNone) : whyNone(std::move(whyNone)) {}

  /// Ok if there is an entry.
  const Status &status() const { return whyNone; }

  const Plan &operator[](size_t index) const { return *plans[index]; }
  size_t size() const { return plans.size(); }
  /// The plan whose inputs have the types and shapes of `inputs`, or the only
  /// plan. If no plan fits, the error lists the shapes of all plans.
  StatusOr<const Plan *> choose(std::span<const ConstTensorView> inputs) const;

private:
  std::vector<const Plan *> plans;
  Status whyNone;
};

class SessionState {
public:
  SessionState(std::unique_ptr<LoadedModel> model, uint64_t loadNs,
               bool mayRunHere);

  static std::unique_ptr<Session>
  makeSession(std::unique_ptr<SessionState> state) {
    return std::unique_ptr<Session>(new Session(std::move(state)));
  }

  /// Destroys a stopped session. If the calling thread must not wait for the
  /// session's runs, or has given up waiting, a thread of its own destroys the
  /// session later.
  static void end(std::unique_ptr<SessionState> state);

  SessionEntry entry(const SessionEntry::Plans &plans) {
    return {*this, plans};
  }
  /// Whether the calling thread must not wait for devices. There are two such
  /// cases:
  /// - Devices wait for the thread, because it is in a call of the session's
  ///   own observer.
  /// - The process was forked, and has no devices.
  bool isAwaited() const;
  /// Returns an error that says that the calling thread cannot `what`, such as
  /// "set variables", if it must not wait for devices.
  Status checkMayWait(std::string_view what) const;

  /// See `Session::allocate`.
  StatusOr<DeviceTensor> allocate(const TensorInfo &port) const;
  Status orderBehind(std::string_view device, void *stream) const;

  uint64_t loadNs;
  std::unique_ptr<LoadedModel> model;
  std::shared_ptr<Admission> admission;
  /// The number of times a caller polls for the end of its run before it
  /// sleeps.
  int spins;
  /// Whether a caller may execute its own run.
  bool mayRunHere;
  std::map<std::string, SessionEntry::Plans, std::less<>> entries;
  SessionEntry::Plans defaultEntry;
  std::vector<std::pair<std::string, std::string>> metadata;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_SESSION_SESSIONSTATE_H
