//===- CoreTurns.cpp - Devices use the cores by turns -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CoreTurns.h"

#include <algorithm>
#include <utility>

using namespace weir;

CoreTurns::Member::Member(CoreTurns &turns, std::set<int> processors)
    : turns(turns), processors(std::move(processors)) {
  const std::lock_guard lock(turns.mutex);
  // This memory is reserved here, so that `begin` allocates nothing after it
  // has changed something.
  turns.waiting.reserve(turns.members.size() + 1);
  turns.members.push_back(this);
  for (Member *other : turns.members)
    if (other != this && isRivalOf(*other)) {
      ++numRivals;
      ++other->numRivals;
    }
}

CoreTurns::Member::~Member() {
  const std::lock_guard lock(turns.mutex);
  std::erase(turns.members, this);
  for (Member *other : turns.members)
    if (isRivalOf(*other))
      --other->numRivals;
  std::erase(turns.waiting, this);
  if (turns.current == this)
    turns.current = nullptr;
}

bool CoreTurns::Member::isRivalOf(const Member &other) const {
  return processors.empty() || other.processors.empty() ||
         std::ranges::any_of(processors, [&](int processor) {
           return other.processors.contains(processor);
         });
}

bool CoreTurns::Member::begin(const std::shared_ptr<TurnTaker> &taker) {
  const std::lock_guard lock(turns.mutex);
  if (turns.mayBegin(*this)) {
    if (turns.current != this)
      turns.give(*this);
    ++turns.numRuns;
    return true;
  }
  takers.push_back(taker);
  if (takers.size() == 1)
    turns.waiting.push_back(this);
  return false;
}

CoreTurns &CoreTurns::ofProcess() {
  // Never destroyed, because sessions may be destroyed after all statics.
  static CoreTurns &turns = *new CoreTurns;
  return turns;
}

/// Whether a run of `member` may begin. The mutex must be held.
bool CoreTurns::mayBegin(const Member &member) const {
  if (current == &member)
    return waiting.empty() || Clock::now() < until;
  return numRuns == 0 && waiting.empty();
}

/// Makes it the turn of `member`. The mutex must be held.
void CoreTurns::give(Member &member) {
  current = &member;
  until = Clock::now() + quantum;
}

/// Ends a run. After the last run of a turn, gives the turn to the members that
/// wait, one after the other. The invariant is: while a member waits and no run
/// is under way, some thread is in this function.
void CoreTurns::end() {
  std::unique_lock lock(mutex);
  --numRuns;
  while (numRuns == 0 && !waiting.empty()) {
    Member &member = *waiting.front();
    waiting.erase(waiting.begin());
    give(member);
    const auto takers = std::exchange(member.takers, {});
    lock.unlock();
    for (const std::weak_ptr<TurnTaker> &each : takers)
      if (const std::shared_ptr<TurnTaker> taker = each.lock())
        taker->takeTurn();
    lock.lock();
  }
}
