//===- LoopNest.cpp - What a nest computes, and its loops -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "KernelPlan.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

static int64_t multiply(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

Assignment::Assignment(Value home, Value source, ArrayRef<int64_t> offsets,
                       Kind kind, linalg::GenericOp op)
    : home(home), source(source), offsets(offsets),
      begins(getShape(source).size(), 0), extents(getShape(source)), kind(kind),
      op(op) {
  this->offsets.resize(getShape(home).size(), 0);
}

Assignment Assignment::fuse(linalg::GenericOp reduction) const {
  Assignment fused = *this;
  fused.kind = Kind::Reduction;
  fused.op = reduction;
  return fused;
}

Assignment Assignment::cutOut(size_t d, int64_t begin, int64_t end) const {
  Assignment part = *this;
  part.begins[d] = begin;
  part.extents[d] = end - begin;
  return part;
}

int64_t Assignment::getElements() const { return multiply(extents); }

int64_t Assignment::getPoints() const {
  linalg::GenericOp combined = op;
  if (accumulates())
    return multiply(combined.getStaticLoopRanges());
  if (Operation *reduction = getReduction())
    return getElements() *
           multiply(getReductionSizes(cast<linalg::GenericOp>(reduction)));
  return getElements();
}

bool Assignment::isDisjoint(const Assignment &other) const {
  for (size_t d = 0; d < offsets.size(); ++d) {
    int64_t begin = offsets[d] + begins[d];
    int64_t otherBegin = other.offsets[d] + other.begins[d];
    if (begin + extents[d] <= otherBegin ||
        otherBegin + other.extents[d] <= begin)
      return true;
  }
  return false;
}

SmallVector<int64_t> kernels::getReductionSizes(linalg::GenericOp op) {
  SmallVector<int64_t> sizes;
  for (auto [kind, size] :
       llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction)
      sizes.push_back(size);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LoopNest::LoopNest(Assignment assignment, KernelPlan &plan)
    : Assignment(std::move(assignment)) {
  addLoops(plan.symbols);
  findAccesses(plan);
}

const NestLoop *LoopNest::findLoop(int symbol) const {
  const auto *loop = llvm::find_if(
      loops, [&](const NestLoop &loop) { return loop.symbol == symbol; });
  return loop == loops.end() ? nullptr : loop;
}

/// The index of a new loop; none is needed for one iteration.
LinearIndex LoopNest::addLoop(Symbols &symbols, int64_t size,
                              bool isReduction) {
  if (size == 1)
    return {};
  loops.push_back({symbols.addLoop(size), size, isReduction});
  return LinearIndex::ofSymbol(loops.back().symbol);
}

void LoopNest::addLoops(Symbols &symbols) {
  linalg::GenericOp op = getOp();
  if (hasOpLoops()) {
    for (auto [kind, size] :
         llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
      indices.push_back(addLoop(
          symbols, size, scans() && kind == utils::IteratorType::reduction));
    return;
  }
  for (auto [begin, extent] : llvm::zip(getBegins(), getExtents()))
    indices.push_back(addLoop(symbols, extent, false).plus(begin));
  if (op)
    for (int64_t size : getReductionSizes(op))
      reductionLoops.push_back(addLoop(symbols, size, true));
}

void LoopNest::replace(KernelPlan &plan, int symbol, const LinearIndex &by) {
  for (Indices *changed : {&indices, &reductionLoops})
    for (LinearIndex &index : *changed)
      index = index.replace(symbol, by);
  findAccesses(plan);
}

NestLoop &LoopNest::getLoop(int symbol) {
  return *llvm::find_if(
      loops, [&](const NestLoop &loop) { return loop.symbol == symbol; });
}

void LoopNest::join(KernelPlan &plan, int outer, int inner) {
  getLoop(inner).size *= getLoop(outer).size;
  plan.symbols.resizeLoop(inner, getLoop(inner).size);
  loops.erase(&getLoop(outer));
  replace(plan, outer, {});
}

void LoopNest::cut(KernelPlan &plan, int symbol, const TaskDim &dim,
                   size_t number) {
  LinearIndex whole = LinearIndex::ofSymbol(dim.symbol);
  NestLoop &loop = getLoop(symbol);
  if (dim.block == 1) {
    loops.erase(&loop);
  } else {
    whole = whole.plus(LinearIndex::ofSymbol(symbol));
    loop.size = dim.block;
    plan.symbols.resizeLoop(symbol, dim.block);
    if (dim.size % dim.block != 0) {
      loop.cutBy = number;
      plan.symbols.setBlock(symbol, {dim.symbol, dim.size});
    }
  }
  replace(plan, symbol, whole);
}

void LoopNest::rename(KernelPlan &plan, int symbol, int name) {
  getLoop(symbol).symbol = name;
  replace(plan, symbol, LinearIndex::ofSymbol(name));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void LoopNest::findAccesses(KernelPlan &plan) {
  AccessWalk walk(plan, plan.symbols);
  linalg::GenericOp op = getOp();
  write = {getHome(), {}};
  if (hasOpLoops()) {
    walk.visitBody(op, indices, /*readsInit=*/scans());
    write.indices = applyMap(getMap(op, *op.getDpsInitOperand(0)), indices);
  } else {
    for (auto [index, offset] : llvm::zip(indices, getOffsets()))
      write.indices.push_back(index.plus(offset));
    walk.stop = op;
    walk.visitSource(*this, indices);
    if (op)
      findReductionReads(walk);
  }
  reads = std::move(walk.reads);
}

/// Replaces the reduction's result among the reads by the elements that the
/// reduction reads.
void LoopNest::findReductionReads(AccessWalk &walk) {
  linalg::GenericOp op = getReduction();
  auto isResult = [&](const Access &read) {
    return read.tensor && read.tensor.getDefiningOp() == op;
  };
  auto &accesses = walk.reads.accesses;
  const Access *result = llvm::find_if(accesses, isResult);
  assert(result != accesses.end() && "a nest reads its reduction");
  reductionResult = result->indices;
  hasOneResult = llvm::count_if(accesses, isResult) == 1;
  llvm::erase_if(accesses, isResult);
  walk.visitBody(op, toLoops(op, reductionResult, reductionLoops),
                 /*readsInit=*/true);
}
