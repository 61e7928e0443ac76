//===- StageEmitter.cpp - Emits the loops of a stage ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StageEmitter.h"

#include "Combiners.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The number of accumulators that hides the latency of an addition, and the
/// number that fits in registers together with the operands.
static constexpr int64_t laneAccumulators = 4, mostAccumulators = 16;

StageEmitter::StageEmitter(PointEmitter &point, Stage &stage,
                           ArrayRef<Value> ends)
    : point(point), stage(stage), ends(ends) {
  point.lane = stage.lane;
  point.lanes = stage.lanes;
  for (const StageLoop &loop : stage.loops)
    if (loop.symbol != stage.lane)
      (loop.isReduction ? reductions : outer).push_back(loop);
  auto getStepOf = [&](const StageLoop &loop) {
    int64_t step = getStep(point.plan, stage.write, loop.symbol);
    // The unrolled loop is directly around the vectors.
    return loop.symbol == stage.unrolled ? -1 : step;
  };
  if (!stage.accumulates)
    llvm::stable_sort(outer, [&](const StageLoop &a, const StageLoop &b) {
      return getStepOf(a) > getStepOf(b);
    });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value StageEmitter::getEnd(const StageLoop &loop) {
  if (loop.cutBy >= 0 && ends[loop.cutBy])
    return ends[loop.cutBy];
  return point.constantIndex(loop.size);
}

Value StageEmitter::roundDown(const StageLoop &loop, Value end, int64_t step) {
  if (loop.cutBy < 0)
    return point.constantIndex(loop.size - loop.size % step);
  Value rest = point.make<arith::RemUIOp>(end, point.constantIndex(step));
  return point.make<arith::SubIOp>(end, rest);
}

void StageEmitter::emitLoop(int symbol, Value begin, Value end, int64_t step,
                            Body body) {
  auto loop = point.make<scf::ForOp>(begin, end, point.constantIndex(step));
  point.enter(loop.getBody(), symbol, loop.getInductionVar());
  body();
  point.leave();
}

StageEmitter::Values
StageEmitter::emitCarrying(int symbol, Value begin, Value end, int64_t step,
                           Values running,
                           llvm::function_ref<Values(Values)> body) {
  auto loop = point.make<scf::ForOp>(begin, end, point.constantIndex(step),
                                     ValueRange(running));
  point.enter(loop.getBody(), symbol, loop.getInductionVar());
  Values next = body(llvm::to_vector_of<Value>(loop.getRegionIterArgs()));
  point.make<scf::YieldOp>(next);
  point.leave();
  return llvm::to_vector_of<Value>(loop.getResults());
}

void StageEmitter::emit() { emitOuter(0); }

void StageEmitter::emitOuter(size_t number) {
  if (number == outer.size())
    return emitVectors();
  const StageLoop &loop = outer[number];
  if (loop.symbol == stage.unrolled && stage.unroll > 1)
    return emitRows(loop, number);
  emitLoop(loop.symbol, point.constantIndex(0), getEnd(loop), 1,
           [&] { emitOuter(number + 1); });
}

/// Emits several iterations of `loop` together, and the remaining ones one by
/// one.
void StageEmitter::emitRows(const StageLoop &loop, size_t number) {
  Value end = getEnd(loop);
  Value middle = roundDown(loop, end, stage.unroll);
  rows = point.height = stage.unroll;
  point.transposed = stage.transposes ? loop.symbol : -1;
  if (loop.cutBy >= 0 || loop.size >= stage.unroll)
    emitLoop(loop.symbol, point.constantIndex(0), middle, stage.unroll,
             [&] { emitOuter(number + 1); });
  rows = point.height = 1;
  point.transposed = -1;
  if (loop.cutBy >= 0 || loop.size % stage.unroll != 0)
    emitLoop(loop.symbol, middle, end, 1, [&] { emitOuter(number + 1); });
}

Mask StageEmitter::makeMask(Value used) {
  point.usedLanes = used;
  auto type = cast<VectorType>(point.toVector(point.builder.getI1Type()));
  point.lastMask = point.make<vector::CreateMaskOp>(type, ValueRange(used));
  return {point.lastMask, point.getDepth()};
}

/// Emits the vectorised loop: whole vectors, then a partial one.
void StageEmitter::emitVectors() {
  if (stage.lane < 0)
    return emitBlock(1, {});
  if (stage.isReductionLane())
    return emitLaneReduction();
  const StageLoop &loop = *stage.findLoop(stage.lane);
  int64_t lanes = stage.lanes;
  int64_t vectors = 1;
  if (stage.reduction || stage.scans)
    while (vectors < 4 && 2 * vectors * rows <= mostAccumulators &&
           2 * vectors * lanes <= loop.size)
      vectors *= 2;
  Value end = getEnd(loop), begin = point.constantIndex(0);
  if (vectors > 1) {
    Value middle = roundDown(loop, end, vectors * lanes);
    emitLoop(loop.symbol, begin, middle, vectors * lanes,
             [&] { emitBlock(vectors, {}); });
    begin = middle;
  }
  bool isCut = loop.cutBy >= 0;
  if (isCut || loop.size % (vectors * lanes) >= lanes || vectors == 1) {
    Value middle = roundDown(loop, end, lanes);
    if (isCut || loop.size >= lanes)
      emitLoop(loop.symbol, begin, middle, lanes, [&] { emitBlock(1, {}); });
    begin = middle;
  } else {
    begin = roundDown(loop, end, lanes);
  }
  if (isCut || loop.size % lanes != 0)
    emitLoop(loop.symbol, begin, end, lanes, [&] {
      Value first = point.emitIndex(LinearIndex::ofSymbol(loop.symbol));
      emitBlock(1, makeMask(point.make<arith::SubIOp>(end, first)));
    });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Indices StageEmitter::shifted(ArrayRef<LinearIndex> at, int64_t row,
                              int64_t vector) const {
  Indices result(at);
  for (LinearIndex &index : result) {
    if (row != 0)
      index.constant += row * index.getCoefficient(stage.unrolled);
    if (vector != 0)
      index.constant += vector * stage.lanes * index.getCoefficient(stage.lane);
  }
  return result;
}

void StageEmitter::emitBlock(int64_t vectors, const Mask &mask) {
  if (stage.reduction)
    return emitReduction(vectors, mask);
  if (stage.scans)
    return emitScan(vectors, mask);
  if (stage.interleaves && rows > 1)
    return emitInterleaved(mask);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector)
      emitElement(row, vector, mask);
}

/// Emits all rows, whose elements are interleaved in memory.
void StageEmitter::emitInterleaved(const Mask &mask) {
  Values values;
  for (int64_t row = 0; row < rows; ++row)
    values.push_back(computeSource(row, 0, mask));
  point.storeInterleaved(stage.home, stage.write.indices, std::move(values),
                         mask);
}

Value StageEmitter::computeSource(int64_t row, int64_t vector,
                                  const Mask &mask) {
  point.shift = row;
  Indices at = shifted(stage.at, row, vector);
  if (stage.source == stage.home)
    return point.compute(stage.source, at, mask);
  return point.read(stage.source, at, mask);
}

void StageEmitter::emitElement(int64_t row, int64_t vector, const Mask &mask) {
  Indices write = shifted(stage.write.indices, row, vector);
  Value value;
  if (stage.accumulates) {
    auto op = stage.source.getDefiningOp<linalg::GenericOp>();
    value = point.computeBody(op, shifted(stage.at, row, vector), mask,
                              point.load(stage.home, write, mask));
  } else {
    value = computeSource(row, vector, mask);
  }
  point.store(stage.home, write, value, mask);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value StageEmitter::getStart(int64_t row, int64_t vector, const Mask &mask) {
  linalg::GenericOp op = stage.reduction;
  OpOperand &init = *op.getDpsInitOperand(0);
  Indices loops = toLoops(op, shifted(stage.reductionAt, row, vector));
  return point.read(init.get(), applyMap(getMap(op, init), loops), mask);
}

Value StageEmitter::addPoint(int64_t row, int64_t vector, const Mask &mask,
                             Value running) {
  point.shift = row;
  Indices loops =
      toLoops(stage.reduction, shifted(stage.reductionAt, row, vector),
              shifted(stage.reductionLoops, row, vector));
  return point.computeBody(stage.reduction, loops, mask, running);
}

StageEmitter::Values
StageEmitter::emitReductionLoops(size_t number, Values running,
                                 llvm::function_ref<Values(Values)> innermost) {
  if (number == reductions.size())
    return innermost(std::move(running));
  const StageLoop &loop = reductions[number];
  return emitCarrying(
      loop.symbol, point.constantIndex(0), point.constantIndex(loop.size), 1,
      std::move(running), [&](Values inner) {
        return emitReductionLoops(number + 1, std::move(inner), innermost);
      });
}

/// Emits a block of results, each with its own running value.
void StageEmitter::emitReduction(int64_t vectors, const Mask &mask) {
  Values running;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value start = getStart(row, vector, mask);
      running.push_back(stage.lane >= 0 ? point.splat(start) : start);
    }
  running = emitReductionLoops(0, std::move(running), [&](Values now) {
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
      if (stage.source != stage.reduction.getResult(0)) {
        point.remember(stage.reduction.getResult(0),
                       shifted(stage.reductionAt, row, vector), mask, value);
        value = computeSource(row, vector, mask);
      }
      point.store(stage.home, shifted(stage.write.indices, row, vector), value,
                  mask);
    }
}

/// Emits a block of lines. Each has its own running value, which is stored at
/// each point.
void StageEmitter::emitScan(int64_t vectors, const Mask &mask) {
  auto op = stage.source.getDefiningOp<linalg::GenericOp>();
  auto forEach = [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        visit(row, vector);
  };
  Values running;
  forEach([&](int64_t row, int64_t vector) {
    OpOperand &init = getStartOperand(op);
    Value start = point.read(
        init.get(), applyMap(getMap(op, init), shifted(stage.at, row, vector)),
        mask);
    running.push_back(stage.lane >= 0 ? point.splat(start) : start);
  });
  emitReductionLoops(0, std::move(running), [&](Values now) {
    forEach([&](int64_t row, int64_t vector) {
      Value &value = now[row * vectors + vector];
      Value taken = point.computeBody(op, shifted(stage.at, row, vector), mask,
                                      value, &value);
      point.store(stage.home, shifted(stage.write.indices, row, vector), taken,
                  mask);
    });
    return now;
  });
}

/// Emits one result. Partial results in lanes are combined at the end, in an
/// order that depends only on the number of lanes.
void StageEmitter::emitLaneReduction() {
  Operation *combiner = findCombiner(stage.reduction);
  Value identity = point.make<arith::ConstantOp>(getIdentity(combiner));
  int64_t size = stage.findLoop(stage.lane)->size;
  int64_t count = std::clamp<int64_t>(size / stage.lanes, 1, laneAccumulators);
  Values running(count, point.splat(identity));
  running = emitReductionLoops(0, std::move(running), [&](Values now) {
    return emitLaneLoop(std::move(now));
  });
  Value value = kernels::combine(point.builder, combiner, getStart(0, 0, {}),
                                 combineLanes(std::move(running)));
  if (stage.source != stage.reduction.getResult(0)) {
    point.remember(stage.reduction.getResult(0), stage.reductionAt, {}, value);
    value = computeSource(0, 0, {});
  }
  point.store(stage.home, stage.write.indices, value, {});
}

StageEmitter::Values StageEmitter::emitLaneLoop(Values running) {
  const StageLoop &loop = *stage.findLoop(stage.lane);
  int64_t lanes = stage.lanes, count = static_cast<int64_t>(running.size());
  Value end = getEnd(loop), begin = point.constantIndex(0);
  for (int64_t vectors : {count, int64_t(1)}) {
    if (vectors == 1 && count > 1 && loop.size % (count * lanes) < lanes)
      continue;
    if (loop.size < vectors * lanes)
      continue;
    Value middle = roundDown(loop, end, vectors * lanes);
    running = emitCarrying(loop.symbol, begin, middle, vectors * lanes,
                           std::move(running), [&](Values now) {
                             for (int64_t v = 0; v < vectors; ++v)
                               now[v] = addPoint(0, v, {}, now[v]);
                             return now;
                           });
    begin = middle;
    if (count == 1)
      break;
  }
  if (loop.size % lanes == 0)
    return running;
  begin = roundDown(loop, end, lanes);
  return emitCarrying(
      loop.symbol, begin, end, lanes, std::move(running), [&](Values now) {
        Value first = point.emitIndex(LinearIndex::ofSymbol(loop.symbol));
        Mask mask = makeMask(point.make<arith::SubIOp>(end, first));
        Value next = addPoint(0, 0, mask, now[0]);
        now[0] = point.make<arith::SelectOp>(mask.value, next, now[0]);
        return now;
      });
}

/// Combines halves until one element is left.
Value StageEmitter::combineLanes(Values running) {
  Operation *combiner = findCombiner(stage.reduction);
  for (size_t half = llvm::PowerOf2Ceil(running.size()) / 2; half >= 1;
       half /= 2)
    for (size_t i = 0; i + half < running.size() && i < half; ++i)
      running[i] = kernels::combine(point.builder, combiner, running[i],
                                    running[i + half]);
  Value vector = running[0];
  for (int64_t width = stage.lanes; width > 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + width / 2);
    }
    Value left = point.make<vector::ShuffleOp>(vector, vector, low);
    Value right = point.make<vector::ShuffleOp>(vector, vector, high);
    vector = kernels::combine(point.builder, combiner, left, right);
  }
  return point.make<vector::ExtractOp>(vector, ArrayRef<int64_t>{0});
}
