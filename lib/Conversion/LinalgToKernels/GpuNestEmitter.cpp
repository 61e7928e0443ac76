//===- GpuNestEmitter.cpp - Divides a nest among threads --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuNestEmitter.h"

#include "Combiners.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

GpuNestEmitter::GpuNestEmitter(PointEmitter &point, const ScheduledNest &nest,
                               const GpuPosition &position)
    : NestEmitter(point, nest, {}), position(position),
      items(getSharedLoops(point.getPlan(), nest)),
      count(getItems(point.getPlan(), nest)),
      unitThreads(getUnitThreads(nest.schedule)),
      units(position.threads / unitThreads) {
  // Threads share long sums instead.
  addition = nullptr;
  if (const NestLoop *lane = findItemLane()) {
    items.push_back(*lane);
    items.back().size = static_cast<int64_t>(
        llvm::divideCeil(lane->size, nest.schedule.lanes->count));
  }
}

/// The loop of the vectors of items; null if items are single points.
const NestLoop *GpuNestEmitter::findItemLane() const {
  return nest.isReductionLane() ? nullptr : nest.findLaneLoop();
}

int64_t GpuNestEmitter::countBlocks(const KernelPlan &plan,
                                    const ScheduledNest &nest,
                                    int64_t threads) {
  return llvm::divideCeil(getItems(plan, nest),
                          threads / getUnitThreads(nest.schedule));
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void GpuNestEmitter::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto branch = point.make<scf::IfOp>(condition, /*withElseRegion=*/false);
  point.enter(branch.thenBlock(), -1, {});
  body();
  point.leave();
}

Value GpuNestEmitter::isBelow(Value number, int64_t end) {
  return point.make<arith::CmpIOp>(arith::CmpIPredicate::ult, number,
                                   point.constantIndex(end));
}

/// Gives each of `loops` its value in iteration `number` of `total`. The last
/// loop counts fastest, in steps of `step`. Where numbers are small enough,
/// they are divided as 32 bits, which is much faster.
void GpuNestEmitter::bindLoops(ArrayRef<NestLoop> loops, Value number,
                               int64_t total, int64_t step) {
  const bool isSmall = total < (int64_t(1) << 31);
  Type small = point.getBuilder().getI32Type();
  Type index = point.getBuilder().getIndexType();
  auto constant = [&](int64_t size) -> Value {
    if (!isSmall)
      return point.constantIndex(size);
    return point.make<arith::ConstantIntOp>(static_cast<int32_t>(size), 32);
  };
  Value rest = number;
  if (isSmall && loops.size() > 1)
    rest = point.make<arith::IndexCastUIOp>(small, number);
  for (size_t n = loops.size(); n-- > 0;) {
    Value value = rest;
    if (n > 0) {
      Value size = constant(loops[n].size);
      value = point.make<arith::RemUIOp>(rest, size);
      rest = point.make<arith::DivUIOp>(rest, size);
    }
    if (!value.getType().isIndex())
      value = point.make<arith::IndexCastUIOp>(index, value);
    if (n + 1 == loops.size() && step != 1)
      value = point.make<arith::MulIOp>(value, point.constantIndex(step));
    point.bind(loops[n].symbol, value);
  }
}

/// Finds out which unit this thread belongs to.
void GpuNestEmitter::findUnit() {
  unit = member = point.constantIndex(0);
  Value width = point.constantIndex(warpThreads);
  if (!nest.schedule.group) {
    unit = position.thread;
    return;
  }
  switch (nest.schedule.group->kind) {
  case ThreadGroup::Kind::Warp:
    unit = point.make<arith::DivUIOp>(position.thread, width);
    member = point.make<arith::RemUIOp>(position.thread, width);
    break;
  case ThreadGroup::Kind::Block:
    member = position.thread;
    break;
  case ThreadGroup::Kind::Columns:
    unit = point.make<arith::RemUIOp>(position.thread, width);
    member = point.make<arith::DivUIOp>(position.thread, width);
    break;
  }
}

