//===- Vectors.cpp - Which loop of a nest becomes vectors -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Tasks.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The costs of accesses, relative to a load of neighbours.
static constexpr double gatherCost = 16, scatterCost = 24, transposeCost = 3,
                        interleaveCost = 2;
/// The cost of combining the lanes of a vector.
static constexpr double reduceCost = 12;
/// The most vectors whose lanes alternate in memory.
static constexpr int64_t mostInterleaved = 8;
/// The most accumulators that are kept in registers.
static constexpr int64_t mostRows = 8;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int64_t kernels::getStep(const KernelPlan &plan, const Access &access,
                         int symbol) {
  return access.tensor ? plan.getAddress(access).getCoefficient(symbol) : 0;
}

static bool
anyDerived(const KernelPlan &plan, const Access &access, int symbol,
           llvm::function_ref<bool(const Symbols::Symbol &)> isKind) {
  auto derives = [&](const LinearIndex &index) {
    return llvm::any_of(index.terms, [&](auto term) {
      return isKind(plan.symbols[term.first]) &&
             plan.symbols.dependsOn(LinearIndex::ofSymbol(term.first), symbol);
    });
  };
  return llvm::any_of(access.indices, derives) &&
         (!access.tensor || derives(plan.getAddress(access)));
}

bool kernels::isFolded(const KernelPlan &plan, const Access &access,
                       int symbol) {
  return anyDerived(plan, access, symbol, [](const Symbols::Symbol &symbol) {
    return symbol.isDerived();
  });
}

bool kernels::isComputed(const KernelPlan &plan, const Access &access,
                         int symbol) {
  return anyDerived(plan, access, symbol, [](const Symbols::Symbol &symbol) {
    return symbol.kind == Symbols::Kind::Computed;
  });
}

bool kernels::isStraight(const KernelPlan &plan, const Access &access,
                         int symbol) {
  if (access.tensor)
    return !isFolded(plan, access, symbol) && !isComputed(plan, access, symbol);
  return llvm::none_of(access.indices, [&](const LinearIndex &index) {
    return plan.symbols.dependsOn(index, symbol);
  });
}

//===----------------------------------------------------------------------===//
// Order of reductions
//===----------------------------------------------------------------------===//

/// The cost of an element of reduction `op` if its loop `number` becomes
/// vectors of up to `mostLanes` and all operands are stored.
static double getOwnCost(const KernelPlan &plan, linalg::GenericOp op,
                         unsigned number, int64_t mostLanes) {
  Indices loops;
  for (unsigned d = 0; d < op.getNumLoops(); ++d)
    loops.push_back(LinearIndex::ofSymbol(static_cast<int>(d)));
  double cost = 1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    int64_t step = 0;
    for (auto [index, stride] : llvm::zip(applyMap(getMap(op, *input), loops),
                                          plan.getOwnStrides(input->get())))
      step += index.getCoefficient(static_cast<int>(number)) * stride;
    cost += step == 0 || step == 1 ? static_cast<double>(step) : gatherCost;
  }
  double points = 1;
  for (int64_t size : op.getStaticLoopRanges())
    points *= static_cast<double>(size);
  double writes =
      static_cast<double>(getNumElements(op->getResult(0))) / points;
  bool isReduced =
      op.getIteratorTypesArray()[number] == utils::IteratorType::reduction;
  cost += writes * (isReduced ? reduceCost : 1);
  int64_t size = op.getStaticLoopRanges()[number];
  int64_t lanes = std::min<int64_t>(mostLanes, llvm::PowerOf2Ceil(size));
  return cost * static_cast<double>(llvm::divideCeil(size, lanes)) /
         static_cast<double>(size);
}

