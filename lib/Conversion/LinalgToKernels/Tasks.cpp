//===- Tasks.cpp - How a kernel is split into tasks -------------*- C++ -*-===//
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

/// A section that takes at most this many nanoseconds is one task. A task of
/// independent elements should take about as long.
static constexpr double taskTime = 1000;
/// Rows that are enough to divide between threads.
static constexpr int64_t enoughRows = 16;
/// Columns, in vectors, of a task that walks over rows.
static constexpr int64_t columnVectors = 8;

int64_t Section::getTasks() const {
  int64_t tasks = 1;
  for (const TaskDim &dim : dims)
    tasks *= dim.getBlocks();
  return tasks;
}

namespace {
/// Loops of nests that run through the same elements.
struct LoopClass {
  /// Nest and symbol.
  SmallVector<std::pair<int, int>> members;
  int64_t size = 1;
  /// Whether blocks may have any size.
  bool isDivisible = true;
  bool isLane = false;
  int64_t unroll = 1;
};

class TaskPlanner {
public:
  TaskPlanner(KernelPlan &plan, int64_t lanes) : plan(plan), lanes(lanes) {}

  std::vector<Section> run();

private:
  class Together;

  void collapse(LoopNest &nest);
  bool canCollapse(const LoopNest &nest, const NestLoop &outer,
                   const NestLoop &inner) const;

  bool isCandidate(const Section &section, const LoopClass &found) const;
  void describe(LoopClass &found);
  void chooseDims(Section &section);
  int64_t chooseBlock(const LoopClass &found, double inner, bool isAlone);
  void cut(Section &section, const LoopClass &found, int64_t block);
  void placeScratch(const LoopClass &found, const TaskDim &dim);

  KernelPlan &plan;
  int64_t lanes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

/// Which nests share their tasks.
class TaskPlanner::Together {
public:
  explicit Together(const KernelPlan &plan);

  std::vector<Section> makeSections();

private:
  void joinReaders();
  void joinWriters(Value home, ArrayRef<int> numbers);
  void joinBeside(Value home, ArrayRef<int> numbers);