/// All threads of a block take part in the barriers of columns. Those behind
/// the last element compute it again and store nothing: the result may replace
/// an operand that another thread has still to read.
Value GpuNestEmitter::limitNumber(Value number) {
  isOwn = {};
  if (count % units == 0)
    return number;
  isOwn = isBelow(number, count);
  return point.make<arith::MinUIOp>(number, point.constantIndex(count - 1));
}

void GpuNestEmitter::emitSpread() {
  findUnit();
  Value number = point.make<arith::AddIOp>(
      point.make<arith::MulIOp>(position.block, point.constantIndex(units)),
      unit);
  if (nest.schedule.isOf(ThreadGroup::Kind::Columns))
    return emitItem(limitNumber(number));
  if (count % units == 0)
    return emitItem(number);
  emitIf(isBelow(number, count), [&] { emitItem(number); });
}

void GpuNestEmitter::emitInBlock() {
  findUnit();
  const bool isColumns = nest.schedule.isOf(ThreadGroup::Kind::Columns);
  if (count <= units && isColumns)
    return emitItem(limitNumber(unit));
  if (count == units)
    return emitItem(unit);
  if (count < units)
    return emitIf(isBelow(unit, count), [&] { emitItem(unit); });
  // The loop over columns is the same for all threads.
  Value begin = isColumns ? point.constantIndex(0) : unit;
  emitLoop(-1, begin, point.constantIndex(count), units, [&] {
    auto loop = cast<scf::ForOp>(point.getBuilder().getBlock()->getParentOp());
    Value number = loop.getInductionVar();
    if (isColumns)
      number = limitNumber(point.make<arith::AddIOp>(number, unit));
    emitItem(number);
  });
}

/// Emits the point or vector with a number.
void GpuNestEmitter::emitItem(Value number) {
  const NestLoop *lane = findItemLane();
  const int64_t lanes = lane ? nest.schedule.lanes->count : 1;
  bindLoops(items, number, count, lanes);
  if (!lane || lane->size % lanes == 0)
    return emitPoints({});
  Value first = point.emitIndex(LinearIndex::ofSymbol(lane->symbol));
  Value rest =
      point.make<arith::SubIOp>(point.constantIndex(lane->size), first);
  Value isWhole = point.make<arith::CmpIOp>(arith::CmpIPredicate::uge, rest,
                                            point.constantIndex(lanes));
  auto branch = point.make<scf::IfOp>(isWhole, /*withElseRegion=*/true);
  point.enter(branch.thenBlock(), -1, {});
  emitPoints({});
  point.leave();
  point.enter(branch.elseBlock(), -1, {});
  emitPoints(point.maskLast(rest));
  point.leave();
}

void GpuNestEmitter::emitPoints(const Mask &mask) {
  // What a reduction gives may depend on no loop, but only this item has it.
  if (nest.getReduction())
    point.setFloor(point.getDepth());
  auto reset = llvm::scope_exit([&] { point.setFloor(0); });
  if (nest.schedule.group)
    return emitCombined();
  emitAt(llvm::map_to_vector(items,
                             [](const NestLoop &loop) { return loop.symbol; }),
         mask);
}

//===----------------------------------------------------------------------===//
// Reductions by several threads
//===----------------------------------------------------------------------===//

/// The loops of the reduction in units of strips; that along the strips is the
/// last one.
static SmallVector<NestLoop> getStripLoops(const ScheduledNest &nest) {
  const ThreadGroup &group = *nest.schedule.group;
  SmallVector<NestLoop> loops;
  for (const NestLoop &loop : nest.getLoops())
    if (loop.isReduction && loop.symbol != group.loop)
      loops.push_back(loop);
  loops.push_back(*nest.findLoop(group.loop));
  loops.back().size /= group.strip;
  return loops;
}

