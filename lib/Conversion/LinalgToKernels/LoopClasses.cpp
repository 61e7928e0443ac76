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

/// Whether `outer` and `inner` may become one loop. For that, in every access,
/// an iteration of `outer` must move as far as all iterations of `inner`
/// together.
static bool mayCollapse(const KernelPlan &plan, const LoopNest &nest,
                        const NestLoop &outer, const NestLoop &inner) {
  // If reduction loops were joined, the order in which elements are combined
  // would depend on the other ops of the kernel.
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
  return llvm::all_of(nest.getReads(), goesOn) && goesOn(nest.getWrite());
}

/// Makes one loop of `outer` and `inner` if the place of every access is
/// still a sum of loops. Indices inside of the nest may be quotients of the new
/// loop, so this is not known before.
static bool join(KernelPlan &plan, LoopNest &nest, int outer, int inner) {
  LoopNest joined = nest;
  joined.join(plan, outer, inner);
  auto staysStraight = [&](const Access &access) {
    return isStraight(plan, access, inner);
  };
  if (!joined.readsOneResult() ||
      !llvm::all_of(joined.getReads(), staysStraight) ||
      !staysStraight(joined.getWrite())) {
    plan.symbols.resizeLoop(inner, nest.findLoop(inner)->size);
    return false;
  }
  nest = std::move(joined);
  return true;
}

/// Joins two loops of `nest`, if any two can be joined. Returns whether it has
/// joined any.
static bool joinAny(KernelPlan &plan, LoopNest &nest) {
  for (const NestLoop &outer : nest.getLoops())
    for (const NestLoop &inner : nest.getLoops())
      if (&inner != &outer && mayCollapse(plan, nest, outer, inner) &&
          join(plan, nest, outer.symbol, inner.symbol))
        return true;
  return false;
}

void kernels::collapse(KernelPlan &plan, LoopNest &nest) {
  while (!nest.accumulates() && joinAny(plan, nest)) {
  }
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// Puts the loops of a section into classes. Two loops are in one class if they
/// are the whole index of the same dim of a tensor that the section writes. A
/// dim that is accessed in any other way is unfit for tasks, and so is a
/// reduction loop. The classes of such dims and loops are left out.
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
  for (const LoopNest &nest : section.nests) {
    addLoops(nest);
    tie(nest.getHome(), nest.getWrite().indices);
  }
  for (const LoopNest &nest : section.nests)
    for (const Access &read : nest.getReads())
      addRead(read);
}

void LoopClasses::addLoops(const LoopNest &nest) {
  for (const NestLoop &loop : nest.getLoops()) {
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

/// Ties the loops of the dims of `home` to `indices`, the indices of one access
/// to `home`.
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
  for (auto [number, nest] : llvm::enumerate(section.nests))
    for (const NestLoop &loop : nest.getLoops()) {
      int leader = same.getLeaderValue(loop.symbol);
      if (byLeader[leader].members.empty())
        order.push_back(leader);
      byLeader[leader].members.push_back({number, loop.symbol});
      byLeader[leader].size = loop.size;
      byLeader[leader].step = getStep(plan, nest.getWrite(), loop.symbol);
    }
  for (int symbol : unfit)
    byLeader.erase(same.getLeaderValue(symbol));
  std::vector<LoopClass> classes;
  for (int leader : order)
    if (auto it = byLeader.find(leader); it != byLeader.end())
      classes.push_back(std::move(it->second));
  return classes;
}

/// Whether each nest has exactly one loop of the class, and each iteration of
/// this loop writes a different part.
static bool isCandidate(const Section &section, const LoopClass &found) {
  if (found.members.size() != section.nests.size() || found.size <= 1)
    return false;
  for (auto [number, nest] : llvm::enumerate(section.nests)) {
    auto [member, symbol] = found.members[number];
    int dims = 0;
    for (const LinearIndex &index : nest.getWrite().indices) {
      dims += index.getCoefficient(symbol) != 0;
      if (nest.accumulates() && index.getCoefficient(symbol) != 0 &&
          index.asSymbol() != symbol)
        return false;
    }
    if (member != number || dims != 1)
      return false;
  }
  return true;
}

std::vector<LoopClass> kernels::findClasses(KernelPlan &plan,
                                            const Section &section) {
  std::vector<LoopClass> classes = LoopClasses(plan, section).collect();
  llvm::erase_if(classes, [&](const LoopClass &found) {
    return !isCandidate(section, found);
  });
  // The class that moves farthest in memory comes first.
  llvm::stable_sort(classes, [&](const LoopClass &a, const LoopClass &b) {
    return a.step > b.step;
  });
  return classes;
}

bool kernels::isFolded(const KernelPlan &plan, const Section &section,
                       const LoopClass &found) {
  return llvm::any_of(found.members, [&](auto member) {
    auto [number, symbol] = member;
    return llvm::any_of(section.nests[number].getReads(),
                        [&, symbol = symbol](const Access &read) {
                          return isFolded(plan, read, symbol);
                        });
  });
}

//===----------------------------------------------------------------------===//
// Task dims
//===----------------------------------------------------------------------===//

/// Makes the scratch of the section hold only one task's block of the dim.
static void placeScratch(KernelPlan &plan, const Section &section,
                         const LoopClass &found, const TaskDim &dim) {
  for (auto [number, symbol] : found.members) {
    const LoopNest &nest = section.nests[number];
    Home &home = plan.homes[nest.getHome()];
    if (home.kind != Home::Kind::Scratch)
      continue;
    for (auto [d, index] : llvm::enumerate(nest.getWrite().indices))
      if (index.getCoefficient(symbol) != 0)
        home.blocks[d] = {dim.symbol, dim.block};
  }
}

void kernels::cut(KernelPlan &plan, Section &section, const LoopClass &found,
                  int64_t block) {
  TaskDim dim{0, found.size, block};
  dim.symbol = plan.symbols.addLoop((dim.getBlocks() - 1) * block + 1);
  placeScratch(plan, section, found, dim);
  for (auto [number, symbol] : found.members)
    section.nests[number].cut(plan, symbol, dim, section.dims.size());
  section.dims.push_back(dim);
}
