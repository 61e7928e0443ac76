//===- NestEmitter.cpp - Emits the loops of a nest --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

#include "Combiners.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The number of accumulators that hide the latency of an addition, and the
/// number of accumulators that fit in registers together with the operands.
static constexpr int64_t laneAccumulators = 4, mostAccumulators = 16;

/// The most terms that are added to one running value, one after the other.
static constexpr int64_t mostTerms = 64;

NestEmitter::NestEmitter(PointEmitter &point, const ScheduledNest &nest,
                         ArrayRef<Value> ends)
    : point(point), code(point.code), lanes(point.lanes), nest(nest),
      ends(ends) {
  lanes.set(nest.schedule.lanes);
  for (const NestLoop &loop : nest.getLoops())
    if (!nest.isLane(loop.symbol))
      (loop.isReduction ? reductions : outer).push_back(loop);
  auto getStepOf = [&](const NestLoop &loop) {
    // The loop of rows is directly around the vectors.
    return isOfRows(loop) ? -1
                          : getStep(point.plan, nest.getWrite(), loop.symbol);
  };
  if (!nest.accumulates())
    llvm::stable_sort(outer, [&](const NestLoop &a, const NestLoop &b) {
      return getStepOf(a) > getStepOf(b);
    });
  if (linalg::GenericOp reduction = nest.getReduction())
    addition = dyn_cast_or_null<arith::AddFOp>(findCombiner(reduction));
}