/// New symbols in place of those of `loops`, whose values are those of the
/// strip `number` plus up to `most`. The lanes of vectors count from there.
Indices GpuNestEmitter::bindStrip(Value number, int64_t most) {
  const ThreadGroup &group = *nest.schedule.group;
  SmallVector<NestLoop> loops = getStripLoops(nest);
  Indices indices = nest.getReductionLoops();
  for (NestLoop &loop : loops) {
    const bool isAlong = loop.symbol == group.loop;
    int64_t size = isAlong ? (loop.size - 1) * group.strip + 1 : loop.size;
    const int old = std::exchange(
        loop.symbol, point.addLoop(size - (isAlong ? most * group.strip : 0)));
    LinearIndex own = LinearIndex::ofSymbol(loop.symbol);
    if (isAlong)
      point.setFactor(loop.symbol, group.strip);
    if (nest.isLane(old))
      own = own.plus(LinearIndex::ofSymbol(old));
    for (LinearIndex &index : indices)
      index = index.replace(old, own);
  }
  bindLoops(loops, number, getReducedItems(nest), group.strip);
  return indices;
}

/// Combines a strip with the running values of its turn.
void GpuNestEmitter::addStrip(const Indices &loops, int64_t turn,
                              Values &running) {
  const ThreadGroup &group = *nest.schedule.group;
  const int64_t values = nest.schedule.lanes ? 1 : group.strip;
  for (int64_t place = 0; place < values; ++place) {
    Indices own = loops;
    for (auto [index, old] : llvm::zip(own, nest.getReductionLoops()))
      if (old.asSymbol() == group.loop)
        index.constant += place;
    Value &value = running[turn * values + place];
    value = point.computeBody(
        nest.getReduction(),
        toLoops(nest.getReduction(), nest.getReductionResult(), own), {},
        value);
  }
}

/// Combines `count` strips with the running values of their turns: number
/// `first` + `shift`, and then each `unitThreads` behind the one before.
void GpuNestEmitter::addStrips(Value first, int64_t shift, int64_t count,
                               Values &running) {
  const ThreadGroup &group = *nest.schedule.group;
  // Along one loop, only a constant differs.
  const bool isOneLoop = getStripLoops(nest).size() == 1;
  Indices loops;
  if (isOneLoop)
    loops = bindStrip(first, shift + (count - 1) * unitThreads);
  for (int64_t turn = 0; turn < count; ++turn) {
    const int64_t own = shift + turn * unitThreads;
    if (!isOneLoop)
      loops = bindStrip(
          point.make<arith::AddIOp>(first, point.constantIndex(own)), 0);
    Indices at = loops;
    for (auto [index, old] : llvm::zip(at, nest.getReductionLoops()))
      if (isOneLoop && old.asSymbol() == group.loop)
        index.constant += own * group.strip;
    addStrip(at, turn, running);
  }
}

/// Whole rounds, of which each turn of a loop does `rounds.running`, then those
/// that are left.
void GpuNestEmitter::addWholeRounds(const Rounds &rounds, Values &running) {
  const int64_t turns = rounds.whole / rounds.running;
  int64_t done = 0;
  if (turns > 1) {
    done = turns * rounds.running;
    running = emitCarrying(
        -1, member, point.constantIndex(done * unitThreads),
        rounds.running * unitThreads, std::move(running), [&](Values now) {
          Value first =
              cast<scf::ForOp>(point.getBuilder().getBlock()->getParentOp())
                  .getInductionVar();
          addStrips(first, 0, rounds.running, now);
          return now;
        });
  }
  for (; done < rounds.whole; done += rounds.running)
    addStrips(member, done * unitThreads,
              std::min(rounds.running, rounds.whole - done), running);
}

/// The strips that are not enough for all threads. The others read the last one
/// and ignore it.
void GpuNestEmitter::addRest(const Rounds &rounds, Values &running) {
  Value last =
      point.make<arith::MinUIOp>(member, point.constantIndex(rounds.rest - 1));
  Value number = point.make<arith::AddIOp>(
      last, point.constantIndex(rounds.whole * unitThreads));
  Values with = running;
  addStrip(bindStrip(number, 0), rounds.whole % rounds.running, with);
  Value isUsed = isBelow(member, rounds.rest);
  for (auto [before, after] : llvm::zip(running, with))
    if (before != after)
      before = point.make<arith::SelectOp>(isUsed, after, before);
}