  const KernelPlan &plan;
  llvm::EquivalenceClasses<int> classes;
  llvm::MapVector<Value, SmallVector<int>> writers;
  llvm::DenseSet<Value> isRead;
};

TaskPlanner::Together::Together(const KernelPlan &plan) : plan(plan) {
  for (auto [number, nest] : llvm::enumerate(plan.nests)) {
    classes.insert(static_cast<int>(number));
    writers[nest.home].push_back(static_cast<int>(number));
  }
  joinReaders();
  for (auto &[home, numbers] : writers) {
    joinWriters(home, numbers);
    joinBeside(home, numbers);
  }
}

/// A nest that reads a tensor is in one section with the nests of its phase
/// that write it.
void TaskPlanner::Together::joinReaders() {
  for (auto [number, nest] : llvm::enumerate(plan.nests))
    for (const Access &read : nest.reads) {
      Value base;
      if (!read.tensor || !plan.getStrides(read.tensor, base))
        continue;
      auto found = writers.find(base);
      if (found == writers.end() ||
          plan.nests[found->second.front()].phase != nest.phase)
        continue;
      classes.unionSets(found->second.front(), static_cast<int>(number));
      isRead.insert(base);
    }
}

/// All nests that write `home` are in one section if it is read, or if one of
/// them accumulates or writes all of it.
void TaskPlanner::Together::joinWriters(Value home, ArrayRef<int> numbers) {
  bool areJoined = isRead.contains(home);
  for (int number : numbers) {
    const LoopNest &nest = plan.nests[number];
    areJoined |=
        nest.accumulates || nest.getElements() == getNumElements(nest.home);
  }
  for (int number : numbers)
    if (areJoined)
      classes.unionSets(numbers.front(), number);
}

/// If there are enough rows, nests that write parts of the same rows of a
/// tensor are in one section. Then one thread writes whole rows, and a reader
/// of the rows finds them in its cache. Nests for parts of one source are in
/// one section, too.
void TaskPlanner::Together::joinBeside(Value home, ArrayRef<int> numbers) {
  int64_t rows = getNumElements(home);
  ArrayRef<int64_t> strides = plan.homes.find(home)->second.strides;
  for (auto [stride, size] : llvm::zip(strides, getShape(home)))
    rows /= stride == 1 ? std::max<int64_t>(size, 1) : 1;
  std::map<SmallVector<int64_t>, int> byRow;
  llvm::DenseMap<Value, int> bySource;
  for (int number : numbers) {
    const LoopNest &nest = plan.nests[number];
    SmallVector<int64_t> row(nest.offsets);
    for (auto [offset, stride] : llvm::zip(row, strides))
      offset = stride == 1 ? 0 : offset;
    if (rows >= enoughRows)
      classes.unionSets(byRow.try_emplace(row, number).first->second, number);
    classes.unionSets(bySource.try_emplace(nest.source, number).first->second,
                      number);
  }
}

std::vector<Section> TaskPlanner::Together::makeSections() {
  std::vector<Section> sections;
  std::map<int, size_t> places;
  for (int number = 0; number < static_cast<int>(plan.nests.size()); ++number) {
    auto [place, isNew] =
        places.try_emplace(classes.getLeaderValue(number), sections.size());
    if (isNew)
      sections.emplace_back().phase = plan.nests[number].phase;
    sections[place->second].nests.push_back(number);
  }
  return sections;
}

//===----------------------------------------------------------------------===//
// Collapsing
//===----------------------------------------------------------------------===//

/// Whether both loops can become one: in every access, an iteration of `outer`
/// moves as far as all iterations of `inner`.
bool TaskPlanner::canCollapse(const LoopNest &nest, const NestLoop &outer,
                              const NestLoop &inner) const {
  // Otherwise the order in which elements are combined would depend on the
  // other ops of the kernel.
  if (outer.isReduction || inner.isReduction)
    return false;
  auto goesOn = [&](const Access &access) {
    auto isUsed = [&](int symbol) {
      return llvm::any_of(access.indices, [&](const LinearIndex &index) {
        return plan.symbols.dependsOn(index, symbol);
      });
    };
    if (!isUsed(outer.symbol) && !isUsed(inner.symbol))
      return true;
    if (!access.tensor || isFolded(plan, access, outer.symbol) ||
        isFolded(plan, access, inner.symbol) ||
        isComputed(plan, access, outer.symbol) ||
        isComputed(plan, access, inner.symbol))
      return false;
    return getStep(plan, access, outer.symbol) ==
           getStep(plan, access, inner.symbol) * inner.size;
  };
  return llvm::all_of(nest.reads, goesOn) && goesOn(nest.write);
}

/// Makes one loop of two wherever all accesses allow it. The inner loop gets
/// the product of the sizes, and the outer one is removed.
void TaskPlanner::collapse(LoopNest &nest) {
  bool hasChanged = !nest.accumulates;
  while (hasChanged) {
    hasChanged = false;
    for (NestLoop &outer : nest.loops) {
      NestLoop *inner = llvm::find_if(nest.loops, [&](NestLoop &inner) {
        return &inner != &outer && canCollapse(nest, outer, inner);
      });
      if (inner == nest.loops.end())
        continue;
      inner->size *= outer.size;
      int symbol = outer.symbol;
      plan.symbols.resizeLoop(inner->symbol, inner->size);
      auto drop = [&](Indices &indices) {
        for (LinearIndex &index : indices)
          index = index.replace(symbol, {});
      };
      drop(nest.at);
      drop(nest.reductionAt);
      drop(nest.reductionLoops);
      drop(nest.write.indices);
      for (Access &read : nest.reads)
        drop(read.indices);
      nest.loops.erase(&outer);
      hasChanged = true;
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Classes of loops
//===----------------------------------------------------------------------===//

namespace {
/// Puts the loops of a section into classes. Two loops are in one class if they
/// are the whole index of the same dim of a tensor that the section writes. A
/// dim that is accessed in any other way is unfit for tasks, and so is a
/// reduction loop; their classes are left out.
class LoopClasses {
public:
  LoopClasses(KernelPlan &plan, const Section &section);

  /// In the order of their first loops.
  std::vector<LoopClass> collect();

private:
  void addLoops(const LoopNest &nest);
  void addRead(const Access &read);
  ArrayRef<int> getDims(Value home);
  void tie(Value home, ArrayRef<LinearIndex> indices);

  KernelPlan &plan;
  const Section &section;
  llvm::EquivalenceClasses<int> same;
  /// A symbol for each dim of a tensor that the section writes; -1 for dims of
  /// one element.
  llvm::DenseMap<Value, SmallVector<int>> dimsOf;
  SmallVector<int> unfit;
};
} // namespace

LoopClasses::LoopClasses(KernelPlan &plan, const Section &section)
    : plan(plan), section(section) {
  for (int number : section.nests) {
    const LoopNest &nest = plan.nests[number];
    addLoops(nest);
    tie(nest.home, nest.write.indices);
  }
  for (int number : section.nests)
    for (const Access &read : plan.nests[number].reads)
      addRead(read);
}

void LoopClasses::addLoops(const LoopNest &nest) {
  for (const NestLoop &loop : nest.loops) {
    same.insert(loop.symbol);
    if (loop.isReduction)
      unfit.push_back(loop.symbol);
  }
}

void LoopClasses::addRead(const Access &read) {
  Value base;
  if (!read.tensor || !plan.getStrides(read.tensor, base) ||
      !dimsOf.contains(base))
    return;
  if (base == read.tensor)
    return tie(base, read.indices);
  tie(base, toReshaped(plan.symbols, getShape(base), getShape(read.tensor),
                       read.indices));
}

ArrayRef<int> LoopClasses::getDims(Value home) {
  auto [dims, isNew] = dimsOf.try_emplace(home);
  if (isNew)
    for (int64_t size : getShape(home))
      dims->second.push_back(size == 1 ? -1 : plan.symbols.addLoop(size));
  return dims->second;
}

/// `indices` are those of one access to `home`.
void LoopClasses::tie(Value home, ArrayRef<LinearIndex> indices) {
  const Symbols &symbols = plan.symbols;
  for (auto [dim, index] : llvm::zip(getDims(home), indices)) {
    if (dim < 0)
      continue;
    int symbol = index.asSymbol();
    bool isWhole = symbol >= 0 && symbols[symbol].kind == Symbols::Kind::Loop &&
                   symbols[symbol].range.max == symbols[dim].range.max;
    same.insert(dim);
    if (isWhole)
      same.unionSets(dim, symbol);
    else
      unfit.push_back(dim);
  }
}

std::vector<LoopClass> LoopClasses::collect() {
  std::map<int, LoopClass> byLeader;
  SmallVector<int> order;
  for (int number : section.nests)
    for (const NestLoop &loop : plan.nests[number].loops) {
      int leader = same.getLeaderValue(loop.symbol);
      if (byLeader[leader].members.empty())
        order.push_back(leader);
      byLeader[leader].members.push_back({number, loop.symbol});
      byLeader[leader].size = loop.size;
    }
  for (int symbol : unfit)
    byLeader.erase(same.getLeaderValue(symbol));
  std::vector<LoopClass> classes;
  for (int leader : order)
    if (auto it = byLeader.find(leader); it != byLeader.end())
      classes.push_back(std::move(it->second));
  return classes;
}

/// Whether each nest has exactly one loop of the class, and writes a
/// different part in each of its iterations.
bool TaskPlanner::isCandidate(const Section &section,
                              const LoopClass &found) const {
  if (found.members.size() != section.nests.size() || found.size <= 1)
    return false;
  for (auto [expected, member] : llvm::zip(section.nests, found.members)) {
    const LoopNest &nest = plan.nests[expected];
    int symbol = member.second, dims = 0;
    for (const LinearIndex &index : nest.write.indices) {
      dims += index.getCoefficient(symbol) != 0;
      if (nest.accumulates && index.getCoefficient(symbol) != 0 &&
          index.asSymbol() != symbol)
        return false;
    }
    if (expected != member.first || dims != 1)
      return false;
  }
  return true;
}

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

//===----------------------------------------------------------------------===//
// Task dims
//===----------------------------------------------------------------------===//

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
  std::vector<LoopClass> classes;
  for (LoopClass &found : LoopClasses(plan, section).collect())
    if (isCandidate(section, found)) {
      describe(found);
      classes.push_back(std::move(found));
    }
  // What moves farthest in memory comes first.
  auto getStepOf = [&](const LoopClass &found) {
    const LoopNest &nest = plan.nests[found.members.back().first];
    return getStep(plan, nest.write, found.members.back().second);
  };
  llvm::stable_sort(classes, [&](const LoopClass &a, const LoopClass &b) {
    return getStepOf(a) > getStepOf(b);
  });
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
      cut(section, *found, block);
}

/// Makes a task dim of the class. Each of its loops is reduced to one block of
/// iterations, and removed if a block is one iteration.
void TaskPlanner::cut(Section &section, const LoopClass &found, int64_t block) {
  TaskDim dim{0, found.size, block};
  dim.symbol = plan.symbols.addLoop((dim.getBlocks() - 1) * block + 1);
  bool isCut = found.size % block != 0;
  for (auto [number, symbol] : found.members) {
    LoopNest &nest = plan.nests[number];
    LinearIndex whole = LinearIndex::ofSymbol(dim.symbol);
    NestLoop *loop = nest.findLoop(symbol);
    if (block == 1) {
      nest.loops.erase(loop);
    } else {
      whole = whole.plus(LinearIndex::ofSymbol(symbol));
      loop->size = block;
      loop->cutBy = isCut ? static_cast<int>(section.dims.size()) : -1;
      plan.symbols.resizeLoop(symbol, block);
    }
    auto move = [&, from = symbol](Indices &indices) {
      for (LinearIndex &index : indices)
        index = index.replace(from, whole);
    };
    move(nest.at);
    move(nest.reductionAt);
    if (nest.unrolled == symbol && block == 1)
      nest.unrolled = -1, nest.unroll = 1,
      nest.transposes = nest.interleaves = false;
    nest.unroll =
        nest.unrolled == symbol ? std::min(nest.unroll, block) : nest.unroll;
  }
  placeScratch(found, dim);
  for (auto [number, symbol] : found.members)
    for (LinearIndex &index : plan.nests[number].write.indices)
      index = index.replace(
          symbol, block == 1 ? LinearIndex::ofSymbol(dim.symbol)
                             : LinearIndex::ofSymbol(symbol).plus(
                                   LinearIndex::ofSymbol(dim.symbol)));
  section.dims.push_back(dim);
}

/// Makes the scratch of the section hold only one task's block of the dim.
void TaskPlanner::placeScratch(const LoopClass &found, const TaskDim &dim) {
  for (auto [number, symbol] : found.members) {
    LoopNest &nest = plan.nests[number];
    Home &home = plan.homes[nest.home];
    if (home.kind != Home::Kind::Scratch)
      continue;
    for (auto [d, index] : llvm::enumerate(nest.write.indices))
      if (index.getCoefficient(symbol) != 0)
        home.blocks[d] = {dim.symbol, dim.block};
  }
}

std::vector<Section> TaskPlanner::run() {
  std::vector<Section> sections = Together(plan).makeSections();
  for (Section &section : sections) {
    if (section.nests.size() == 1)
      collapse(plan.nests[section.nests.front()]);
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
