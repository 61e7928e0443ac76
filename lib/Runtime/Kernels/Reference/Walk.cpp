//===- Walk.cpp - Linear functions over an iteration space -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Walk.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace weir::reference;

Walk::Walk(std::vector<int64_t> loopSizes)
    : sizes(std::move(loopSizes)), counters(sizes.size()), costs(sizes.size()) {
  chooseRows();
}

void Walk::chooseRows() {
  constexpr int64_t longEnough = 16;
  int64_t longest = 0;
  for (int64_t size : sizes)
    longest = std::max(longest, size);
  rowLoop = -1;
  for (size_t loop = 0; loop < sizes.size(); ++loop) {
    bool isLong = sizes[loop] >= std::min(longest, longEnough);
    if (isLong && (rowLoop < 0 || costs[loop] <= costs[rowLoop]))
      rowLoop = static_cast<int>(loop);
  }
}

int Walk::add(int64_t start, std::span<const int64_t> coefficients) {
  functions.push_back(
      {start, start, {coefficients.begin(), coefficients.end()}});
  for (size_t loop = 0; loop < sizes.size(); ++loop)
    costs[loop] += std::abs(static_cast<double>(coefficients[loop]));
  chooseRows();
  return static_cast<int>(functions.size()) - 1;
}

bool Walk::begin() {
  std::fill(counters.begin(), counters.end(), 0);
  for (Function &function : functions)
    function.value = function.start;
  return std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
}

bool Walk::next() {
  for (size_t loop = sizes.size(); loop-- > 0;) {
    if (static_cast<int>(loop) == rowLoop)
      continue;
    bool isStep = ++counters[loop] < sizes[loop];
    int64_t factor = isStep ? 1 : 1 - sizes[loop];
    for (Function &function : functions)
      function.value += factor * function.steps[loop];
    if (isStep)
      return true;
    counters[loop] = 0;
  }
  return false;
}