/// Emits one result. The threads of the unit share the strips, and their values
/// are combined at the end.
void GpuNestEmitter::emitCombined() {
  const ThreadGroup &group = *nest.schedule.group;
  Operation *combiner = findCombiner(nest.getReduction());
  Value identity = point.make<arith::ConstantOp>(getIdentity(combiner));
  const Rounds rounds(getReducedItems(nest), unitThreads);
  Values running;
  if (const auto &lanes = nest.schedule.lanes) {
    point.resizeLoop(lanes->loop, lanes->count);
    point.bind(lanes->loop, point.constantIndex(0));
    running.assign(rounds.running, point.splat(identity));
  } else {
    running.assign(rounds.running * group.strip, identity);
  }
  addWholeRounds(rounds, running);
  if (rounds.rest != 0)
    addRest(rounds, running);
  Value value = combineStrips(point, combiner, running, group.strip);
  if (group.kind == ThreadGroup::Kind::Columns)
    value = combineColumns(value);
  else
    value = combineInWarp(point, combiner, value);
  if (group.kind == ThreadGroup::Kind::Block)
    value = combineInBlock(value);
  value =
      kernels::combine(point.getBuilder(), combiner, getStart(0, 0, {}), value);
  if (nest.getSource() != nest.getReduction()->getResult(0)) {
    point.remember(nest.getReduction()->getResult(0), nest.getReductionResult(),
                   {}, value);
    value = computeSource(0, 0, {});
  }
  Value isStored = isBelow(member, 1);
  if (isOwn)
    isStored = point.make<arith::AndIOp>(isStored, isOwn);
  emitIf(isStored, [&] {
    point.store(nest.getHome(), nest.getWrite().indices, value, {});
  });
}

/// Exchanges values in `count` places of shared memory: threads with
/// `isWriter`, or all if it is null, write theirs to `place`. Combines those
/// from `first` on, each `step` places behind the one before.
Value GpuNestEmitter::exchange(Value value, int64_t total, Value place,
                               Value isWriter, Value first, int64_t step) {
  Operation *combiner = findCombiner(nest.getReduction());
  auto space = cast<MemRefType>(position.shared.getType()).getMemorySpace();
  auto type = MemRefType::get({total}, value.getType(),
                              MemRefLayoutAttrInterface(), space);
  Value buffer = point.make<memref::ViewOp>(
      type, position.shared, point.constantIndex(0), ValueRange());
  auto write = [&] {
    point.make<memref::StoreOp>(value, buffer, ValueRange(place));
  };
  if (isWriter)
    emitIf(isWriter, write);
  else
    write();
  point.make<gpu::BarrierOp>();
  Value all;
  for (int64_t number = 0; number < total; number += step) {
    Value at = point.make<arith::AddIOp>(first, point.constantIndex(number));
    Value each = point.make<memref::LoadOp>(buffer, ValueRange(at));
    all =
        all ? kernels::combine(point.getBuilder(), combiner, all, each) : each;
  }
  // The next reduction uses the same memory.
  point.make<gpu::BarrierOp>();
  return all;
}

/// Combines the values of a block's warps. All threads get the same value.
Value GpuNestEmitter::combineInBlock(Value value) {
  Value width = point.constantIndex(warpThreads);
  Value warp = point.make<arith::DivUIOp>(member, width);
  Value lane = point.make<arith::RemUIOp>(member, width);
  return exchange(value, unitThreads / warpThreads, warp, isBelow(lane, 1),
                  point.constantIndex(0), 1);
}

/// Combines the values that the warps of a block have for each element.
Value GpuNestEmitter::combineColumns(Value value) {
  return exchange(value, position.threads, position.thread, {}, unit,
                  warpThreads);
}
