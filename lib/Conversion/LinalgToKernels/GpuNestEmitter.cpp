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
      items(getSharedLoops(point.plan, nest)),
      count(getItems(point.plan, nest)),
      unitThreads(getUnitThreads(nest.schedule)),
      units(position.threads / unitThreads) {
  // Threads share long sums, so a thread does not split its part of a sum.
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
  auto branch = code.make<scf::IfOp>(condition, /*withElseRegion=*/false);
  code.enter(branch.thenBlock(), -1, {});
  body();
  code.leave();
}

Value GpuNestEmitter::isBelow(Value number, int64_t end) {
  return code.make<arith::CmpIOp>(arith::CmpIPredicate::ult, number,
                                  code.constantIndex(end));
}

/// Gives each of `loops` its value in iteration `number` of `total`. The last
/// loop counts fastest, in steps of `step`. If the numbers are small enough,
/// they are divided as 32 bits, which is much faster.
void GpuNestEmitter::bindLoops(ArrayRef<NestLoop> loops, Value number,
                               int64_t total, int64_t step) {
  const bool isSmall = total < (int64_t(1) << 31);
  Type small = code.builder.getI32Type();
  Type index = code.builder.getIndexType();
  auto constant = [&](int64_t size) -> Value {
    if (!isSmall)
      return code.constantIndex(size);
    return code.make<arith::ConstantIntOp>(static_cast<int32_t>(size), 32);
  };
  Value rest = number;
  if (isSmall && loops.size() > 1)
    rest = code.make<arith::IndexCastUIOp>(small, number);
  for (size_t n = loops.size(); n-- > 0;) {
    Value value = rest;
    if (n > 0) {
      Value size = constant(loops[n].size);
      value = code.make<arith::RemUIOp>(rest, size);
      rest = code.make<arith::DivUIOp>(rest, size);
    }
    if (!value.getType().isIndex())
      value = code.make<arith::IndexCastUIOp>(index, value);
    if (n + 1 == loops.size() && step != 1)
      value = code.make<arith::MulIOp>(value, code.constantIndex(step));
    code.bind(loops[n].symbol, value);
  }
}

/// Finds out to which unit this thread belongs.
void GpuNestEmitter::findUnit() {
  unit = member = code.constantIndex(0);
  Value width = code.constantIndex(warpThreads);
  if (!nest.schedule.group) {
    unit = position.thread;
    return;
  }
  switch (nest.schedule.group->kind) {
  case ThreadGroup::Kind::Warp:
    unit = code.make<arith::DivUIOp>(position.thread, width);
    member = code.make<arith::RemUIOp>(position.thread, width);
    break;
  case ThreadGroup::Kind::Block:
    member = position.thread;
    break;
  case ThreadGroup::Kind::Columns:
    unit = code.make<arith::RemUIOp>(position.thread, width);
    member = code.make<arith::DivUIOp>(position.thread, width);
    break;
  }
}

/// Limits `number` to the last item, and notes whether the item is the thread's
/// own. All threads of a block take part in the barriers of columns. So a
/// thread without an item of its own computes the last item again. It stores
/// nothing, because the result may replace an operand that another thread has
/// still to read.
Value GpuNestEmitter::limitNumber(Value number) {
  isOwn = {};
  if (count % units == 0)
    return number;
  isOwn = isBelow(number, count);
  return code.make<arith::MinUIOp>(number, code.constantIndex(count - 1));
}

