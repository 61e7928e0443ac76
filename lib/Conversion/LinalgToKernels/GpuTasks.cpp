//===- GpuTasks.cpp - How a kernel is split into blocks ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuTasks.h"

#include "GpuReductions.h"
#include "KernelEmitter.h"
#include "LoopClasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The number of points that are enough for a block.
static constexpr int64_t enoughPoints = 256;
/// The number of adjacent elements that one block should access.
static constexpr int64_t enoughNeighbours = 64;

//===----------------------------------------------------------------------===//
// Loops of threads
//===----------------------------------------------------------------------===//

/// Whether iterations of `loop` never write the same element. In nests that
/// accumulate, this is known if the loop is an index of what is written.
static bool writesApart(const LoopNest &nest, const NestLoop &loop) {
  if (loop.isReduction)
    return false;
  return !nest.accumulates() ||
         llvm::any_of(nest.getWrite().indices, [&](const LinearIndex &index) {
           return index.asSymbol() == loop.symbol;
         });
}

SmallVector<NestLoop> kernels::getSharedLoops(const KernelPlan &plan,
                                              const ScheduledNest &nest) {
  SmallVector<NestLoop> loops;
  for (const NestLoop &loop : nest.getLoops())
    if (!nest.isLane(loop.symbol) && writesApart(nest, loop))
      loops.push_back(loop);
  // Neighbouring threads access neighbouring elements.
  llvm::stable_sort(loops, [&](const NestLoop &a, const NestLoop &b) {
    return getStep(plan, nest.getWrite(), a.symbol) >
           getStep(plan, nest.getWrite(), b.symbol);
  });
  return loops;
}

int64_t kernels::getItems(const KernelPlan &plan, const ScheduledNest &nest) {
  int64_t items = 1;
  for (const NestLoop &loop : getSharedLoops(plan, nest))
    items *= loop.size;
  if (const NestLoop *loop = nest.findLaneLoop(); loop && !loop->isReduction)
    items *= llvm::divideCeil(loop->size, nest.schedule.lanes->count);
  return items;
}

int64_t kernels::getReducedItems(const ScheduledNest &nest) {
  const std::optional<ThreadGroup> &group = nest.schedule.group;
  int64_t items = 1;
  for (const NestLoop &loop : nest.getLoops())
    if (loop.isReduction)
      items *= group && group->loop == loop.symbol ? loop.size / group->strip
                                                   : loop.size;
  return items;
}

int64_t kernels::getUnitThreads(const Schedule &schedule) {
  if (!schedule.group)
    return 1;
  switch (schedule.group->kind) {
  case ThreadGroup::Kind::Warp:
    return warpThreads;
  case ThreadGroup::Kind::Block:
    return mostThreads;
  case ThreadGroup::Kind::Columns:
    return mostThreads / warpThreads;
  }
  llvm_unreachable("all groups are known");
}

int64_t kernels::getWantedThreads(const KernelPlan &plan,
                                  const ScheduledNest &nest) {
  // Neighbouring columns belong to the threads of a warp.
  if (nest.schedule.isOf(ThreadGroup::Kind::Columns))
    return mostThreads;
  const auto wanted =
      static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(
          getItems(plan, nest) * getUnitThreads(nest.schedule))));
  return std::clamp(wanted, warpThreads, mostThreads);
}

//===----------------------------------------------------------------------===//
// Rows of blocks
//===----------------------------------------------------------------------===//

static int64_t findDivisor(int64_t size, int64_t most) {
  int64_t divisor = std::min(size, most);
  while (size % divisor != 0)
    --divisor;
  return divisor;
}

