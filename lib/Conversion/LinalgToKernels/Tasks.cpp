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
/// Columns, in vectors, of a task that walks over rows.
static constexpr int64_t columnVectors = 8;

namespace {
class TaskPlanner {
public:
  TaskPlanner(KernelPlan &plan, int64_t lanes) : plan(plan), lanes(lanes) {}

  std::vector<Section> run();

private:
  void describe(LoopClass &found);
  void chooseDims(Section &section);
  int64_t chooseBlock(const LoopClass &found, double inner, bool isAlone);

  KernelPlan &plan;
  int64_t lanes;
};
} // namespace

void TaskPlanner::describe(LoopClass &found) {
  for (auto [number, symbol] : found.members) {
    LoopNest &nest = plan.nests[number];
    found.isLane |= nest.lane == symbol;
    if (nest.unrolled == symbol)
      found.unroll = std::max(found.unroll, nest.unroll);
    for (const Access &read : nest.reads)
      found.isDivisible &= !isFolded(plan, read, symbol);
  }
}

/// How many iterations of a class one task computes, if one iteration takes
/// `inner` nanoseconds.
int64_t TaskPlanner::chooseBlock(const LoopClass &found, double inner,
                                 bool isAlone) {
  if (!found.isDivisible)
    return found.isLane ? found.size : 1;
  auto wanted = static_cast<int64_t>(
      std::clamp(taskTime / std::max(inner, 1e-3), 1.0, 1e9));
  int64_t block = wanted;
  if (found.isLane)
    // The task walks over rows, so its part of each row must be large enough.
    block = std::max(isAlone ? wanted : 1, columnVectors * lanes);
  if (found.unroll > 1)
    block = std::max(block, found.unroll);
  if (!isAlone && !found.isLane)
    block = std::min<int64_t>(block, std::max<int64_t>(found.unroll, 64));
  int64_t step = found.isLane ? lanes : found.unroll;
  block = std::max(step, block / step * step);
  // Blocks of about equal size.
  int64_t blocks = (found.size + block - 1) / block;
  int64_t even = (found.size + blocks - 1) / blocks;
  return std::min(found.size, (even + step - 1) / step * step);
}

void TaskPlanner::chooseDims(Section &section) {
  double time = 0;
  for (int number : section.nests)
    time += estimateTime(plan, plan.nests[number]);
  if (time <= taskTime)
    return;
  bool isAlone = section.nests.size() == 1;
  std::vector<LoopClass> classes = findClasses(plan, section);
  for (LoopClass &found : classes)
    describe(found);
  // From the innermost on, loops stay inside of a task until it is long
  // enough.
  double inner = time;
  for (const LoopClass &found : classes)
    inner /= static_cast<double>(found.size);
  SmallVector<std::pair<LoopClass *, int64_t>> blocks;
  for (LoopClass &found : llvm::reverse(classes)) {
    int64_t block = chooseBlock(found, inner, isAlone);
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
      collapse(plan, plan.nests[section.nests.front()]);
    for (int number : section.nests)
      chooseVectors(plan, plan.nests[number], lanes);
    chooseDims(section);
  }
  plan.layOutScratch();
  return sections;
}

std::vector<Section> kernels::planTasks(KernelPlan &plan, int64_t vectorBits) {
  return TaskPlanner(plan, vectorBits / 32).run();
}
