//===- Parts.cpp - Splits nests that read a concat --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A nest that reads a concat would read each operand of the concat under a
// condition. Instead, it is split into one nest for each part, which reads
// only one operand.
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

using namespace mlir;
using namespace weir::kernels;

/// With fewer points, conditions cost less than loops.
static constexpr int64_t fewPoints = 1024;
/// The fewest adjacent elements that a part should have, on average.
static constexpr int64_t fewNeighbours = 8;

/// The indices at which `guards` begin or cease to hold along dim `d` of
/// `nest`, in order.
static SmallVector<int64_t> findCuts(const LoopNest &nest, size_t d,
                                     ArrayRef<Guard> guards) {
  SmallVector<int64_t> cuts;
  for (const Guard &guard : guards) {
    // Relative to the elements of the source.
    LinearIndex rest = guard.index.plus(nest.at[d].times(-1));
    if (!rest.terms.empty() || nest.at[d].terms.empty())
      continue;
    for (int64_t cut : {-rest.constant, guard.size - rest.constant})
      if (cut > nest.begins[d] && cut < nest.begins[d] + nest.extents[d])
        cuts.push_back(cut);
  }
  llvm::sort(cuts);
  cuts.erase(llvm::unique(cuts), cuts.end());
  return cuts;
}

/// Whether the parts of `nest` between `cuts` in dim `d` are worth separate
/// loops.
static bool isWorthLoops(const KernelPlan &plan, const LoopNest &nest, size_t d,
                         ArrayRef<int64_t> cuts) {
  if (cuts.empty() || cuts.size() >= KernelPlan::mostParts)
    return false;
  auto parts = static_cast<int64_t>(cuts.size()) + 1;
  bool areNeighbours =
      getStep(plan, nest.write, nest.at[d].terms.front().first) == 1;
  return !areNeighbours || nest.extents[d] >= fewNeighbours * parts;
}

/// Adds `nest`, or the nests into which it is split, to `parts`, with loops.
void KernelPlan::splitNest(LoopNest nest, std::vector<LoopNest> &parts) {
  LoopNest bound = nest;
  addLoops(bound);
  const SmallVector<Guard> guards = collectAccesses(bound);
  bool canSplit = !bound.reduction && !bound.accumulates && !bound.scans &&
                  getPoints(bound) >= fewPoints;
  for (size_t d = 0; canSplit && d < bound.at.size(); ++d) {
    SmallVector<int64_t> cuts = findCuts(bound, d, guards);
    if (!isWorthLoops(*this, bound, d, cuts))
      continue;
    int64_t begin = nest.begins[d], end = begin + nest.extents[d];
    cuts.push_back(end);
    for (int64_t cut : cuts) {
      nest.begins[d] = begin;
      nest.extents[d] = cut - begin;
      splitNest(nest, parts);
      begin = cut;
    }
    return;
  }
  parts.push_back(std::move(bound));
}
