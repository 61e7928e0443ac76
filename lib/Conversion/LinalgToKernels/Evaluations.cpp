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

void Evaluations::note(ArrayRef<Access> reads, size_t number) {
  for (const Access &read : reads) {
    if (!read.tensor)
      continue;
    SmallVector<Need, 2> &known = needs[read.tensor];
    auto need = llvm::find_if(
        known, [&](const Need &need) { return need.assignment == number; });
    if (need == known.end())
      need = &known.emplace_back(Need{number, {}});
    need->isConditional |= read.isConditional;
    if (!llvm::is_contained(need->places, read.indices))
      need->places.push_back(read.indices);
  }
}

void Evaluations::add(const KernelPlan &plan, Assignment added) {
  const size_t number = assignments.size();
  const Assignment &assignment = assignments.emplace_back(std::move(added));
  linalg::GenericOp op = assignment.getOp();
  if (linalg::GenericOp reduction = assignment.getReduction())
    return noteReduction(plan, reduction, makeLoops(assignment.getExtents()),
                         number);
  AccessWalk walk(plan, symbols);
  walk.follows = false;
  if (assignment.hasOpLoops())
    walk.visitBody(op, makeLoops(op.getStaticLoopRanges()),
                   /*readsInit=*/assignment.scans());
  else
    walk.visitSource(assignment, makeLoops(assignment.getExtents()));
  note(walk.reads.accesses, number);
}

void Evaluations::expand(const KernelPlan &plan, Value tensor) {
  for (const Need &need : SmallVector<Need, 2>(getNeeds(tensor))) {
    AccessWalk walk(plan, symbols);
    walk.follows = false;
    walk.isConditional = need.isConditional;
    for (const Indices &place : need.places)
      walk.visitDefinition(tensor, place);
    note(walk.reads.accesses, need.assignment);
  }
}

/// Whether the points of `assignment` correspond to the elements of `tensor`,
/// in any order, if each point needs the element at `place`.
bool Evaluations::isEachPoint(ArrayRef<LinearIndex> place, Value tensor,
                              const Assignment &assignment) const {
  llvm::SmallSet<int, 4> covered;
  for (auto [index, size] : llvm::zip(place, getShape(tensor))) {
    if (size == 1)
      continue;
    int symbol = index.asSymbol();
    if (symbol < 0 || symbols[symbol].kind != Symbols::Kind::Loop ||
        !covered.insert(symbol).second)
      return false;
  }
  const auto loops = llvm::count_if(assignment.getExtents(),
                                    [](int64_t size) { return size != 1; });
  return covered.size() == static_cast<size_t>(loops) &&
         getNumElements(tensor) == getNumElements(assignment.getSource());
}

void Evaluations::noteReduction(const KernelPlan &plan, linalg::GenericOp op,
                                ArrayRef<LinearIndex> place, size_t number) {
  AccessWalk walk(plan, symbols);
  walk.follows = false;
  walk.visitBody(op, toLoops(op, place, makeLoops(getReductionSizes(op))),
                 /*readsInit=*/true);
  note(walk.reads.accesses, number);
}

bool Evaluations::fuse(const KernelPlan &plan, linalg::GenericOp op) {
  Value result = op->getResult(0);
  ArrayRef<Need> known = getNeeds(result);
  if (known.size() != 1 || known.front().places.size() != 1 ||
      known.front().isConditional)
    return false;
  const size_t number = known.front().assignment;
  const Indices place = known.front().places.front();
  Assignment &reader = assignments[number];
  if (reader.getOp() || !isEachPoint(place, result, reader))
    return false;
  noteReduction(plan, op, place, number);
  reader = reader.fuse(op);
  return true;
}

int64_t Evaluations::count(Value tensor) const {
  int64_t count = 0;
  for (const Need &need : getNeeds(tensor))
    count += assignments[need.assignment].getPoints() *
             static_cast<int64_t>(need.places.size());
  return count;
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
