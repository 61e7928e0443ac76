//===- TeamChoice.cpp - Measures whether a team is worth it ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TeamChoice.h"

#include <algorithm>

using namespace weir;

/// The least number of runs in a window of measurement, and its least length. A
/// thread that shares its core waits for that core some milliseconds at a time,
/// so shorter windows would differ by chance.
static constexpr uint64_t leastRuns = 3, leastWindowNs = 40'000'000;

void TeamChoice::add(uint64_t ns) {
  if (!isWarm) {
    isWarm = true;
    return;
  }
  if (!alone)
    leastNs = std::min(leastNs, ns);
  sumNs += ns;
  if (++numRuns < leastRuns || sumNs < leastWindowNs)
    return;
  const uint64_t mean = sumNs / numRuns;
  numRuns = sumNs = 0;
  ++numWindows;
  if (alone)
    endOfAlone(mean);
  else
    endOfTeam(mean);
}

void TeamChoice::endOfTeam(uint64_t mean) {
  teamNs = mean;
  // Before this window, runs did without the team. This window has tried it
  // again.
  if (aloneNs && numWindows == 1) {
    if (mean >= aloneNs) {
      aloneWindows = std::min(2 * aloneWindows, mostWindows);
      return become(true);
    }
    aloneWindows = fewestWindows;
    teamWindows = 0;
    aloneNs = 0;
  }
  leastNs += leastNs / 256;
  if (numWindows >= teamWindows && mean > leastNs + leastNs / 5)
    become(true);
}

void TeamChoice::endOfAlone(uint64_t mean) {
  const bool wasAlone = aloneNs != 0;
  aloneNs = mean;
  if (wasAlone) {
    if (numWindows >= aloneWindows)
      become(false);
    return;
  }
  if (mean < teamNs - teamNs / 10)
    return;
  // The team is faster.
  aloneNs = 0;
  // The comparison may have been disturbed itself, so it is soon repeated.
  teamWindows = std::clamp(2 * teamWindows, fewestWindows / 4, mostWindows);
  become(false);
}
