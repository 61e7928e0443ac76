//===- GpuVectors.cpp - Accesses of a thread to neighbours ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A thread accesses up to 16 bytes at once if they are aligned. Then a warp
// needs the fewest instructions. If one access of a nest cannot be of this
// kind, all accesses of the nest are of single elements. Then neighbouring
// threads access neighbouring elements.
//
//===----------------------------------------------------------------------===//

#include "GpuTasks.h"
#include "KernelEmitter.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The bytes of the widest access, and the most elements of an access.
static constexpr int64_t accessBytes = 16, mostElements = 8;
/// The number of results that keep the GPU busy if each thread reduces several.
static constexpr int64_t enoughResults = 1 << 18;

namespace {
class GpuVectorChoice {
public:
  GpuVectorChoice(const KernelPlan &plan, const Section &section,
                  const LoopNest &nest)
      : plan(plan), section(section), nest(nest) {}

  std::optional<Lanes> chooseStrip(const ThreadGroup &group) const;
  std::optional<Lanes> chooseLoop() const;
  /// Whether all accesses along `loop` may be vectors of `lanes`.
  bool fits(const NestLoop &loop, int64_t lanes) const;

private:
  bool canBeLane(const NestLoop &loop) const;
  bool areAligned(const NestLoop &loop, int64_t lanes) const;
  bool isAligned(const Access &access, Lanes lanes) const;
  int64_t countLanes(const NestLoop &loop) const;

  const KernelPlan &plan;
  const Section &section;
  const LoopNest &nest;
};
} // namespace

/// Whether each access has neighbours, or the same element, in all iterations
/// of `loop`, and at least one access has neighbours.
bool GpuVectorChoice::canBeLane(const NestLoop &loop) const {
  const int64_t written = getStep(plan, nest.getWrite(), loop.symbol);
  bool hasNeighbours = written == 1;
  if (!loop.isReduction && !hasNeighbours)
    return false;
  for (const Access &read : nest.getReads()) {
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

/// Whether vectors of `lanes` are aligned for whole accesses.
bool GpuVectorChoice::isAligned(const Access &access, Lanes lanes) const {
  Value base;
  if (!access.tensor || getStep(plan, access, lanes.loop) == 0)
    return true;
  plan.getStrides(access.tensor, base);
  const LinearIndex address =
      plan.homes.find(base)->second.origin.plus(plan.getAddress(access));
  const int64_t bytes = getElementBytes(base);
  const int64_t wanted = std::min(accessBytes, lanes.count * bytes);
  return getAlignment(address, getFactors(section, lanes), bytes,
                      accessBytes) >= wanted;
}

/// The number of lanes along `loop`, or 1.
int64_t GpuVectorChoice::countLanes(const NestLoop &loop) const {
  int64_t least = getElementBytes(nest.getHome());
  for (const Access &read : nest.getReads())
    if (Value base; read.tensor && getStep(plan, read, loop.symbol) == 1 &&
                    plan.getStrides(read.tensor, base))
      least = std::min(least, getElementBytes(base));
  // The last vector may be shorter if there are no rows. With rows, the begin
  // of a row would not be aligned.
  const bool mayEndEarly = nest.getLoops().size() == 1 && !nest.getReduction();
  for (int64_t lanes = std::min(accessBytes / least, mostElements); lanes > 1;
       lanes /= 2) {
    const bool isWhole = loop.size % lanes == 0;
    if ((isWhole || (mayEndEarly && loop.size > lanes)) &&
        areAligned(loop, lanes))
      return lanes;
  }
  return 1;
}

bool GpuVectorChoice::areAligned(const NestLoop &loop, int64_t lanes) const {
  const Lanes along{loop.symbol, lanes};
  return isAligned(nest.getWrite(), along) &&
         llvm::all_of(nest.getReads(), [&](const Access &read) {
           return isAligned(read, along);
         });
}

bool GpuVectorChoice::fits(const NestLoop &loop, int64_t lanes) const {
  return canBeLane(loop) && areAligned(loop, lanes);
}

/// Makes vectors of the strips of a reduction, if that is possible. If not, a
/// thread combines the elements of a strip one by one, in the same order.
std::optional<Lanes>
GpuVectorChoice::chooseStrip(const ThreadGroup &group) const {
  if (group.strip == 1 || !fits(*nest.findLoop(group.loop), group.strip))
    return std::nullopt;
  return Lanes{group.loop, group.strip};
}

/// Makes vectors of the loop along which they are longest.
std::optional<Lanes> GpuVectorChoice::chooseLoop() const {
  std::optional<Lanes> best;
  for (const NestLoop &loop : nest.getLoops()) {
    if (loop.isReduction || !canBeLane(loop))
      continue;
    const int64_t lanes = countLanes(loop);
    if (lanes > (best ? best->count : 1))
      best = {loop.symbol, lanes};
  }
  return best;
}

std::optional<Lanes>
kernels::chooseGpuLanes(const KernelPlan &plan, const Section &section,
                        const LoopNest &nest,
                        const std::optional<ThreadGroup> &group) {
  if (nest.computesLookups() || nest.hasConditions() || nest.hasOpLoops())
    return std::nullopt;
  const GpuVectorChoice choice(plan, section, nest);
  if (group)
    return choice.chooseStrip(*group);
  if (nest.getReduction() && nest.getElements() < enoughResults)
    return std::nullopt;
  return choice.chooseLoop();
}

bool kernels::canBeVectors(const KernelPlan &plan, const Section &section,
                           const LoopNest &nest, Lanes lanes) {
  return GpuVectorChoice(plan, section, nest)
      .fits(*nest.findLoop(lanes.loop), lanes.count);
}
