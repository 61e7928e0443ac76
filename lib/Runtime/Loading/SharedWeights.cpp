//===- SharedWeights.cpp - Weights that models share ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SharedWeights.h"

#include <algorithm>

using namespace weir;

WeightUse::~WeightUse() {
  const void *mine = this;
  weight->counter.compare_exchange_strong(mine, nullptr);
}

bool WeightUse::isCounted() const {
  const void *counter = nullptr;
  return weight->counter.compare_exchange_strong(counter, this) ||
         counter == this;
}

SharedWeights &SharedWeights::ofProcess() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static SharedWeights &weights = *new SharedWeights;
  return weights;
}

/// The entry of `content`. The caller holds `mutex`.
std::weak_ptr<SharedWeight> &
SharedWeights::entry(const WeightContent &content) {
  if (weights.size() >= mostWeights) {
    std::erase_if(weights, [](auto &known) { return known.second.expired(); });
    mostWeights = std::max<size_t>(2 * weights.size(), fewWeights);
  }
  return weights[content];
}

StatusOr<std::shared_ptr<SharedWeight>>
SharedWeights::get(const WeightContent &content, const Maker &make) {
  std::shared_ptr<SharedWeight> weight;
  {
    const std::lock_guard lock(mutex);
    std::weak_ptr<SharedWeight> &known = entry(content);
    weight = known.lock();
    if (!weight)
      known = weight = std::make_shared<SharedWeight>();
  }
  // If this thread cannot make the weight, the threads that wait for it try,
  // too.
  const std::lock_guard lock(weight->making);
  if (!weight->isMade) {
    WEIR_ASSIGN_OR_RETURN(weight->place, make());
    weight->isMade = true;
  }
  return weight;
}

std::shared_ptr<SharedWeight>
SharedWeights::find(const WeightContent &content) {
  const std::lock_guard lock(mutex);
  const auto at = weights.find(content);
  return at == weights.end() ? nullptr : at->second.lock();
}

void SharedWeights::add(const WeightContent &content,
                        const std::shared_ptr<SharedWeight> &weight) {
  const std::lock_guard lock(mutex);
  std::weak_ptr<SharedWeight> &known = entry(content);
  if (known.expired())
    known = weight;
}
