//===- DimSteps.cpp - Arithmetic on steps and digits of dims --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DimSteps.h"

#include <algorithm>
#include <utility>

using namespace weir::analysis;

static Wide gcd(Wide left, Wide right) {
  while (right != 0)
    left = std::exchange(right, left % right);
  return left < 0 ? -left : left;
}

static Wide lastOf(const WideSteps &steps) {
  return steps.first + (steps.count - 1) * steps.step;
}

bool Steps::contains(int64_t number) const {
  return count > 0 && number >= first && number <= last() &&
         (number - first) % step == 0;
}

WideSteps weir::analysis::widen(const Steps &steps) {
  return {steps.first, steps.count, steps.step};
}

WideSteps weir::analysis::scale(const Steps &steps, int64_t factor) {
  if (steps.count == 0)
    return {};
  if (factor == 0)
    return {0, 1, 1};
  Wide first = Wide{factor < 0 ? steps.last() : steps.first} * factor;
  Wide step = Wide{steps.step} * factor;
  return {first, steps.count, step < 0 ? -step : step};
}

WideSteps weir::analysis::add(const WideSteps &left, const WideSteps &right) {
  if (left.count == 0 || right.count == 0)
    return {};
  Wide first = left.first + right.first;
  if (left.count == 1)
    return {first, right.count, right.step};
  if (right.count == 1)
    return {first, left.count, left.step};
  Wide step = gcd(left.step, right.step);
  return {first, (lastOf(left) + lastOf(right) - first) / step + 1, step};
}

WideSteps weir::analysis::divide(const WideSteps &steps, int64_t divisor) {
  Wide skipped = 0;
  while (skipped < steps.count && skipped < divisor &&
         (steps.first + skipped * steps.step) % divisor != 0)
    ++skipped;
  if (skipped >= steps.count || skipped >= divisor)
    return {};
  Wide common = gcd(steps.step, divisor);
  return {(steps.first + skipped * steps.step) / divisor,
          (steps.count - 1 - skipped) / (divisor / common) + 1,
          steps.step / common};
}

Steps weir::analysis::clip(const WideSteps &steps, Wide low, Wide high) {
  if (steps.count == 0 || low > high)
    return {};
  Wide first = steps.first, last = std::min(lastOf(steps), high);
  if (first < low)
    first += (low - first + steps.step - 1) / steps.step * steps.step;
  if (first > last)
    return {};
  Wide count = (last - first) / steps.step + 1;
  return {static_cast<int64_t>(first), static_cast<int64_t>(count),
          count == 1 ? 1 : static_cast<int64_t>(steps.step)};
}

Steps weir::analysis::intersect(const Steps &left, const Steps &right) {
  const Steps &finer = left.step > right.step ? left : right;
  const Steps &other = left.step > right.step ? right : left;
  if (left.count == 0 || right.count == 0)
    return {};
  return clip(widen(finer), other.first, other.last());
}

Steps weir::analysis::unite(const Steps &left, const Steps &right) {
  if (left.count == 0)
    return right;
  if (right.count == 0)
    return left;
  Wide step = Wide{left.first} - right.first;
  for (const Steps &each : {left, right})
    if (each.count > 1)
      step = gcd(step, each.step);
  step = std::max<Wide>(step < 0 ? -step : step, 1);
  Wide first = std::min(left.first, right.first);
  Wide last = std::max(left.last(), right.last());
  return clip({first, (last - first) / step + 1, step}, first, last);
}