/// Makes a block of few iterations of each class of loops, so that there are as
/// many blocks as possible.
static void chooseRows(KernelPlan &plan, Section &section) {
  const std::vector<LoopClass> classes = findClasses(plan, section);
  double points = 0, tasks = 1;
  for (const LoopNest &nest : section.nests)
    points = std::max(points, static_cast<double>(nest.getPoints()));
  for (const LoopClass &found : classes)
    tasks *= static_cast<double>(found.size);
  const auto perTask = static_cast<int64_t>(std::max(1.0, points / tasks));
  int64_t missing = llvm::divideCeil(enoughPoints, perTask);
  SmallVector<int64_t> blocks(classes.size(), 1);
  for (size_t n = classes.size(); n-- > 0;) {
    const int64_t wanted =
        classes[n].step == 1 ? std::max(missing, enoughNeighbours) : missing;
    blocks[n] = isFolded(plan, section, classes[n])
                    ? 1
                    : findDivisor(classes[n].size, wanted);
    missing = std::max<int64_t>(1, missing / blocks[n]);
  }
  for (auto [found, block] : llvm::zip(classes, blocks))
    if (block < found.size)
      cut(plan, section, found, block);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

bool kernels::isSpread(const Section &section) {
  return section.nests.size() == 1;
}

int64_t kernels::getSharedBytes(Value tensor, const Home &home) {
  const int64_t bytes =
      home.extent * (getMemoryElement(tensor).getIntOrFloatBitWidth() / 8);
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(bytes), scratchAlignment));
}

int64_t kernels::getSharedBytes(const KernelPlan &plan,
                                const Section &section) {
  llvm::SmallPtrSet<void *, 8> seen;
  int64_t bytes = 0;
  for (const LoopNest &nest : section.nests) {
    Value tensor = nest.getHome();
    const Home &home = plan.homes.find(tensor)->second;
    if (home.kind == Home::Kind::Scratch &&
        seen.insert(tensor.getAsOpaquePointer()).second)
      bytes += getSharedBytes(tensor, home);
  }
  return bytes;
}

/// Puts the largest tensors of `section` into memory of the device, until all
/// other tensors fit into shared memory.
static void limitShared(KernelPlan &plan, const Section &section) {
  while (getSharedBytes(plan, section) > mostSharedBytes - combineColumnBytes) {
    Value largest;
    for (const LoopNest &nest : section.nests) {
      Value tensor = nest.getHome();
      if (plan.homes[tensor].kind == Home::Kind::Scratch &&
          (!largest || getSharedBytes(tensor, plan.homes[tensor]) >
                           getSharedBytes(largest, plan.homes[largest])))
        largest = tensor;
    }
    Home &home = plan.homes[largest];
    home = {Home::Kind::Shared, static_cast<unsigned>(plan.shared.size()),
            getRowMajorStrides(getShape(largest))};
    home.extent = std::max<int64_t>(getNumElements(largest), 1);
    plan.shared.push_back(largest);
  }
}

Factors kernels::getFactors(const Section &section,
                            std::optional<Lanes> lanes) {
  Factors factors;
  for (const TaskDim &dim : section.dims)
    factors[dim.symbol] = dim.block;
  if (lanes)
    factors[lanes->loop] = lanes->count;
  return factors;
}

/// Divides `section` among blocks or warps.
static void divide(KernelPlan &plan, Section &section) {
  for (ScheduledNest &nest : section.nests)
    if (nest.getReduction())
      nest.schedule.group = chooseGroup(plan, nest);
  if (isSpread(section))
    collapse(plan, section.nests.front());
  else if (!divideByWarps(plan, section))
    chooseRows(plan, section);
}

std::vector<Section> kernels::planBlocks(KernelPlan &plan) {
  std::vector<Section> sections = makeSections(plan, /*joinsRows=*/false);
  for (Section &section : sections)
    divide(plan, section);
  plan.layOutScratch();
  for (Section &section : sections) {
    if (section.warpRow) {
      chooseRowVectors(plan, section);
      continue;
    }
    limitShared(plan, section);
    for (ScheduledNest &nest : section.nests)
      nest.schedule.lanes =
          chooseGpuLanes(plan, section, nest, nest.schedule.group);
  }
  return sections;
}
