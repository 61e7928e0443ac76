//===- GpuVectors.cpp - Accesses of a thread to neighbours ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A thread accesses up to 16 bytes at once if they are aligned. Then a warp
// needs the fewest instructions. Where one access of a nest cannot be so, all
// of them are of single elements, so that neighbouring threads access
// neighbouring elements.
//
//===----------------------------------------------------------------------===//

#include "GpuTasks.h"
#include "KernelEmitter.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The bytes of the widest access, and the most elements of one.
static constexpr int64_t accessBytes = 16, mostElements = 8;
/// Results that keep the GPU busy if each thread reduces several.
static constexpr int64_t enoughResults = 1 << 18;

namespace {
class GpuVectorChoice {
public:
  GpuVectorChoice(const KernelPlan &plan, const Section &section,
                  LoopNest &nest)
      : plan(plan), section(section), nest(nest) {}

  void choose();
  /// Whether all accesses along `loop` may be vectors of `lanes`.
  bool fits(const NestLoop &loop, int64_t lanes);

private:
  bool canBeLane(const NestLoop &loop) const;
  void chooseStrip();
  bool areAligned(const NestLoop &loop, int64_t lanes);
  bool isAligned(const Access &access, const NestLoop &loop, int64_t lanes);
  int64_t chooseLanes(const NestLoop &loop);

  const KernelPlan &plan;
  const Section &section;
  LoopNest &nest;
};
} // namespace

/// Whether all accesses are of neighbours or of one element for all iterations
/// of `loop`, and at least one is of neighbours.
bool GpuVectorChoice::canBeLane(const NestLoop &loop) const {
  const int64_t written = getStep(plan, nest.write, loop.symbol);
  bool hasNeighbours = written == 1;
  if (!loop.isReduction && !hasNeighbours)
    return false;
  for (const Access &read : nest.reads) {
    if (isFolded(plan, read, loop.symbol) ||
        isComputed(plan, read, loop.symbol))
      return false;
    const int64_t step = getStep(plan, read, loop.symbol);
    if (step != 0 && step != 1)
      return false;
    hasNeighbours |= step == 1;
  }
  return hasNeighbours;
}

static int64_t getElementBytes(Value tensor) {
  return getMemoryElement(tensor).getIntOrFloatBitWidth() / 8;
}

/// Whether vectors of `lanes` along `loop` are aligned for whole accesses.
bool GpuVectorChoice::isAligned(const Access &access, const NestLoop &loop,
                                int64_t lanes) {
  Value base;
  if (!access.tensor || getStep(plan, access, loop.symbol) == 0)
    return true;
  plan.getStrides(access.tensor, base);
  const LinearIndex address =
      plan.homes.find(base)->second.origin.plus(plan.getAddress(access));
  Factors factors = getFactors(section, nest);
  factors[loop.symbol] = lanes;
  const int64_t bytes = getElementBytes(base);
  const int64_t wanted = std::min(accessBytes, lanes * bytes);
  return getAlignment(address, factors, bytes, accessBytes) >= wanted;
}

/// The number of lanes along `loop`, or 1.
int64_t GpuVectorChoice::chooseLanes(const NestLoop &loop) {
  int64_t least = getElementBytes(nest.home);
  for (const Access &read : nest.reads)
    if (Value base; read.tensor && getStep(plan, read, loop.symbol) == 1 &&
                    plan.getStrides(read.tensor, base))
      least = std::min(least, getElementBytes(base));
  // The last vector may be a part if there are no rows, whose begins would not
  // be aligned.
  const bool mayEndEarly = nest.loops.size() == 1 && !nest.reduction;
  for (int64_t lanes = std::min(accessBytes / least, mostElements); lanes > 1;
       lanes /= 2) {
    const bool isWhole = loop.size % lanes == 0;
    if ((isWhole || (mayEndEarly && loop.size > lanes)) &&
        areAligned(loop, lanes))
      return lanes;
  }
  return 1;
}

bool GpuVectorChoice::areAligned(const NestLoop &loop, int64_t lanes) {
  return isAligned(nest.write, loop, lanes) &&
         llvm::all_of(nest.reads, [&](const Access &read) {
           return isAligned(read, loop, lanes);
         });
}

bool GpuVectorChoice::fits(const NestLoop &loop, int64_t lanes) {
  return canBeLane(loop) && areAligned(loop, lanes);
}

/// Makes vectors of the strips of a reduction. Where that is not possible, a
/// thread combines the elements of a strip one by one, in the same order.
void GpuVectorChoice::chooseStrip() {
  const NestLoop *loop = nest.findLoop(nest.stripLoop);
  if (nest.strip == 1 || !fits(*loop, nest.strip))
    return;
  nest.lane = nest.stripLoop;
  nest.lanes = nest.strip;
}

void GpuVectorChoice::choose() {
  if (nest.computesLookups || nest.hasConditions || nest.accumulates ||
      nest.scans)
    return;
  if (nest.group != LoopNest::Group::Thread)
    return chooseStrip();
  if (nest.reduction && nest.getElements() < enoughResults)
    return;
  for (const NestLoop &loop : nest.loops) {
    if (loop.isReduction || !canBeLane(loop))
      continue;
    const int64_t lanes = chooseLanes(loop);
    if (lanes <= nest.lanes)
      continue;
    nest.lane = loop.symbol;
    nest.lanes = lanes;
  }
}

void kernels::chooseGpuVectors(const KernelPlan &plan, const Section &section,
                               LoopNest &nest) {
  GpuVectorChoice(plan, section, nest).choose();
}

bool kernels::canBeVectors(const KernelPlan &plan, const Section &section,
                           LoopNest &nest, const NestLoop &loop,
                           int64_t lanes) {
  return GpuVectorChoice(plan, section, nest).fits(loop, lanes);
}
