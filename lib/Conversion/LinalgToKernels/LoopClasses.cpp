//===- LoopClasses.cpp - Loops that run through the same elements ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LoopClasses.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Collapsing
//===----------------------------------------------------------------------===//

/// Whether both loops may become one: in every access, an iteration of `outer`
/// moves as far as all iterations of `inner`.
static bool mayCollapse(const KernelPlan &plan, const LoopNest &nest,
                        const NestLoop &outer, const NestLoop &inner) {
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
    if (!isStraight(plan, access, outer.symbol) ||
        !isStraight(plan, access, inner.symbol))
      return false;
    return getStep(plan, access, outer.symbol) ==
           getStep(plan, access, inner.symbol) * inner.size;
  };
  return llvm::all_of(nest.reads, goesOn) && goesOn(nest.write);
}

/// Makes one loop of `outer` and `inner` if the place of every access is
/// still a sum of loops. The inner loop gets the product of the sizes, and the
/// outer one is removed. Indices inside of the nest may be quotients of the new
/// loop, so the accesses are collected anew before it is known.
static bool join(KernelPlan &plan, LoopNest &nest, int outer, int inner) {
  LoopNest joined = nest;
  NestLoop *loop = joined.findLoop(inner);
  const int64_t before = loop->size;
  loop->size *= joined.findLoop(outer)->size;
  plan.symbols.resizeLoop(inner, loop->size);
  joined.loops.erase(joined.findLoop(outer));
  plan.replaceLoop(joined, outer, {});
  auto staysStraight = [&](const Access &access) {
    return isStraight(plan, access, inner);
  };
  if (!llvm::all_of(joined.reads, staysStraight) ||
      !staysStraight(joined.write)) {
    plan.symbols.resizeLoop(inner, before);
    return false;
  }
  nest = std::move(joined);
  return true;
}

/// Joins any two loops of `nest`. Returns whether there were such.
static bool joinAny(KernelPlan &plan, LoopNest &nest) {
  for (const NestLoop &outer : nest.loops)
    for (const NestLoop &inner : nest.loops)
      if (&inner != &outer && mayCollapse(plan, nest, outer, inner) &&
          join(plan, nest, outer.symbol, inner.symbol))
        return true;
  return false;
}

void kernels::collapse(KernelPlan &plan, LoopNest &nest) {
  while (!nest.accumulates && joinAny(plan, nest)) {
  }
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// Puts the loops of a section into classes. Two loops are in one class if they
/// are the whole index of the same dim of a tensor that the section writes. A
/// dim that is accessed in any other way is unfit for tasks, and so is a
/// reduction loop; their classes are left out.
class LoopClasses {
public:
  LoopClasses(KernelPlan &plan, const Section &section);

  /// The classes in the order of their first loops.
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
static bool isCandidate(const KernelPlan &plan, const Section &section,
                        const LoopClass &found) {
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

std::vector<LoopClass> kernels::findClasses(KernelPlan &plan,
                                            const Section &section) {
  std::vector<LoopClass> classes = LoopClasses(plan, section).collect();
  llvm::erase_if(classes, [&](const LoopClass &found) {
    return !isCandidate(plan, section, found);
  });
  // What moves farthest in memory comes first.
  llvm::stable_sort(classes, [&](const LoopClass &a, const LoopClass &b) {
    return getStep(plan, a) > getStep(plan, b);
  });
  return classes;
}

int64_t kernels::getStep(const KernelPlan &plan, const LoopClass &found) {
  auto [number, symbol] = found.members.back();
  return getStep(plan, plan.nests[number].write, symbol);
}

//===----------------------------------------------------------------------===//
// Task dims
//===----------------------------------------------------------------------===//

/// Makes the scratch of the section hold only one task's block of the dim.
static void placeScratch(KernelPlan &plan, const LoopClass &found,
                         const TaskDim &dim) {
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

/// Makes a block of each loop of `nest` that is in the class, from the symbol
/// of `dim` on. A loop of one iteration is removed.
static void cutLoop(KernelPlan &plan, LoopNest &nest, int symbol,
                    const TaskDim &dim, int number) {
  LinearIndex whole = LinearIndex::ofSymbol(dim.symbol);
  NestLoop *loop = nest.findLoop(symbol);
  if (dim.block == 1) {
    nest.loops.erase(loop);
  } else {
    whole = whole.plus(LinearIndex::ofSymbol(symbol));
    loop->size = dim.block;
    plan.symbols.resizeLoop(symbol, dim.block);
    if (dim.size % dim.block != 0) {
      loop->cutBy = number;
      plan.symbols.setBlock(symbol, dim.symbol, dim.size);
    }
  }
  if (nest.unrolled == symbol) {
    nest.unroll = std::min(nest.unroll, dim.block);
    if (dim.block == 1) {
      nest.unrolled = -1;
      nest.transposes = nest.interleaves = false;
    }
  }
  plan.replaceLoop(nest, symbol, whole);
}

void kernels::cut(KernelPlan &plan, Section &section, const LoopClass &found,
                  int64_t block) {
  TaskDim dim{0, found.size, block};
  dim.symbol = plan.symbols.addLoop((dim.getBlocks() - 1) * block + 1);
  placeScratch(plan, found, dim);
  for (auto [number, symbol] : found.members)
    cutLoop(plan, plan.nests[number], symbol, dim,
            static_cast<int>(section.dims.size()));
  section.dims.push_back(dim);
}
