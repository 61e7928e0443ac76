//===- Parts.cpp - Stages cut where what they read was joined -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What reads a concat at a point could read each of its operands under a
// condition. A stage for each part instead reads one of them, and knows which.
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

using namespace mlir;
using namespace weir::kernels;

/// Below this many points conditions cost less than loops.
static constexpr int64_t fewPoints = 1024;
/// The fewest neighbours in memory that a part should have, on average.
static constexpr int64_t fewNeighbours = 8;

/// Where `guards` begin or cease to hold along dim `d` of `stage`, in order.
static SmallVector<int64_t> findCuts(const Stage &stage, size_t d,
                                     ArrayRef<Guard> guards) {
  SmallVector<int64_t> cuts;
  for (const Guard &guard : guards) {
    // In elements of the source.
    LinearIndex rest = guard.index.plus(stage.at[d].times(-1));
    if (!rest.terms.empty() || stage.at[d].terms.empty())
      continue;
    for (int64_t cut : {-rest.constant, guard.size - rest.constant})
      if (cut > stage.begins[d] && cut < stage.begins[d] + stage.extents[d])
        cuts.push_back(cut);
  }
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  return cuts;
}

/// Whether parts of `stage` between `cuts` in dim `d` are worth loops of their
/// own.
static bool isWorthLoops(const Plan &plan, const Stage &stage, size_t d,
                         ArrayRef<int64_t> cuts) {
  if (cuts.empty() || cuts.size() >= Plan::mostParts)
    return false;
  auto parts = static_cast<int64_t>(cuts.size()) + 1;
  bool areNeighbours =
      getStep(plan, stage.write, stage.at[d].terms.front().first) == 1;
  return !areNeighbours || stage.extents[d] >= fewNeighbours * parts;
}

/// Adds `stage`, or the stages that it is cut into, to `parts`, with loops.
void Plan::splitStage(Stage stage, std::vector<Stage> &parts) {
  Stage bound = stage;
  SmallVector<Guard> guards;
  bindLoops(bound, guards);
  bool canSplit = !bound.reduction && !bound.accumulates && !bound.scans &&
                  getPoints(bound) >= fewPoints;
  for (size_t d = 0; canSplit && d < bound.at.size(); ++d) {
    SmallVector<int64_t> cuts = findCuts(bound, d, guards);
    if (!isWorthLoops(*this, bound, d, cuts))
      continue;
    int64_t begin = stage.begins[d], end = begin + stage.extents[d];
    cuts.push_back(end);
    for (int64_t cut : cuts) {
      stage.begins[d] = begin;
      stage.extents[d] = cut - begin;
      splitStage(stage, parts);
      begin = cut;
    }
    return;
  }
  parts.push_back(std::move(bound));
}
