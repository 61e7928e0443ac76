//===- CoreTurns.cpp - Device groups use the cores by turns -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CoreTurns.h"

#include <algorithm>
#include <utility>

using namespace weir;

CoreTurns::Group::Group(CoreTurns &turns, std::set<int> processors)
    : turns(turns), processors(std::move(processors)) {
  const std::lock_guard lock(turns.mutex);
  // So that `begin` need not allocate after it has changed something.
  turns.waiting.reserve(turns.groups.size() + 1);
  turns.groups.push_back(this);
  for (Group *other : turns.groups)
    if (other != this && isRivalOf(*other)) {
      ++numRivals;
      ++other->numRivals;
    }
}

CoreTurns::Group::~Group() {
  const std::lock_guard lock(turns.mutex);
  std::erase(turns.groups, this);
  for (Group *other : turns.groups)
    if (isRivalOf(*other))
      --other->numRivals;
  std::erase(turns.waiting, this);
  if (turns.current == this)
    turns.current = nullptr;
}

bool CoreTurns::Group::isRivalOf(const Group &other) const {
  return processors.empty() || other.processors.empty() ||
         std::ranges::any_of(processors, [&](int processor) {
           return other.processors.contains(processor);
         });
}

bool CoreTurns::Group::begin(const std::shared_ptr<TurnTaker> &taker) {
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
  // Sessions may be destroyed after all statics.
  static CoreTurns &turns = *new CoreTurns;
  return turns;
}

/// Whether a run of `group` may begin. The mutex must be held.
bool CoreTurns::mayBegin(const Group &group) const {
  if (current == &group)
    return waiting.empty() || Clock::now() < until;
  return numRuns == 0 && waiting.empty();
}

/// Makes it the turn of `group`. The mutex must be held.
void CoreTurns::give(Group &group) {
  current = &group;
  until = Clock::now() + quantum;
}

/// If no run is under way and a group waits, a thread is in this function.
void CoreTurns::end() {
  std::unique_lock lock(mutex);
  --numRuns;
  while (numRuns == 0 && !waiting.empty()) {
    Group &group = *waiting.front();
    waiting.erase(waiting.begin());
    give(group);
    const auto takers = std::exchange(group.takers, {});
    lock.unlock();
    for (const std::weak_ptr<TurnTaker> &each : takers)
      if (const std::shared_ptr<TurnTaker> taker = each.lock())
        taker->takeTurn();
    lock.lock();
  }
}
