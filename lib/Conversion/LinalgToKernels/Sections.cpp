//===- Sections.cpp - Which nests share their tasks -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The number of rows that are enough to divide between threads.
static constexpr int64_t enoughRows = 16;

int64_t Section::getTasks() const {
  int64_t tasks = 1;
  for (const TaskDim &dim : dims)
    tasks *= dim.getBlocks();
  return tasks;
}

namespace {
/// Finds the nests that share their tasks.
class Together {
public:
  Together(KernelPlan &plan, bool joinsRows);

  std::vector<Section> makeSections();

private:
  void joinReaders();
  void joinWriters(Value home, ArrayRef<int> numbers);
  void joinBeside(Value home, ArrayRef<int> numbers);

  KernelPlan &plan;
  llvm::EquivalenceClasses<int> classes;
  llvm::MapVector<Value, SmallVector<int>> writers;
  llvm::DenseSet<Value> isRead;
};
} // namespace

Together::Together(KernelPlan &plan, bool joinsRows) : plan(plan) {
  for (auto [number, nest] : llvm::enumerate(plan.nests)) {
    classes.insert(static_cast<int>(number));
    writers[nest.getHome()].push_back(static_cast<int>(number));
  }
  joinReaders();
  for (auto &[home, numbers] : writers) {
    joinWriters(home, numbers);
    if (joinsRows)
      joinBeside(home, numbers);
  }
}

/// Joins each nest that reads a tensor with the nests of its phase that write
/// the tensor.
void Together::joinReaders() {
  for (auto [number, nest] : llvm::enumerate(plan.nests))
    for (const Access &read : nest.getReads()) {
      Value base;
      if (!read.tensor || !plan.getStrides(read.tensor, base))
        continue;
      auto found = writers.find(base);
      if (found == writers.end() ||
          plan.getPhase(base) != plan.getPhase(nest.getHome()))
        continue;
      classes.unionSets(found->second.front(), static_cast<int>(number));
      isRead.insert(base);
    }
}

/// Joins all nests that write `home` if it is read. Also joins them if one of
/// these nests accumulates, or writes all of `home`.
void Together::joinWriters(Value home, ArrayRef<int> numbers) {
  bool areJoined = isRead.contains(home);
  for (int number : numbers) {
    const LoopNest &nest = plan.nests[number];
    areJoined |= nest.accumulates() ||
                 nest.getElements() == getNumElements(nest.getHome());
  }
  for (int number : numbers)
    if (areJoined)
      classes.unionSets(numbers.front(), number);
}

/// Joins the nests that write parts of the same rows of a tensor, if there are
/// enough rows. Then one thread writes whole rows, and a reader of the rows
/// finds them in its cache. Nests for parts of one source are joined, too.
void Together::joinBeside(Value home, ArrayRef<int> numbers) {
  int64_t rows = getNumElements(home);
  ArrayRef<int64_t> strides = plan.homes.find(home)->second.strides;
  for (auto [stride, size] : llvm::zip(strides, getShape(home)))
    rows /= stride == 1 ? std::max<int64_t>(size, 1) : 1;
  std::map<SmallVector<int64_t>, int> byRow;
  llvm::DenseMap<Value, int> bySource;
  for (int number : numbers) {
    const LoopNest &nest = plan.nests[number];
    SmallVector<int64_t> row(nest.getOffsets());
    for (auto [offset, stride] : llvm::zip(row, strides))
      offset = stride == 1 ? 0 : offset;
    if (rows >= enoughRows)
      classes.unionSets(byRow.try_emplace(row, number).first->second, number);
    classes.unionSets(
        bySource.try_emplace(nest.getSource(), number).first->second, number);
  }
}

std::vector<Section> Together::makeSections() {
  std::vector<Section> sections;
  std::map<int, size_t> places;
  for (int number = 0; number < static_cast<int>(plan.nests.size()); ++number) {
    auto [place, isNew] =
        places.try_emplace(classes.getLeaderValue(number), sections.size());
    if (isNew)
      sections.emplace_back().phase =
          plan.getPhase(plan.nests[number].getHome());
    sections[place->second].nests.push_back({std::move(plan.nests[number])});
  }
  plan.nests.clear();
  return sections;
}

std::vector<Section> kernels::makeSections(KernelPlan &plan, bool joinsRows) {
  return Together(plan, joinsRows).makeSections();
}
