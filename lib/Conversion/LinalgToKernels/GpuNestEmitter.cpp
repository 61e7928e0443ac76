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

/// The threads of blocks of `threads` that compute one element of `nest`.
static int64_t getUnitThreads(const LoopNest &nest, int64_t threads) {
  switch (nest.group) {
  case LoopNest::Group::Thread:
    return 1;
  case LoopNest::Group::Warp:
    return warpThreads;
  case LoopNest::Group::Block:
    return threads;
  case LoopNest::Group::Columns:
    return threads / warpThreads;
  }
  llvm_unreachable("all groups are known");
}

GpuNestEmitter::GpuNestEmitter(PointEmitter &point, LoopNest &nest,
                               const GpuPosition &position)
    : NestEmitter(point, nest, {}), position(position),
      items(getSharedLoops(point.getPlan(), nest)),
      count(getItems(point.getPlan(), nest)),
      units(position.threads / getUnitThreads(nest, position.threads)),
      unitThreads(position.threads / units) {
  if (nest.lane >= 0 && !nest.isReductionLane()) {
    items.push_back(*nest.findLoop(nest.lane));
    items.back().size =
        static_cast<int64_t>(llvm::divideCeil(items.back().size, nest.lanes));
  }
}

int64_t GpuNestEmitter::countBlocks(const KernelPlan &plan,
                                    const LoopNest &nest, int64_t threads) {
  const int64_t units = threads / getUnitThreads(nest, threads);
  return llvm::divideCeil(getItems(plan, nest), units);
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

/// Gives each of `loops` its value in iteration `number` of `count`. The last
/// loop counts fastest. Where numbers are small enough, they are divided as 32
/// bits, which is much faster.
void GpuNestEmitter::bindLoops(ArrayRef<NestLoop> loops, Value number,
                               int64_t total) {
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
    if (loops[n].symbol == nest.lane)
      value = point.make<arith::MulIOp>(value, point.constantIndex(nest.lanes));
    point.bind(loops[n].symbol, value);
  }
}

/// Finds out which unit this thread belongs to.
void GpuNestEmitter::findUnit() {
  unit = member = point.constantIndex(0);
  Value width = point.constantIndex(warpThreads);
  switch (nest.group) {
  case LoopNest::Group::Thread:
    unit = position.thread;
    break;
  case LoopNest::Group::Warp:
    unit = point.make<arith::DivUIOp>(position.thread, width);
    member = point.make<arith::RemUIOp>(position.thread, width);
    break;
  case LoopNest::Group::Block:
    member = position.thread;
    break;
  case LoopNest::Group::Columns:
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
  if (nest.group == LoopNest::Group::Columns)
    return emitItem(limitNumber(number));
  if (count % units == 0)
    return emitItem(number);
  emitIf(isBelow(number, count), [&] { emitItem(number); });
}

void GpuNestEmitter::emitInBlock() {
  findUnit();
  const bool isColumns = nest.group == LoopNest::Group::Columns;
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
  bindLoops(items, number, count);
  const NestLoop *lane = nest.lane >= 0 && !nest.isReductionLane()
                             ? nest.findLoop(nest.lane)
                             : nullptr;
  if (!lane || lane->size % nest.lanes == 0)
    return emitPoints({});
  Value first = point.emitIndex(LinearIndex::ofSymbol(lane->symbol));
  Value rest =
      point.make<arith::SubIOp>(point.constantIndex(lane->size), first);
  Value isWhole = point.make<arith::CmpIOp>(arith::CmpIPredicate::uge, rest,
                                            point.constantIndex(nest.lanes));
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
  if (nest.reduction)
    point.setFloor(point.getDepth());
  auto reset = llvm::scope_exit([&] { point.setFloor(0); });
  if (nest.group != LoopNest::Group::Thread)
    return emitCombined();
  emitAt(llvm::map_to_vector(items,
                             [](const NestLoop &loop) { return loop.symbol; }),
         mask);
}

//===----------------------------------------------------------------------===//
// Reductions by several threads
//===----------------------------------------------------------------------===//

/// Emits one result. Each thread of the unit combines every so many points. The
/// threads' values are combined at the end, in an order that depends only on
/// their number.
void GpuNestEmitter::emitCombined() {
  Operation *combiner = findCombiner(nest.reduction);
  Value identity = point.make<arith::ConstantOp>(getIdentity(combiner));
  Values running(1, nest.lane >= 0 ? point.splat(identity) : identity);
  SmallVector<NestLoop> loops;
  for (const NestLoop &loop : nest.loops)
    if (loop.isReduction && loop.symbol != nest.lane)
      loops.push_back(loop);
  if (nest.isReductionLane()) {
    loops.push_back(*nest.findLoop(nest.lane));
    loops.back().size /= nest.lanes;
  }
  const int64_t total = getReducedItems(nest);
  running = emitCarrying(-1, member, point.constantIndex(total), unitThreads,
                         std::move(running), [&](Values now) {
                           auto loop = cast<scf::ForOp>(
                               point.getBuilder().getBlock()->getParentOp());
                           bindLoops(loops, loop.getInductionVar(), total);
                           now[0] = addPoint(0, 0, {}, now[0]);
                           return now;
                         });
  Value value =
      nest.lane >= 0 ? combineLanes(std::move(running)) : running.front();
  if (nest.group == LoopNest::Group::Columns)
    value = combineColumns(value);
  else
    value = combineInWarp(value);
  if (unitThreads > warpThreads)
    value = combineInBlock(value);
  value =
      kernels::combine(point.getBuilder(), combiner, getStart(0, 0, {}), value);
  if (nest.source != nest.reduction.getResult(0)) {
    point.remember(nest.reduction.getResult(0), nest.reductionAt, {}, value);
    value = computeSource(0, 0, {});
  }
  Value isStored = isBelow(member, 1);
  if (isOwn)
    isStored = point.make<arith::AndIOp>(isStored, isOwn);
  emitIf(isStored,
         [&] { point.store(nest.home, nest.write.indices, value, {}); });
}

/// Combines the values of a warp's threads. All threads get the same value.
Value GpuNestEmitter::combineInWarp(Value value) {
  Operation *combiner = findCombiner(nest.reduction);
  for (int32_t offset = warpThreads / 2; offset > 0; offset /= 2) {
    auto other = point.make<gpu::ShuffleOp>(value, offset,
                                            static_cast<int32_t>(warpThreads),
                                            gpu::ShuffleMode::XOR);
    value = kernels::combine(point.getBuilder(), combiner, value,
                             other.getShuffleResult());
  }
  return value;
}

/// Exchanges values in `count` places of shared memory: threads with
/// `isWriter`, or all if it is null, write theirs to `place`. Combines those
/// from `first` on, each `step` places behind the one before.
Value GpuNestEmitter::exchange(Value value, int64_t total, Value place,
                               Value isWriter, Value first, int64_t step) {
  Operation *combiner = findCombiner(nest.reduction);
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
  if (unitThreads == 1)
    return value;
  return exchange(value, position.threads, position.thread, {}, unit,
                  warpThreads);
}
