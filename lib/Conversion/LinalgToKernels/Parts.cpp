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

/// The fewest points for which a nest is split. With fewer points, conditions
/// cost less than loops.
static constexpr int64_t fewPoints = 1024;
/// The fewest adjacent elements that a part should have, on average.
static constexpr int64_t fewNeighbours = 8;

/// The indices along dim `d` of `nest` from which on elements come from other
/// inserted parts, in order.
static SmallVector<int64_t> findCuts(const LoopNest &nest, size_t d) {
  const int64_t begin = nest.getBegins()[d], end = begin + nest.getExtents()[d];
  SmallVector<int64_t> cuts;
  for (const Guard &guard : nest.getInsertions()) {
    // The index in the guard, relative to the elements of the source.
    LinearIndex rest = guard.index.plus(nest.getIndices()[d].times(-1));
    if (!rest.terms.empty() || nest.getIndices()[d].terms.empty())
      continue;
    for (int64_t cut : {-rest.constant, guard.size - rest.constant})
      if (cut > begin && cut < end)
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
  bool areNeighbours = getStep(plan, nest.getWrite(),
                               nest.getIndices()[d].terms.front().first) == 1;
  return !areNeighbours || nest.getExtents()[d] >= fewNeighbours * parts;
}

/// Adds the nest of `assignment`, or the nests into which it is split.
void KernelPlan::addNests(const Assignment &assignment) {
  LoopNest nest(assignment, *this);
  const bool canSplit = !nest.getOp() && nest.getPoints() >= fewPoints;
  for (size_t d = 0; canSplit && d < nest.getIndices().size(); ++d) {
    SmallVector<int64_t> cuts = findCuts(nest, d);
    if (!isWorthLoops(*this, nest, d, cuts))
      continue;
    int64_t begin = nest.getBegins()[d];
    cuts.push_back(begin + nest.getExtents()[d]);
    for (int64_t cut : cuts) {
      addNests(assignment.cutOut(d, begin, cut));
      begin = cut;
    }
    return;
  }
  nests.push_back(std::move(nest));
}
