//===- RunResources.cpp - What the requests of a session share --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RunResources.h"

#include "Admission.h"
#include "weir/Runtime/Guarded.h"

#include <new>

using namespace weir;

FramePool::FramePool(const LoadedModel &model, Admission &admission) {
  for (size_t i = 0; i < model.chosen.numFrames; ++i) {
    frames.push_back(std::make_unique<Frame>(model, i, admission));
    frames.back()->next = std::exchange(unused, frames.back().get());
  }
}

FramePool::~FramePool() = default;

void FramePool::take(Claim &claim) {
  if (claim.plan)
    claim.frame = std::exchange(unused, unused->next);
}

void FramePool::giveBack(Claim &claim) {
  if (Frame *frame = std::exchange(claim.frame, nullptr))
    frame->next = std::exchange(unused, frame);
}

bool VariableUses::mayTake(const Claim &claim, Status &refusal) const {
  for (const ClassUse &use : claim.uses) {
    const ClassState &state = classes[use.variableClass];
    if (state.hasWriter || (use.writes && state.numReaders > 0))
      return false;
  }
  if (claim.plan && variables.hasInvalid())
    refusal = guarded(
        "run", [&] { return variables.checkValid(claim.plan->readVariables); });
  return refusal.isOk();
}

void VariableUses::take(const Claim &claim) {
  for (const ClassUse &use : claim.uses)
    if (use.writes)
      classes[use.variableClass].hasWriter = true;
    else
      ++classes[use.variableClass].numReaders;
}

void VariableUses::giveBack(const Claim &claim) {
  for (const ClassUse &use : claim.uses)
    if (use.writes)
      classes[use.variableClass].hasWriter = false;
    else
      --classes[use.variableClass].numReaders;
}

bool DeviceTurns::mayTake(const Claim &claim, Status &) {
  if (!claim.plan || !areShared())
    return true;
  if (isAwaited)
    return false;
  try {
    isGranted = turns->begin(admission.shared_from_this());
    isAwaited = !isGranted;
  } catch (const std::bad_alloc &) {
    // Turns save time, and the run is right without them.
    return true;
  }
  return isGranted;
}
