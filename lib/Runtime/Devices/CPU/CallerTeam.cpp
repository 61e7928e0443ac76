//===- CallerTeam.cpp - A caller as the master of a team ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// OpenMP gives each thread that opens regions a team of its own, and keeps it
// until the thread ends. So at most one caller of a device gets a team, and
// another caller takes over only if it has replaced the first one permanently.
// If a thread calls two sessions that want the same team, it has one team for
// both. If they want different teams, the second is refused, since a team that
// changes its size starts threads in each run.
//
// A device has one team at a time: that of the queue's thread ends when a
// caller gets one, and a caller's ends when the queue's thread is needed again.
// Callers that mix both ways leave all runs to the queue's thread.
//
//===----------------------------------------------------------------------===//

#include "CallerTeam.h"

#include "../../Guarded.h"
#include "ProcessorMask.h"
#include "ThreadTeam.h"
#include "weir/Support/PerThread.h"

#include <sched.h>
#include <utility>

using namespace weir;

/// The number of consecutive runs after which another caller takes over the
/// team.
static constexpr int callsOfALeader = 32;

/// The cores of the team of which the thread is the master. Expired when the
/// devices that wanted it are gone.
using Leadership = PerThread<std::weak_ptr<const CoreShare>, CallerTeam>;

static bool isAlike(const CoreShare &left, const CoreShare &right) {
  return left.threads == right.threads && left.isPinned == right.isPinned &&
         left.processors == right.processors;
}

/// Ends the team of the calling thread.
static void stepDown() {
  endTeam();
  if (auto *led = Leadership::find())
    led->reset();
}

bool CallerTeam::begin(bool needsTeam) {
  isHandedOver = needsTeam && !canLead();
  if (isHandedOver)
    return false;
  hasTeam = needsTeam && share->threads != 1;
  size.emplace(needsTeam ? share->threads : 1);
  modesBefore = floatModes();
  setFloatModes(defaultFloatModes);
  return true;
}

bool CallerTeam::hasTakenOver() {
  return hasTeam && std::exchange(queueHasTeam, false);
}

void CallerTeam::handOver() {
  if (leads() && !isInRegion())
    stepDown();
}

void CallerTeam::queueWorks() {
  queueHasTeam = queueHasWorked = true;
  if (!std::exchange(isHandedOver, false))
    callsInARow = 0;
}

bool CallerTeam::leads() const {
  const auto *leadership = Leadership::find();
  if (!leadership)
    return false;
  const std::shared_ptr<const CoreShare> led = leadership->lock();
  return led && isAlike(*led, *share);
}

void CallerTeam::end() {
  size.reset();
  setFloatModes(modesBefore);
}

bool CallerTeam::canLead() {
  if (share->threads == 1)
    return true;
  const bool isShared = std::exchange(queueHasWorked, false);
  const auto *leadership = Leadership::find();
  // Inside of its own region the caller would get no team.
  if (!leadership || isInRegion())
    return false;
  const bool mayLead = isOnlyUser();
  if (leads() && (isShared || !mayLead))
    stepDown();
  if (!leads() && (!mayLead || !leadership->expired() || isRefused ||
                   !isChosen() || !takeTeam()))
    return false;
  callsInARow = 0;
  return comeToFirstCore();
}

/// Whether the calling thread should get a team.
bool CallerTeam::isChosen() {
  const std::thread::id caller = std::this_thread::get_id();
  callsInARow = candidate == caller ? callsInARow + 1 : 1;
  candidate = caller;
  return !hasLeader || callsInARow >= callsOfALeader;
}

bool CallerTeam::takeTeam() {
  const FixedTeamSize size(share->threads);
  isRefused =
      !guarded("the start of a team", [&] { return startTeam(*share); }).isOk();
  if (isRefused)
    return false;
  *Leadership::find() = share;
  hasLeader = true;
  return true;
}

/// The other threads of a pinned team stay on their cores, so the caller must
/// not be on one of these. It is moved but not pinned, since its affinity mask
/// belongs to the user.
bool CallerTeam::comeToFirstCore() const {
  if (!share->isPinned || sched_getcpu() == share->processors.front())
    return true;
  ProcessorMask before;
  if (!before.readFrom(0) || !before.contains(share->processors.front()))
    return false;
  pinThread(std::span(share->processors).first(1));
  return before.applyTo(0);
}
