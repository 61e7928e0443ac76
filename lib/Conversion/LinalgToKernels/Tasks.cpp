//===- Tasks.cpp - How a kernel is split into tasks -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

#include "LoopClasses.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// A section that takes at most this many nanoseconds is one task. A task of
/// independent elements should take about as long.
static constexpr double taskTime = 1000;
/// The least columns of a task that walks over rows, in vectors.
static constexpr int64_t columnVectors = 8;

namespace {
class TaskPlanner {
public:
  TaskPlanner(KernelPlan &plan, int64_t lanes) : plan(plan), lanes(lanes) {}

  std::vector<Section> run();

private:
  void chooseDims(Section &section);
  int64_t chooseBlock(const Section &section, const LoopClass &found,
                      double inner) const;

  KernelPlan &plan;
  int64_t lanes;
};
} // namespace

/// The number of iterations of a class that one task computes, if one iteration
/// takes `inner` nanoseconds.
int64_t TaskPlanner::chooseBlock(const Section &section, const LoopClass &found,
                                 double inner) const {
  bool isLane = false;
  int64_t unroll = 1;
  for (auto [number, symbol] : found.members) {
    const ScheduledNest &nest = section.nests[number];
    isLane |= nest.isLane(symbol);
    if (const auto &rows = nest.schedule.rows; rows && rows->loop == symbol)
      unroll = std::max(unroll, rows->count);
  }
  if (isFolded(plan, section, found))
    return isLane ? found.size : 1;
  const bool isAlone = section.nests.size() == 1;
  auto wanted = static_cast<int64_t>(
      std::clamp(taskTime / std::max(inner, 1e-3), 1.0, 1e9));
  int64_t block = wanted;
  if (isLane)
    // The task walks over rows, so its part of each row must be large enough.
    block = std::max(isAlone ? wanted : 1, columnVectors * lanes);
  if (unroll > 1)
    block = std::max(block, unroll);
  if (!isAlone && !isLane)
    block = std::min<int64_t>(block, std::max<int64_t>(unroll, 64));
  int64_t step = isLane ? lanes : unroll;
  block = std::max(step, block / step * step);
  // The blocks get about equal sizes.
  int64_t blocks = (found.size + block - 1) / block;
  int64_t even = (found.size + blocks - 1) / blocks;
  return std::min(found.size, (even + step - 1) / step * step);
}

void TaskPlanner::chooseDims(Section &section) {
  double time = 0;
  for (const ScheduledNest &nest : section.nests)
    time += estimateTime(plan, nest);
  if (time <= taskTime)
    return;
  const std::vector<LoopClass> classes = findClasses(plan, section);
  // From the innermost on, loops stay inside of a task until it is long
  // enough.
  double inner = time;
  for (const LoopClass &found : classes)
    inner /= static_cast<double>(found.size);
  SmallVector<std::pair<const LoopClass *, int64_t>> blocks;
  for (const LoopClass &found : llvm::reverse(classes)) {
    int64_t block = chooseBlock(section, found, inner);
    inner *= static_cast<double>(block);
    blocks.push_back({&found, block});
  }
  for (auto [found, block] : llvm::reverse(blocks))
    if (block < found->size)
      cut(plan, section, *found, block);
}

std::vector<Section> TaskPlanner::run() {
  std::vector<Section> sections = makeSections(plan, /*joinsRows=*/true);
  for (Section &section : sections) {
    if (section.nests.size() == 1)
      collapse(plan, section.nests.front());
    for (ScheduledNest &nest : section.nests)
      nest.schedule = chooseVectors(plan, nest, lanes);
    chooseDims(section);
  }
  plan.layOutScratch();
  return sections;
}

std::vector<Section> kernels::planTasks(KernelPlan &plan, int64_t vectorBits) {
  return TaskPlanner(plan, vectorBits / 32).run();
}