bool NestEmitter::isOfRows(const NestLoop &loop) const {
  return nest.schedule.rows && nest.schedule.rows->loop == loop.symbol;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value NestEmitter::getEnd(const NestLoop &loop) {
  if (loop.cutBy && ends[*loop.cutBy])
    return ends[*loop.cutBy];
  return code.constantIndex(loop.size);
}

Value NestEmitter::roundDown(const NestLoop &loop, Value end, int64_t step) {
  if (!loop.cutBy)
    return code.constantIndex(loop.size - loop.size % step);
  Value rest = code.make<arith::RemUIOp>(end, code.constantIndex(step));
  return code.make<arith::SubIOp>(end, rest);
}

/// Emits `body` where all values of the loop `symbol` end `count` earlier.
void NestEmitter::emitShortened(int symbol, int64_t count, Body body) {
  code.symbols.shortenLoop(symbol, count);
  body();
  code.symbols.shortenLoop(symbol, -count);
}

void NestEmitter::emitLoop(int symbol, Value begin, Value end, int64_t step,
                           Body body) {
  auto loop = code.make<scf::ForOp>(begin, end, code.constantIndex(step));
  code.enter(loop.getBody(), symbol, loop.getInductionVar());
  body();
  code.leave();
}

NestEmitter::Values
NestEmitter::emitCarrying(int symbol, Value begin, Value end, int64_t step,
                          Values running,
                          llvm::function_ref<Values(Values)> body) {
  auto loop = code.make<scf::ForOp>(begin, end, code.constantIndex(step),
                                    ValueRange(running));
  code.enter(loop.getBody(), symbol, loop.getInductionVar());
  Values next = body(llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  code.make<scf::YieldOp>(next);
  code.leave();
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Emits a loop. Each iteration adds `terms` terms to the running values that
/// `body` is given. A sum of many terms is computed as a sum of sums of few
/// terms, and each of these starts from zero. So rounding errors grow with the
/// logarithm of the number of terms (Higham, 1993: The accuracy of floating
/// point summation).
NestEmitter::Values
NestEmitter::emitCombining(const LoopRange &range, int64_t terms,
                           Values running,
                           llvm::function_ref<Values(Values)> body) {
  const int64_t turns = llvm::divideCeil(range.size, range.step);
  if (!addition || turns <= 1 || turns * terms <= mostTerms)
    return emitCarrying(range.symbol, range.begin, range.end, range.step,
                        std::move(running), body);
  int64_t block = std::max<int64_t>(1, mostTerms / terms);
  while (block * mostTerms < turns)
    block *= mostTerms;
  const int64_t step = block * range.step;
  auto addBlock = [&](Values sums) {
    Value zero = code.make<arith::ConstantOp>(getIdentity(addition));
    if (nest.schedule.lanes)
      zero = lanes.splat(zero);
    Values added(sums.size(), zero);
    if (block == 1) {
      added = body(std::move(added));
    } else {
      Value begin = code.emitIndex(LinearIndex::ofSymbol(range.symbol));
      Value next = code.make<arith::AddIOp>(begin, code.constantIndex(step));
      Value end = code.make<arith::MinUIOp>(next, range.end);
      added = emitCombining({range.symbol, begin, end, step, range.step}, terms,
                            std::move(added), body);
    }
    for (auto [sum, value] : llvm::zip_equal(sums, added))
      sum = kernels::combine(code.builder, addition, sum, value);
    return sums;
  };
  return emitCarrying(range.symbol, range.begin, range.end, step,
                      std::move(running), addBlock);
}

void NestEmitter::emit() { emitOuter(0); }

void NestEmitter::emitAt(ArrayRef<int> bound, const Mask &mask) {
  llvm::erase_if(outer, [&](const NestLoop &loop) {
    return llvm::is_contained(bound, loop.symbol);
  });
  if (outer.empty())
    return emitBlock(1, mask);
  assert(!nest.schedule.lanes && "loops around vectors have values");
  emitOuter(0);
}

void NestEmitter::emitOuter(size_t number) {
  if (number == outer.size())
    return emitVectors();
  const NestLoop &loop = outer[number];
  if (isOfRows(loop))
    return emitRows(loop, number);
  emitLoop(loop.symbol, code.constantIndex(0), getEnd(loop), 1,
           [&] { emitOuter(number + 1); });
}

/// The places of the reads that move by one element from one iteration of
/// `loop` to the next.
SmallVector<Place> NestEmitter::findBlocks(const NestLoop &loop) const {
  const KernelPlan &plan = point.plan;
  SmallVector<Place> blocks;
  for (const Access &read : nest.getReads())
    if (read.tensor && !read.isConditional &&
        isStraight(plan, read, loop.symbol) &&
        getStep(plan, read, loop.symbol) == 1)
      blocks.push_back(point.getPlace(read.tensor, read.indices));
  return blocks;
}

/// Emits several iterations of `loop` together, and the remaining iterations
/// one by one.
void NestEmitter::emitRows(const NestLoop &loop, size_t number) {
  Value end = getEnd(loop);
  const int64_t count = std::min(nest.schedule.rows->count, loop.size);
  Value middle = roundDown(loop, end, count);
  rows = count;
  if (nest.schedule.rows->order == Rows::Order::Transposed)
    point.memory.setRows(rows, findBlocks(loop));
  else
    point.memory.setRows(rows);
  if (loop.cutBy || loop.size >= count)
    emitShortened(loop.symbol, count - 1, [&] {
      emitLoop(loop.symbol, code.constantIndex(0), middle, count,
               [&] { emitOuter(number + 1); });
    });
  rows = 1;
  point.memory.setRows(rows);
  if (loop.cutBy || loop.size % count != 0)
    emitLoop(loop.symbol, middle, end, 1, [&] { emitOuter(number + 1); });
}

/// Emits the vectorised loop: whole vectors, then a partial one.
void NestEmitter::emitVectors() {
  if (!nest.schedule.lanes)
    return emitBlock(1, {});
  if (nest.isReductionLane())
    return emitLaneReduction();
  const NestLoop &loop = *nest.findLaneLoop();
  const int64_t width = nest.schedule.lanes->count;
  int64_t vectors = 1;
  if (nest.getReduction() || nest.scans())
    while (vectors < 4 && 2 * vectors * rows <= mostAccumulators &&
           2 * vectors * width <= loop.size)
      vectors *= 2;
  Value end = getEnd(loop), begin = code.constantIndex(0);
  if (vectors > 1) {
    Value middle = roundDown(loop, end, vectors * width);
    emitShortened(loop.symbol, (vectors - 1) * width, [&] {
      emitLoop(loop.symbol, begin, middle, vectors * width,
               [&] { emitBlock(vectors, {}); });
    });
    begin = middle;
  }
  bool isCut = loop.cutBy.has_value();
  if (isCut || loop.size % (vectors * width) >= width || vectors == 1) {
    Value middle = roundDown(loop, end, width);
    if (isCut || loop.size >= width)
      emitLoop(loop.symbol, begin, middle, width, [&] { emitBlock(1, {}); });
    begin = middle;
  } else {
    begin = roundDown(loop, end, width);
  }
  if (isCut || loop.size % width != 0)
    emitLoop(loop.symbol, begin, end, width, [&] {
      Value first = code.emitIndex(LinearIndex::ofSymbol(loop.symbol));
      emitBlock(1, lanes.maskLast(code.make<arith::SubIOp>(end, first)));
    });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Indices NestEmitter::shifted(ArrayRef<LinearIndex> at, int64_t row,
                             int64_t vector) const {
  Indices result(at);
  for (LinearIndex &index : result) {
    if (nest.schedule.rows)
      index = code.symbols.advance(index, nest.schedule.rows->loop, row);
    if (const auto &along = nest.schedule.lanes)
      index = code.symbols.advance(index, along->loop, vector * along->count);
  }
  return result;
}

void NestEmitter::emitBlock(int64_t vectors, const Mask &mask) {
  if (nest.getReduction())
    return emitReduction(vectors, mask);
  if (nest.scans())
    return emitScan(vectors, mask);
  if (rows > 1 && nest.schedule.rows->order == Rows::Order::Interleaved)
    return emitInterleaved(mask);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector)
      emitElement(row, vector, mask);
}

/// Emits all rows, whose elements are interleaved in memory.
void NestEmitter::emitInterleaved(const Mask &mask) {
  Values values;
  for (int64_t row = 0; row < rows; ++row)
    values.push_back(computeSource(row, 0, mask));
  point.memory.storeInterleaved(
      point.getPlace(nest.getHome(), nest.getWrite().indices),
      std::move(values), mask);
}

Value NestEmitter::computeSource(int64_t row, int64_t vector,
                                 const Mask &mask) {
  point.memory.selectRow(row);
  Indices at = shifted(nest.getIndices(), row, vector);
  return point.evaluate(nest, at, mask);
}

void NestEmitter::emitElement(int64_t row, int64_t vector, const Mask &mask) {
  Indices write = shifted(nest.getWrite().indices, row, vector);
  Value value;
  if (nest.accumulates()) {
    value =
        point.computeBody(nest.getOp(), shifted(nest.getIndices(), row, vector),
                          mask, point.load(nest.getHome(), write, mask));
  } else {
    value = computeSource(row, vector, mask);
  }
  point.store(nest.getHome(), write, value, mask);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value NestEmitter::getStart(int64_t row, int64_t vector, const Mask &mask) {
  linalg::GenericOp op = nest.getReduction();
  OpOperand &init = *op.getDpsInitOperand(0);
  Indices loops = toLoops(op, shifted(nest.getReductionResult(), row, vector));
  return point.read(init.get(), applyMap(getMap(op, init), loops), mask);
}

Value NestEmitter::addPoint(int64_t row, int64_t vector, const Mask &mask,
                            Value running) {
  point.memory.selectRow(row);
  Indices loops = toLoops(nest.getReduction(),
                          shifted(nest.getReductionResult(), row, vector),
                          shifted(nest.getReductionLoops(), row, vector));
  return point.computeBody(nest.getReduction(), loops, mask, running);
}

/// Emits the reduction loops from `number` on. `innermost` adds `terms` terms.
NestEmitter::Values
NestEmitter::emitReductionLoops(size_t number, int64_t terms, Values running,
                                llvm::function_ref<Values(Values)> innermost) {
  if (number == reductions.size())
    return innermost(std::move(running));
  const NestLoop &loop = reductions[number];
  int64_t termsInside = terms;
  for (const NestLoop &inner : ArrayRef(reductions).drop_front(number + 1))
    termsInside *= inner.size;
  return emitCombining({loop.symbol, code.constantIndex(0),
                        code.constantIndex(loop.size), loop.size, /*step=*/1},
                       termsInside, std::move(running), [&](Values inner) {
                         return emitReductionLoops(number + 1, terms,
                                                   std::move(inner), innermost);
                       });
}

/// Emits a block of results, each with its own running value.
void NestEmitter::emitReduction(int64_t vectors, const Mask &mask) {
  Values running;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value start = getStart(row, vector, mask);
      running.push_back(nest.schedule.lanes ? lanes.splat(start) : start);
    }
  running =
      emitReductionLoops(0, /*terms=*/1, std::move(running), [&](Values now) {
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t vector = 0; vector < vectors; ++vector) {
            Value &value = now[row * vectors + vector];
            value = addPoint(row, vector, mask, value);
          }
        return now;
      });
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value value = running[row * vectors + vector];
      if (nest.getSource() != nest.getReduction()->getResult(0)) {
        code.remember(nest.getReduction()->getResult(0),
                      shifted(nest.getReductionResult(), row, vector), mask,
                      value);
        value = computeSource(row, vector, mask);
      }
      point.store(nest.getHome(), shifted(nest.getWrite().indices, row, vector),
                  value, mask);
    }
}

/// Emits a block of lines. Each line has its own running value, which is stored
/// at each point.
void NestEmitter::emitScan(int64_t vectors, const Mask &mask) {
  linalg::GenericOp op = nest.getOp();
  auto forEach = [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        visit(row, vector);
  };
  Values running;
  forEach([&](int64_t row, int64_t vector) {
    OpOperand &init = getStartOperand(op);
    Value start = point.read(
        init.get(),
        applyMap(getMap(op, init), shifted(nest.getIndices(), row, vector)),
        mask);
    running.push_back(nest.schedule.lanes ? lanes.splat(start) : start);
  });
  emitReductionLoops(0, /*terms=*/1, std::move(running), [&](Values now) {
    forEach([&](int64_t row, int64_t vector) {
      Value &value = now[row * vectors + vector];
      Value taken = point.computeBody(
          op, shifted(nest.getIndices(), row, vector), mask, value, &value);
      point.store(nest.getHome(), shifted(nest.getWrite().indices, row, vector),
                  taken, mask);
    });
    return now;
  });
}

/// Emits one result. Partial results in lanes are combined at the end, in an
/// order that depends only on the number of lanes and the size of the loop.
void NestEmitter::emitLaneReduction() {
  Operation *combiner = findCombiner(nest.getReduction());
  Value identity = code.make<arith::ConstantOp>(getIdentity(combiner));
  const int64_t size = nest.findLaneLoop()->size;
  const int64_t width = nest.schedule.lanes->count;
  int64_t count = std::clamp<int64_t>(size / width, 1, laneAccumulators);
  Values running(count, lanes.splat(identity));
  running = emitReductionLoops(
      0, llvm::divideCeil(size, count * width), std::move(running),
      [&](Values now) { return emitLaneLoop(std::move(now)); });
  Value value = kernels::combine(code.builder, combiner, getStart(0, 0, {}),
                                 combineLanes(std::move(running)));
  if (nest.getSource() != nest.getReduction()->getResult(0)) {
    code.remember(nest.getReduction()->getResult(0), nest.getReductionResult(),
                  {}, value);
    value = computeSource(0, 0, {});
  }
  point.store(nest.getHome(), nest.getWrite().indices, value, {});
}

NestEmitter::Values NestEmitter::emitLaneLoop(Values running) {
  const NestLoop &loop = *nest.findLaneLoop();
  const int64_t width = nest.schedule.lanes->count;
  const auto count = static_cast<int64_t>(running.size());
  Value end = getEnd(loop), begin = code.constantIndex(0);
  for (int64_t vectors : {count, int64_t(1)}) {
    if (vectors == 1 && count > 1 && loop.size % (count * width) < width)
      continue;
    if (loop.size < vectors * width)
      continue;
    Value middle = roundDown(loop, end, vectors * width);
    const LoopRange range{loop.symbol, begin, middle,
                          vectors == count ? loop.size : count * width,
                          vectors * width};
    emitShortened(loop.symbol, (vectors - 1) * width, [&] {
      running = emitCombining(range, /*terms=*/1, std::move(running),
                              [&](Values now) {
                                for (int64_t v = 0; v < vectors; ++v)
                                  now[v] = addPoint(0, v, {}, now[v]);
                                return now;
                              });
    });
    begin = middle;
    if (count == 1)
      break;
  }
  if (loop.size % width == 0)
    return running;
  begin = roundDown(loop, end, width);
  return emitCarrying(
      loop.symbol, begin, end, width, std::move(running), [&](Values now) {
        Value first = code.emitIndex(LinearIndex::ofSymbol(loop.symbol));
        Mask mask = lanes.maskLast(code.make<arith::SubIOp>(end, first));
        Value next = addPoint(0, 0, mask, now[0]);
        now[0] = code.make<arith::SelectOp>(mask.value, next, now[0]);
        return now;
      });
}

/// Combines halves until one element is left.
Value NestEmitter::combineLanes(Values running) {
  Operation *combiner = findCombiner(nest.getReduction());
  for (size_t half = llvm::PowerOf2Ceil(running.size()) / 2; half >= 1;
       half /= 2)
    for (size_t i = 0; i + half < running.size() && i < half; ++i)
      running[i] = kernels::combine(code.builder, combiner, running[i],
                                    running[i + half]);
  Value vector = running[0];
  for (int64_t width = nest.schedule.lanes->count; width > 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + width / 2);
    }
    Value left = code.make<vector::ShuffleOp>(vector, vector, low);
    Value right = code.make<vector::ShuffleOp>(vector, vector, high);
    vector = kernels::combine(code.builder, combiner, left, right);
  }
  return code.make<vector::ExtractOp>(vector, ArrayRef<int64_t>{0});
}