void GpuNestEmitter::emitSpread() {
  findUnit();
  Value number = code.make<arith::AddIOp>(
      code.make<arith::MulIOp>(position.block, code.constantIndex(units)),
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
  Value begin = isColumns ? code.constantIndex(0) : unit;
  emitLoop(-1, begin, code.constantIndex(count), units, [&] {
    auto loop = cast<scf::ForOp>(code.builder.getBlock()->getParentOp());
    Value number = loop.getInductionVar();
    if (isColumns)
      number = limitNumber(code.make<arith::AddIOp>(number, unit));
    emitItem(number);
  });
}

/// Emits item `number`, which is a point or a vector of points.
void GpuNestEmitter::emitItem(Value number) {
  const NestLoop *lane = findItemLane();
  const int64_t width = lane ? nest.schedule.lanes->count : 1;
  bindLoops(items, number, count, width);
  if (!lane || lane->size % width == 0)
    return emitPoints({});
  Value first = code.emitIndex(LinearIndex::ofSymbol(lane->symbol));
  Value rest = code.make<arith::SubIOp>(code.constantIndex(lane->size), first);
  Value isWhole = code.make<arith::CmpIOp>(arith::CmpIPredicate::uge, rest,
                                           code.constantIndex(width));
  auto branch = code.make<scf::IfOp>(isWhole, /*withElseRegion=*/true);
  code.enter(branch.thenBlock(), -1, {});
  emitPoints({});
  code.leave();
  code.enter(branch.elseBlock(), -1, {});
  emitPoints(lanes.maskLast(rest));
  code.leave();
}

void GpuNestEmitter::emitPoints(const Mask &mask) {
  // The result of a reduction may depend on no loop, but it is valid for this
  // item only.
  if (nest.getReduction())
    code.setFloor(code.getDepth());
  auto reset = llvm::scope_exit([&] { code.setFloor(0); });
  if (nest.schedule.group)
    return emitCombined();
  emitAt(llvm::map_to_vector(items,
                             [](const NestLoop &loop) { return loop.symbol; }),
         mask);
}

//===----------------------------------------------------------------------===//
// Reductions by several threads
//===----------------------------------------------------------------------===//

/// The loops of the reduction in units of strips; the loop along the strips is
/// the last one.
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

/// Makes new symbols for the loops of strips. Their values are the indices of
/// strip `number`. The caller may go up to `most` strips further along the last
/// loop. The lanes of vectors count from the index along that loop.
Indices GpuNestEmitter::bindStrip(Value number, int64_t most) {
  const ThreadGroup &group = *nest.schedule.group;
  SmallVector<NestLoop> loops = getStripLoops(nest);
  Indices indices = nest.getReductionLoops();
  for (NestLoop &loop : loops) {
    const bool isAlong = loop.symbol == group.loop;
    int64_t size = isAlong ? (loop.size - 1) * group.strip + 1 : loop.size;
    const int old = std::exchange(
        loop.symbol,
        code.symbols.addLoop(size - (isAlong ? most * group.strip : 0)));
    LinearIndex own = LinearIndex::ofSymbol(loop.symbol);
    if (isAlong)
      point.memory.setFactor(loop.symbol, group.strip);
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

/// Combines `count` strips with the running values of their turns. The first
/// strip has number `first` + `shift`. From one strip to the next, the number
/// grows by `unitThreads`.
void GpuNestEmitter::addStrips(Value first, int64_t shift, int64_t count,
                               Values &running) {
  const ThreadGroup &group = *nest.schedule.group;
  // If there is only one loop, the indices of strips differ only in a constant.
  const bool isOneLoop = getStripLoops(nest).size() == 1;
  Indices loops;
  if (isOneLoop)
    loops = bindStrip(first, shift + (count - 1) * unitThreads);
  for (int64_t turn = 0; turn < count; ++turn) {
    const int64_t own = shift + turn * unitThreads;
    if (!isOneLoop)
      loops = bindStrip(
          code.make<arith::AddIOp>(first, code.constantIndex(own)), 0);
    Indices at = loops;
    for (auto [index, old] : llvm::zip(at, nest.getReductionLoops()))
      if (isOneLoop && old.asSymbol() == group.loop)
        index.constant += own * group.strip;
    addStrip(at, turn, running);
  }
}

/// Adds the strips of whole rounds. Each turn of a loop does `rounds.running`
/// rounds, and the remaining rounds follow the loop.
void GpuNestEmitter::addWholeRounds(const Rounds &rounds, Values &running) {
  const int64_t turns = rounds.whole / rounds.running;
  int64_t done = 0;
  if (turns > 1) {
    done = turns * rounds.running;
    running = emitCarrying(
        -1, member, code.constantIndex(done * unitThreads),
        rounds.running * unitThreads, std::move(running), [&](Values now) {
          Value first = cast<scf::ForOp>(code.builder.getBlock()->getParentOp())
                            .getInductionVar();
          addStrips(first, 0, rounds.running, now);
          return now;
        });
  }
  for (; done < rounds.whole; done += rounds.running)
    addStrips(member, done * unitThreads,
              std::min(rounds.running, rounds.whole - done), running);
}

/// Adds the last strips, which are fewer than the threads. The other threads
/// read the last strip and ignore it.
void GpuNestEmitter::addRest(const Rounds &rounds, Values &running) {
  Value last =
      code.make<arith::MinUIOp>(member, code.constantIndex(rounds.rest - 1));
  Value number = code.make<arith::AddIOp>(
      last, code.constantIndex(rounds.whole * unitThreads));
  Values with = running;
  addStrip(bindStrip(number, 0), rounds.whole % rounds.running, with);
  Value isUsed = isBelow(member, rounds.rest);
  for (auto [before, after] : llvm::zip(running, with))
    if (before != after)
      before = code.make<arith::SelectOp>(isUsed, after, before);
}

/// Emits one result. The threads of the unit share the strips, and their values
/// are combined at the end.
void GpuNestEmitter::emitCombined() {
  const ThreadGroup &group = *nest.schedule.group;
  Operation *combiner = findCombiner(nest.getReduction());
  Value identity = code.make<arith::ConstantOp>(getIdentity(combiner));
  const Rounds rounds(getReducedItems(nest), unitThreads);
  Values running;
  if (const auto &along = nest.schedule.lanes) {
    code.symbols.resizeLoop(along->loop, along->count);
    code.bind(along->loop, code.constantIndex(0));
    running.assign(rounds.running, lanes.splat(identity));
  } else {
    running.assign(rounds.running * group.strip, identity);
  }
  addWholeRounds(rounds, running);
  if (rounds.rest != 0)
    addRest(rounds, running);
  Value value = combineStrips(code, combiner, running, group.strip);
  if (group.kind == ThreadGroup::Kind::Columns)
    value = combineColumns(value);
  else
    value = combineInWarp(code, combiner, value);
  if (group.kind == ThreadGroup::Kind::Block)
    value = combineInBlock(value);
  value = kernels::combine(code.builder, combiner, getStart(0, 0, {}), value);
  if (nest.getSource() != nest.getReduction()->getResult(0)) {
    code.remember(nest.getReduction()->getResult(0), nest.getReductionResult(),
                  {}, value);
    value = computeSource(0, 0, {});
  }
  Value isStored = isBelow(member, 1);
  if (isOwn)
    isStored = code.make<arith::AndIOp>(isStored, isOwn);
  emitIf(isStored, [&] {
    point.store(nest.getHome(), nest.getWrite().indices, value, {});
  });
}

/// Exchanges values in shared memory. The threads with `isWriter`, or all
/// threads if it is null, write their values to `place`. Then each thread
/// combines the values at the places `first`, `first` + `step` and so on.
Value GpuNestEmitter::exchange(Value value, int64_t total, Value place,
                               Value isWriter, Value first, int64_t step) {
  Operation *combiner = findCombiner(nest.getReduction());
  auto space = cast<MemRefType>(position.shared.getType()).getMemorySpace();
  auto type = MemRefType::get({total}, value.getType(),
                              MemRefLayoutAttrInterface(), space);
  Value buffer = code.make<memref::ViewOp>(type, position.shared,
                                           code.constantIndex(0), ValueRange());
  auto write = [&] {
    code.make<memref::StoreOp>(value, buffer, ValueRange(place));
  };
  if (isWriter)
    emitIf(isWriter, write);
  else
    write();
  code.make<gpu::BarrierOp>();
  Value all;
  for (int64_t number = 0; number < total; number += step) {
    Value at = code.make<arith::AddIOp>(first, code.constantIndex(number));
    Value each = code.make<memref::LoadOp>(buffer, ValueRange(at));
    all = all ? kernels::combine(code.builder, combiner, all, each) : each;
  }
  // The next reduction uses the same memory.
  code.make<gpu::BarrierOp>();
  return all;
}

/// Combines the values of a block's warps. All threads get the same value.
Value GpuNestEmitter::combineInBlock(Value value) {
  Value width = code.constantIndex(warpThreads);
  Value warp = code.make<arith::DivUIOp>(member, width);
  Value lane = code.make<arith::RemUIOp>(member, width);
  return exchange(value, unitThreads / warpThreads, warp, isBelow(lane, 1),
                  code.constantIndex(0), 1);
}

/// Combines the values that the warps of a block have for each element.
Value GpuNestEmitter::combineColumns(Value value) {
  return exchange(value, position.threads, position.thread, {}, unit,
                  warpThreads);
}
