//===- Evaluations.cpp - Which nests evaluate which tensors -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Evaluations.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace weir::kernels;

Indices Evaluations::makeLoops(ArrayRef<int64_t> sizes) {
  Indices at;
  for (int64_t size : sizes)
    at.push_back(size == 1 ? LinearIndex()
                           : LinearIndex::ofSymbol(symbols.addLoop(size)));
  return at;
}

void Evaluations::note(ArrayRef<Access> reads, int number) {
  for (const Access &read : reads) {
    if (!read.tensor)
      continue;
    SmallVector<Need, 2> &known = needs[read.tensor];
    auto need = llvm::find_if(
        known, [&](const Need &need) { return need.nest == number; });
    if (need == known.end())
      need = &known.emplace_back(Need{number, {}});
    need->isConditional |= read.isConditional;
    if (!llvm::is_contained(need->places, read.indices))
      need->places.push_back(read.indices);
  }
}

void Evaluations::addNest(const KernelPlan &plan, const LoopNest &nest,
                          int number) {
  SmallVector<Access> reads;
  AccessWalk walk(plan, symbols, reads);
  walk.follows = false;
  auto generic = nest.source.getDefiningOp<linalg::GenericOp>();
  if (nest.accumulates || nest.scans) {
    walk.visitBody(generic, makeLoops(generic.getStaticLoopRanges()),
                   /*readsInit=*/nest.scans);
    return note(reads, number);
  }
  Indices at = makeLoops(nest.extents);
  loopCounts[number] = llvm::count_if(
      at, [](const LinearIndex &index) { return !index.terms.empty(); });
  if (nest.reduction)
    return noteReduction(plan, nest.reduction, at, number);
  walk.visitNest(nest, at);
  note(reads, number);
}

void Evaluations::expand(const KernelPlan &plan, Value tensor) {
  for (const Need &need : SmallVector<Need, 2>(getNeeds(tensor))) {
    SmallVector<Access> reads;
    AccessWalk walk(plan, symbols, reads);
    walk.follows = false;
    walk.isConditional = need.isConditional;
    for (const Indices &place : need.places)
      walk.visitDefinition(tensor, place);
    note(reads, need.nest);
  }
}

/// Whether the points of a nest correspond to the elements of `shape`, in any
/// order, if each point needs the element at `place`.
bool Evaluations::isEachPoint(ArrayRef<LinearIndex> place,
                              ArrayRef<int64_t> shape, int number) const {
  llvm::SmallSet<int, 4> covered;
  for (auto [index, size] : llvm::zip(place, shape)) {
    if (size == 1)
      continue;
    int symbol = index.asSymbol();
    if (symbol < 0 || symbols[symbol].kind != Symbols::Kind::Loop ||
        !covered.insert(symbol).second)
      return false;
  }
  return covered.size() == loopCounts.lookup(number);
}

void Evaluations::noteReduction(const KernelPlan &plan, linalg::GenericOp op,
                                ArrayRef<LinearIndex> place, int number) {
  SmallVector<int64_t> sizes;
  for (auto [kind, size] :
       llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction)
      sizes.push_back(size);
  SmallVector<Access> reads;
  AccessWalk walk(plan, symbols, reads);
  walk.follows = false;
  walk.visitBody(op, toLoops(op, place, makeLoops(sizes)), /*readsInit=*/true);
  note(reads, number);
}

bool Evaluations::fuse(const KernelPlan &plan, linalg::GenericOp op,
                       int number) {
  Value result = op->getResult(0);
  ArrayRef<Need> known = getNeeds(result);
  if (known.size() != 1 || known.front().places.size() != 1 ||
      known.front().isConditional)
    return false;
  Indices place = known.front().places.front();
  if (!isEachPoint(place, getShape(result), number))
    return false;
  noteReduction(plan, op, place, number);
  return true;
}

bool Evaluations::isWindow(Value tensor) const {
  return llvm::any_of(getNeeds(tensor), [&](const Need &need) {
    return llvm::any_of(need.places, [&](const Indices &place) {
      return llvm::any_of(place, [&](const LinearIndex &index) {
        return symbols.repeats(index);
      });
    });
  });
}
