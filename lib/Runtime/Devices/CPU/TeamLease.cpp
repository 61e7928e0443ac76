//===- TeamLease.cpp - Who has the team of a device -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// At most one caller of a device gets a team. Another caller takes over the
// team only after many calls in a row. If a thread calls two sessions that want
// the same team, it has one team for both. If the sessions want different
// teams, the second session gets none: a team that changes its size starts
// threads in each run.
//
// Callers that mix runs of their own with runs of the driver leave all runs to
// the driver.
//
//===----------------------------------------------------------------------===//

#include "TeamLease.h"

#include "ProcessorMask.h"
#include "ThreadTeam.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/PerThread.h"

#include <cassert>
#include <limits>
#include <sched.h>
#include <span>
#include <utility>

using namespace weir;

/// The number of consecutive calls after which another caller takes over the
/// team.
static constexpr int callsOfALeader = 32;
/// A number of calls that no caller reaches. Devices whose callers were refused
/// a team once need so many.
static constexpr int noLeader = std::numeric_limits<int>::max();

enum class TeamLease::Event { WorkBegins, TurnBegins, DriverRests, TurnEnds };

void TeamLease::move(Event event) {
  struct Move {
    State from;
    Event event;
    State to;
  };
  static constexpr Move moves[] = {
      {State::Driver, Event::WorkBegins, State::Driver},
      {State::Driver, Event::TurnBegins, State::Taken},
      {State::Taken, Event::DriverRests, State::Turn},
      {State::Turn, Event::TurnEnds, State::Caller},
      {State::Caller, Event::TurnBegins, State::Turn},
      {State::Caller, Event::WorkBegins, State::Driver},
  };
  for (const Move &move : moves)
    if (move.from == state && move.event == event) {
      state = move.to;
      return;
    }
  assert(false && "the lease has no such move");
}

/// The cores of the team of which the thread is the master. The pointer expires
/// when the devices that wanted the team are closed.
using Leadership = PerThread<std::weak_ptr<const CoreShare>, TeamLease>;

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

Status TeamLease::startDriver() {
  fixTeamSize(share->threads);
  settleDriver();
  setFloatModes(defaultFloatModes);
  return startTeam(*share);
}

/// Moves the driver to the first core of a pinned team, or else allows it all
/// cores of the device.
void TeamLease::settleDriver() {
  pinThread(share->isPinned ? std::span(share->processors).first(1)
                            : std::span(share->processors));
  isSpread = false;
}

Status TeamLease::beginWork() {
  if (numWorks < 2)
    ++numWorks;
  if (isSpread)
    settleDriver();
  if (state == State::Caller)
    WEIR_RETURN_IF_ERROR(startTeam(*share));
  move(Event::WorkBegins);
  return Status::ok();
}

void TeamLease::rest() {
  endTeam();
  move(Event::DriverRests);
}

void TeamLease::beginAlone() {
  if (!isSpread)
    pinThread(share->processors);
  isSpread = true;
}

TeamLease::TurnSettings::TurnSettings(int threads)
    : size(threads), modesBefore(floatModes()) {
  setFloatModes(defaultFloatModes);
}

TeamLease::TurnSettings::~TurnSettings() { setFloatModes(modesBefore); }

QueueTeam::Turn TeamLease::beginTurn(bool needsTeam) {
  assert(!settings && "one caller has its turn at a time");
  const bool takesTeam = needsTeam && share->threads != 1;
  if (share->isBound || (takesTeam && !mayTake()))
    return QueueTeam::Turn::Refused;
  settings.emplace(takesTeam ? share->threads : 1);
  if (!takesTeam)
    return QueueTeam::Turn::Begun;
  move(Event::TurnBegins);
  return state == State::Taken ? QueueTeam::Turn::TakenOver
                               : QueueTeam::Turn::Begun;
}

void TeamLease::endTurn() {
  settings.reset();
  // A turn without a team has not changed the state.
  if (state == State::Turn)
    move(Event::TurnEnds);
}

void TeamLease::handOver() {
  if (!share->isBound && leads() && !isInRegion())
    stepDown();
}

/// Whether the calling thread is the master of a team for this device.
bool TeamLease::leads() const {
  const auto *leadership = Leadership::find();
  if (!leadership)
    return false;
  const std::shared_ptr<const CoreShare> led = leadership->lock();
  return led && isAlike(*led, *share);
}

/// Whether the calling thread may take a turn with a team. If so, it is the
/// master of a team when this returns.
bool TeamLease::mayTake() {
  const int works = std::exchange(numWorks, 0);
  // One of these may be the run that the last call has handed to the driver.
  if (works > 1)
    callsInARow = 0;
  const auto *leadership = Leadership::find();
  // A caller inside of a parallel region of its own would get no team.
  if (!leadership || isInRegion())
    return false;
  const bool mayLead = isOnlyUser();
  bool isLeader = leads();
  if (isLeader && (works > 0 || !mayLead)) {
    stepDown();
    isLeader = false;
  }
  if (!isLeader &&
      (!mayLead || !leadership->expired() || !isChosen() || !startCaller()))
    return false;
  callsInARow = 0;
  return comeToFirstCore();
}

/// Whether the calling thread should get a team.
bool TeamLease::isChosen() {
  if (callsNeeded == noLeader)
    return false;
  const std::thread::id caller = std::this_thread::get_id();
  callsInARow = candidate == caller ? callsInARow + 1 : 1;
  candidate = caller;
  return callsInARow >= callsNeeded;
}

bool TeamLease::startCaller() {
  const FixedTeamSize size(share->threads);
  const bool hasTeam =
      guarded("the start of a team", [&] { return startTeam(*share); }).isOk();
  callsNeeded = hasTeam ? callsOfALeader : noLeader;
  if (hasTeam)
    *Leadership::find() = share;
  return hasTeam;
}

/// Moves the caller to the first core of a pinned team, because the other
/// threads of the team stay on the other cores. The caller is not pinned, since
/// its affinity mask belongs to the user. Returns false if it may not use that
/// core.
bool TeamLease::comeToFirstCore() const {
  if (!share->isPinned || sched_getcpu() == share->processors.front())
    return true;
  ProcessorMask before;
  if (!before.readFrom(0) || !before.contains(share->processors.front()))
    return false;
  pinThread(std::span(share->processors).first(1));
  return before.applyTo(0);
}