/// Whether partial results of `op` are kept in lanes. This determines the order
/// in which elements are combined. So it depends on the op alone, and not on
/// the other ops of its kernel.
static bool reducesInLanes(const KernelPlan &plan, linalg::GenericOp op,
                           int64_t mostLanes) {
  bool isLane = false;
  double least = std::numeric_limits<double>::infinity();
  for (auto [number, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduced = kind == utils::IteratorType::reduction;
    if (op.getStaticLoopRanges()[number] == 1 ||
        (isReduced && !findCombiner(op)))
      continue;
    double cost = getOwnCost(plan, op, number, mostLanes);
    if (cost >= least)
      continue;
    least = cost;
    isLane = isReduced;
  }
  return isLane;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {
class VectorChoice {
public:
  VectorChoice(const KernelPlan &plan, const LoopNest &nest, int64_t mostLanes)
      : plan(plan), nest(nest), mostLanes(mostLanes) {}

  Schedule choose() const;

private:
  bool canBeLane(const NestLoop &loop) const;
  double getCost(const NestLoop &loop) const;
  double getReadCost(const Access &read, int lane) const;
  const NestLoop *findTransposed(const Access &read, int lane) const;
  const NestLoop *findInterleaved(const Access &access, int lane) const;
  double getWriteCost(int lane) const;
  std::optional<Lanes> chooseLanes(bool isReduction) const;
  std::optional<Rows> chooseRows(const Lanes &lanes) const;
  std::optional<Rows> chooseInterleaved(const Lanes &lanes) const;
  std::optional<Rows> chooseTransposed(const Lanes &lanes) const;
  std::optional<Rows> chooseSharing(const Lanes &lanes) const;
  std::optional<Rows> chooseLines() const;
  int64_t getLanes(int64_t size) const {
    return std::min<int64_t>(mostLanes, llvm::PowerOf2Ceil(size));
  }

  const KernelPlan &plan;
  const LoopNest &nest;
  int64_t mostLanes;
};
} // namespace

bool VectorChoice::canBeLane(const NestLoop &loop) const {
  auto isFoldedIn = [&](const Access &access) {
    return isFolded(plan, access, loop.symbol);
  };
  if (loop.size <= 1 || llvm::any_of(nest.getReads(), isFoldedIn))
    return false;
  if (loop.isReduction)
    return findCombiner(nest.getReduction()) != nullptr;
  if (nest.scans())
    return getStep(plan, nest.getWrite(), loop.symbol) == 1;
  if (nest.accumulates()) {
    // Two lanes must not write to one element.
    linalg::GenericOp op = nest.getOp();
    bool isAlone = false;
    for (const LinearIndex &index : nest.getWrite().indices) {
      isAlone |= index.asSymbol() == loop.symbol;
      if (index.getCoefficient(loop.symbol) != 0 &&
          index.asSymbol() != loop.symbol)
        return false;
    }
    for (auto [index, kind] :
         llvm::zip(nest.getIndices(), op.getIteratorTypesArray()))
      if (index.asSymbol() == loop.symbol &&
          kind == utils::IteratorType::reduction)
        return false;
    return isAlone;
  }
  return true;
}

/// A loop other than `lane` along which `read` finds neighbours, so that blocks
/// can be loaded and transposed. Null if there is none.
const NestLoop *VectorChoice::findTransposed(const Access &read,
                                             int lane) const {
  if (nest.getOp() || !read.tensor)
    return nullptr;
  for (const NestLoop &loop : nest.getLoops())
    if (loop.symbol != lane && loop.size >= mostLanes &&
        getStep(plan, read, loop.symbol) == 1 &&
        !isFolded(plan, read, loop.symbol) &&
        !isComputed(plan, read, loop.symbol))
      return &loop;
  return nullptr;
}

/// A loop other than `lane` whose iterations are adjacent in memory for
/// `access`, and lie between two iterations of `lane`. Then whole vectors can
/// be moved, in which the iterations of that loop alternate. Null if there is
/// none.
const NestLoop *VectorChoice::findInterleaved(const Access &access,
                                              int lane) const {
  int64_t step = getStep(plan, access, lane);
  if (nest.getOp() || !access.tensor || step < 2 || step > mostInterleaved ||
      isComputed(plan, access, lane))
    return nullptr;
  auto isFoldedAlong = [&](int symbol) {
    return llvm::any_of(nest.getReads(), [&](const Access &read) {
      return isFolded(plan, read, symbol);
    });
  };
  for (const NestLoop &loop : nest.getLoops())
    if (loop.symbol != lane && loop.size == step &&
        getStep(plan, access, loop.symbol) == 1 &&
        !isComputed(plan, access, loop.symbol) && !isFoldedAlong(loop.symbol))
      return &loop;
  return nullptr;
}

double VectorChoice::getWriteCost(int lane) const {
  if (getStep(plan, nest.getWrite(), lane) == 1)
    return 1;
  return findInterleaved(nest.getWrite(), lane) ? interleaveCost : scatterCost;
}

double VectorChoice::getReadCost(const Access &read, int lane) const {
  if (isComputed(plan, read, lane))
    return gatherCost;
  int64_t step = getStep(plan, read, lane);
  if (step == 0 || step == 1)
    return static_cast<double>(step);
  if (findInterleaved(read, lane))
    return interleaveCost;
  return findTransposed(read, lane) ? transposeCost : gatherCost;
}

/// The cost of the nest per element if `loop` becomes vectors.
double VectorChoice::getCost(const NestLoop &loop) const {
  double cost = 1;
  for (const Access &read : nest.getReads())
    cost += getReadCost(read, loop.symbol);
  double writes = static_cast<double>(nest.getElements()) /
                  std::max<double>(1.0, nest.getPoints());
  if (loop.isReduction)
    cost += writes * reduceCost;
  else
    cost += writes * getWriteCost(loop.symbol);
  int64_t lanes = getLanes(loop.size);
  return cost * static_cast<double>(llvm::divideCeil(loop.size, lanes)) /
         static_cast<double>(loop.size);
}

/// Rows of a loop whose iterations alternate in memory with the lanes.
std::optional<Rows> VectorChoice::chooseInterleaved(const Lanes &lanes) const {
  if (getStep(plan, nest.getWrite(), lanes.loop) != 1) {
    if (const NestLoop *other = findInterleaved(nest.getWrite(), lanes.loop))
      return Rows{other->symbol, other->size, Rows::Order::Interleaved};
    return std::nullopt;
  }
  for (const Access &read : nest.getReads())
    if (const NestLoop *other = findInterleaved(read, lanes.loop))
      return Rows{other->symbol, other->size, Rows::Order::Transposed};
  return std::nullopt;
}

/// The rows of a loop along which blocks are transposed. These blocks are
/// square.
std::optional<Rows> VectorChoice::chooseTransposed(const Lanes &lanes) const {
  if (lanes.count != mostLanes ||
      getStep(plan, nest.getWrite(), lanes.loop) != 1)
    return std::nullopt;
  for (const Access &read : nest.getReads())
    if (const NestLoop *other = findTransposed(read, lanes.loop);
        other && getStep(plan, read, lanes.loop) > 1 &&
        !isComputed(plan, read, lanes.loop))
      return Rows{other->symbol, lanes.count, Rows::Order::Transposed};
  return std::nullopt;
}

/// Rows of the last loop whose iterations share what a reduction loads.
std::optional<Rows> VectorChoice::chooseSharing(const Lanes &lanes) const {
  std::optional<Rows> rows;
  for (const NestLoop &loop : nest.getLoops()) {
    if (loop.isReduction || loop.symbol == lanes.loop)
      continue;
    bool isShared = llvm::any_of(nest.getReads(), [&](const Access &read) {
      return read.tensor && getStep(plan, read, lanes.loop) != 0 &&
             getStep(plan, read, loop.symbol) == 0 &&
             !isFolded(plan, read, loop.symbol);
    });
    if (isShared)
      rows = {loop.symbol, std::min(mostRows, loop.size)};
  }
  return rows;
}

std::optional<Rows> VectorChoice::chooseRows(const Lanes &lanes) const {
  if (auto rows = chooseInterleaved(lanes))
    return rows;
  if (auto rows = chooseTransposed(lanes))
    return rows;
  if (nest.getReduction() && !nest.findLoop(lanes.loop)->isReduction)
    return chooseSharing(lanes);
  return std::nullopt;
}

/// Lines of a scan that are computed together, as each running value depends on
/// the previous one.
std::optional<Rows> VectorChoice::chooseLines() const {
  std::optional<Rows> rows;
  for (const NestLoop &loop : nest.getLoops())
    if (const int64_t count = std::min(mostRows, loop.size);
        !loop.isReduction && (!rows || count > rows->count))
      rows = {loop.symbol, count};
  return rows;
}

/// The vectors of the cheapest loop, among the reduction loops if
/// `isReduction`, else among the other loops.
std::optional<Lanes> VectorChoice::chooseLanes(bool isReduction) const {
  std::optional<Lanes> lanes;
  double least = 0;
  for (const NestLoop &loop : nest.getLoops()) {
    if (loop.isReduction != isReduction || !canBeLane(loop))
      continue;
    double cost = getCost(loop);
    if (lanes && cost >= least)
      continue;
    least = cost;
    lanes = {loop.symbol, getLanes(loop.size)};
  }
  return lanes;
}

Schedule VectorChoice::choose() const {
  Schedule schedule;
  if (nest.computesLookups())
    return schedule;
  linalg::GenericOp reduction = nest.getReduction();
  if (reduction && reducesInLanes(plan, reduction, mostLanes))
    schedule.lanes = chooseLanes(/*isReduction=*/true);
  if (!schedule.lanes)
    schedule.lanes = chooseLanes(/*isReduction=*/false);
  if (schedule.lanes)
    schedule.rows = chooseRows(*schedule.lanes);
  else if (nest.scans())
    schedule.rows = chooseLines();
  return schedule;
}

Schedule kernels::chooseVectors(const KernelPlan &plan, const LoopNest &nest,
                                int64_t mostLanes) {
  return VectorChoice(plan, nest, mostLanes).choose();
}

/// A point takes at least the time of its memory accesses. The constants were
/// measured on one core with AVX-512.
double kernels::estimateTime(const KernelPlan &plan,
                             const ScheduledNest &nest) {
  constexpr double leastPerPoint = 0.15, perOperation = 0.02;
  int64_t cost = plan.getCost(nest.getSource());
  if (linalg::GenericOp reduction = nest.getReduction())
    cost += getBodyCost(reduction);
  double perPoint =
      std::max(leastPerPoint, perOperation * static_cast<double>(cost));
  double lanes = nest.schedule.lanes ? 1.0 : 4.0;
  return static_cast<double>(nest.getPoints()) * perPoint * lanes;
}
