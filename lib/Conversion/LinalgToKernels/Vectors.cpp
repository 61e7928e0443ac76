//===- Vectors.cpp - Which loop of a stage becomes vectors ----*- C++ -*-===//
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

/// What accesses cost in relation to a load of neighbours.
static constexpr double gatherCost = 16, scatterCost = 24, transposeCost = 3,
                        interleaveCost = 2;
/// Combining the lanes of a vector.
static constexpr double reduceCost = 12;
/// The most vectors whose lanes alternate in memory.
static constexpr int64_t mostInterleaved = 8;
/// The most accumulators that are kept in registers.
static constexpr int64_t mostRows = 8;

StageLoop *Stage::findLoop(int symbol) {
  StageLoop *loop = llvm::find_if(
      loops, [&](const StageLoop &loop) { return loop.symbol == symbol; });
  return loop == loops.end() ? nullptr : loop;
}

int64_t Stage::getElements() const {
  int64_t elements = 1;
  for (int64_t extent : extents)
    elements *= extent;
  return elements;
}

bool Stage::isReductionLane() {
  StageLoop *loop = findLoop(lane);
  return loop && loop->isReduction;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int64_t kernels::getStep(const Plan &plan, const Access &access, int symbol) {
  if (!access.tensor)
    return 0;
  Value base;
  std::optional<SmallVector<int64_t>> strides =
      plan.getStrides(access.tensor, base);
  int64_t step = 0;
  for (auto [index, stride] : llvm::zip(access.indices, *strides))
    step += index.getCoefficient(symbol) * stride;
  return step;
}

static bool
anyDerived(const Plan &plan, const Access &access, int symbol,
           llvm::function_ref<bool(const Symbols::Symbol &)> isKind) {
  for (const LinearIndex &index : access.indices)
    for (auto [name, coefficient] : index.terms)
      if (isKind(plan.symbols[name]) &&
          plan.symbols.dependsOn(LinearIndex::ofSymbol(name), symbol))
        return true;
  return false;
}

bool kernels::isFolded(const Plan &plan, const Access &access, int symbol) {
  return anyDerived(plan, access, symbol, [](const Symbols::Symbol &symbol) {
    return symbol.kind == Symbols::Kind::Quotient ||
           symbol.kind == Symbols::Kind::Remainder;
  });
}

bool kernels::isComputed(const Plan &plan, const Access &access, int symbol) {
  return anyDerived(plan, access, symbol, [](const Symbols::Symbol &symbol) {
    return symbol.kind == Symbols::Kind::Computed;
  });
}

//===----------------------------------------------------------------------===//
// Order of reductions
//===----------------------------------------------------------------------===//

/// The cost of an element of reduction `op` if its loop `number` becomes
/// vectors of up to `mostLanes` and all operands are stored.
static double getOwnCost(const Plan &plan, linalg::GenericOp op,
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

/// Whether partial results of `op` are kept in lanes. It decides on the order
/// in which elements are combined, so that only the op itself counts, and not
/// what else its kernel does.
static bool reducesInLanes(const Plan &plan, linalg::GenericOp op,
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
  VectorChoice(const Plan &plan, Stage &stage, int64_t mostLanes)
      : plan(plan), stage(stage), mostLanes(mostLanes) {}

  void choose();

private:
  bool canBeLane(const StageLoop &loop) const;
  double getCost(const StageLoop &loop) const;
  double getReadCost(const Access &read, int lane) const;
  const StageLoop *findTransposed(const Access &read, int lane) const;
  const StageLoop *findInterleaved(const Access &access, int lane) const;
  double getWriteCost(int lane) const;
  bool chooseInterleaving();
  void chooseLane(bool isReduction);
  void chooseUnrolling();
  void chooseLines();
  int64_t getLanes(int64_t size) const {
    return std::min<int64_t>(mostLanes, llvm::PowerOf2Ceil(size));
  }

  const Plan &plan;
  Stage &stage;
  int64_t mostLanes;
};
} // namespace

bool VectorChoice::canBeLane(const StageLoop &loop) const {
  auto isFoldedIn = [&](const Access &access) {
    return isFolded(plan, access, loop.symbol);
  };
  if (loop.size <= 1 || llvm::any_of(stage.reads, isFoldedIn))
    return false;
  if (loop.isReduction)
    return findCombiner(stage.reduction) != nullptr;
  if (stage.scans)
    return getStep(plan, stage.write, loop.symbol) == 1;
  if (stage.accumulates) {
    // Lanes must not meet in one element.
    auto op = stage.source.getDefiningOp<linalg::GenericOp>();
    bool isAlone = false;
    for (const LinearIndex &index : stage.write.indices) {
      isAlone |= index.asSymbol() == loop.symbol;
      if (index.getCoefficient(loop.symbol) != 0 &&
          index.asSymbol() != loop.symbol)
        return false;
    }
    for (auto [index, kind] : llvm::zip(stage.at, op.getIteratorTypesArray()))
      if (index.asSymbol() == loop.symbol &&
          kind == utils::IteratorType::reduction)
        return false;
    return isAlone;
  }
  return true;
}

/// Another loop along which `read` finds neighbours, so that blocks of it can
/// be loaded and transposed.
const StageLoop *VectorChoice::findTransposed(const Access &read,
                                              int lane) const {
  if (stage.reduction || stage.accumulates || stage.scans || !read.tensor)
    return nullptr;
  for (const StageLoop &loop : stage.loops)
    if (loop.symbol != lane && loop.size >= mostLanes &&
        getStep(plan, read, loop.symbol) == 1 &&
        !isFolded(plan, read, loop.symbol) &&
        !isComputed(plan, read, loop.symbol))
      return &loop;
  return nullptr;
}

/// Another loop, all of whose iterations `access` finds behind each other
/// between two of `lane`, so that whole vectors of elements that alternate are
/// moved.
const StageLoop *VectorChoice::findInterleaved(const Access &access,
                                               int lane) const {
  int64_t step = getStep(plan, access, lane);
  if (stage.reduction || stage.accumulates || stage.scans || !access.tensor ||
      step < 2 || step > mostInterleaved || isComputed(plan, access, lane))
    return nullptr;
  auto isFoldedAlong = [&](int symbol) {
    return llvm::any_of(stage.reads, [&](const Access &read) {
      return isFolded(plan, read, symbol);
    });
  };
  for (const StageLoop &loop : stage.loops)
    if (loop.symbol != lane && loop.size == step &&
        getStep(plan, access, loop.symbol) == 1 &&
        !isComputed(plan, access, loop.symbol) && !isFoldedAlong(loop.symbol))
      return &loop;
  return nullptr;
}

double VectorChoice::getWriteCost(int lane) const {
  if (getStep(plan, stage.write, lane) == 1)
    return 1;
  return findInterleaved(stage.write, lane) ? interleaveCost : scatterCost;
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

/// The cost of the stage per element if `loop` becomes vectors.
double VectorChoice::getCost(const StageLoop &loop) const {
  double cost = 1;
  for (const Access &read : stage.reads)
    cost += getReadCost(read, loop.symbol);
  double writes = static_cast<double>(stage.getElements()) /
                  std::max<double>(1.0, plan.getPoints(stage));
  if (loop.isReduction)
    cost += writes * reduceCost;
  else
    cost += writes * getWriteCost(loop.symbol);
  int64_t lanes = getLanes(loop.size);
  return cost * static_cast<double>(llvm::divideCeil(loop.size, lanes)) /
         static_cast<double>(loop.size);
}

/// Unrolls a loop whose elements lie alternately with those of the lanes.
bool VectorChoice::chooseInterleaving() {
  bool writesRows = getStep(plan, stage.write, stage.lane) == 1;
  const StageLoop *other =
      writesRows ? nullptr : findInterleaved(stage.write, stage.lane);
  stage.interleaves = other;
  for (const Access &read : stage.reads)
    if (!other && writesRows) {
      other = findInterleaved(read, stage.lane);
      stage.transposes = other;
    }
  if (!other)
    return false;
  stage.unrolled = other->symbol;
  stage.unroll = other->size;
  return true;
}

/// Rows share what they read alone; transposed blocks are as high as wide.
void VectorChoice::chooseUnrolling() {
  if (chooseInterleaving())
    return;
  for (const Access &read : stage.reads)
    if (const StageLoop *other = findTransposed(read, stage.lane);
        other && getStep(plan, read, stage.lane) > 1 &&
        !isComputed(plan, read, stage.lane) && stage.lanes == mostLanes &&
        getStep(plan, stage.write, stage.lane) == 1) {
      stage.transposes = true;
      stage.unrolled = other->symbol;
      stage.unroll = stage.lanes;
      return;
    }
  if (!stage.reduction || stage.isReductionLane())
    return;
  for (const StageLoop &loop : stage.loops) {
    if (loop.isReduction || loop.symbol == stage.lane)
      continue;
    bool isShared = llvm::any_of(stage.reads, [&](const Access &read) {
      return read.tensor && getStep(plan, read, stage.lane) != 0 &&
             getStep(plan, read, loop.symbol) == 0 &&
             !isFolded(plan, read, loop.symbol);
    });
    if (isShared) {
      stage.unrolled = loop.symbol;
      stage.unroll = std::min(mostRows, loop.size);
    }
  }
}

/// Each running value depends on the previous one, so several lines of a scan
/// are computed together.
void VectorChoice::chooseLines() {
  for (const StageLoop &loop : stage.loops)
    if (!loop.isReduction && std::min(mostRows, loop.size) > stage.unroll) {
      stage.unrolled = loop.symbol;
      stage.unroll = std::min(mostRows, loop.size);
    }
}

/// Makes vectors of the cheapest of the loops that are reductions, or of those
/// that are not.
void VectorChoice::chooseLane(bool isReduction) {
  double least = 0;
  for (const StageLoop &loop : stage.loops) {
    if (loop.isReduction != isReduction || !canBeLane(loop))
      continue;
    double cost = getCost(loop);
    if (stage.lane >= 0 && cost >= least)
      continue;
    least = cost;
    stage.lane = loop.symbol;
    stage.lanes = getLanes(loop.size);
  }
}

void VectorChoice::choose() {
  if (stage.computesLookups)
    return;
  if (stage.reduction && reducesInLanes(plan, stage.reduction, mostLanes))
    chooseLane(/*isReduction=*/true);
  if (stage.lane < 0)
    chooseLane(/*isReduction=*/false);
  if (stage.lane >= 0)
    chooseUnrolling();
  else if (stage.scans)
    chooseLines();
}

void kernels::chooseVectors(const Plan &plan, Stage &stage, int64_t mostLanes) {
  VectorChoice(plan, stage, mostLanes).choose();
}

/// A point costs at least what memory takes for it; measured on one core with
/// AVX-512.
double kernels::estimateTime(const Plan &plan, const Stage &stage) {
  constexpr double leastPerPoint = 0.15, perOperation = 0.02;
  int64_t cost = plan.getCost(stage.source);
  linalg::GenericOp reduction = stage.reduction;
  if (reduction)
    cost += getBodyCost(reduction);
  double perPoint =
      std::max(leastPerPoint, perOperation * static_cast<double>(cost));
  double lanes = stage.lane >= 0 ? 1.0 : 4.0;
  return static_cast<double>(plan.getPoints(stage)) * perPoint * lanes;
}
