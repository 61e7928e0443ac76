//===- SplitReductions.cpp - Reductions over tiles ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SplitReductions.h"

#include "Combiners.h"
#include "TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

namespace {
/// The division of a loop into tiles: `tiles` tiles of `size` iterations, and
/// the last `rest` iterations.
struct Tiling {
  unsigned loop;
  int64_t tiles, size, rest;
};

class ReductionSplitter {
public:
  ReductionSplitter(linalg::GenericOp op, TensorStrides &ownStrides,
                    const SplitRules &rules)
      : op(op), ownStrides(ownStrides), rules(rules), builder(op),
        sizes(op.getStaticLoopRanges()), kinds(op.getIteratorTypesArray()) {}

  /// Decides whether and where to cut.
  bool choose();
  /// Replaces the reduction by a reduction of each tile and the combination of
  /// their results.
  void split(llvm::DenseSet<Value> &partials);

private:
  bool canSplit();
  bool canTile(unsigned loop);
  int64_t getStep(unsigned loop);
  int64_t countTasks();
  Tiling tile(unsigned loop, int64_t wanted) const;

  Value cutOperand(OpOperand &input, int64_t begin, int64_t size,
                   int64_t tiles);
  linalg::GenericOp makeRest();
  linalg::GenericOp makePartials();
  linalg::GenericOp combine(Value partials, Value start);
  Value makeIdentities(ArrayRef<int64_t> shape);

  linalg::GenericOp op;
  TensorStrides &ownStrides;
  const SplitRules &rules;
  OpBuilder builder;
  SmallVector<int64_t> sizes;
  SmallVector<utils::IteratorType> kinds;
  /// The operand with the most elements. Its layout decides which loops are
  /// cut.
  OpOperand *largest = nullptr;
  /// The loops in which each iteration is a tile.
  SmallVector<unsigned> whole;
  std::optional<Tiling> tiling;
};
} // namespace

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

bool ReductionSplitter::canSplit() {
  return op->getNumResults() == 1 && isReduction(op) && hasPlainResult(op) &&
         findCombiner(op) && op.getBody()->getOps<linalg::IndexOp>().empty() &&
         op.getNumDpsInputs() != 0;
}

/// Whether each operand has at most one dim that `loop` counts, and counts it
/// alone.
bool ReductionSplitter::canTile(unsigned loop) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    int dims = 0;
    bool isAlone = true;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      dims += expr.isFunctionOfDim(loop);
      isAlone &= !expr.isFunctionOfDim(loop) || isa<AffineDimExpr>(expr);
    }
    return dims <= 1 && isAlone;
  });
}

/// The distance by which an iteration of `loop` moves in the largest operand.
int64_t ReductionSplitter::getStep(unsigned loop) {
  int64_t step = 0;
  for (auto [expr, stride] :
       llvm::zip(op.getMatchingIndexingMap(largest).getResults(),
                 ownStrides.find(largest->get())->second))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() == loop)
      step += stride;
  return step;
}

/// The number of tasks into which the results are divided.
int64_t ReductionSplitter::countTasks() {
  int64_t tasks = 1;
  for (auto [loop, kind] : llvm::enumerate(kinds))
    if (kind == utils::IteratorType::parallel)
      tasks *= getStep(loop) == 1
                   ? llvm::divideCeil(sizes[loop], rules.resultBlock)
                   : sizes[loop];
  return tasks;
}

/// At least `wanted` tiles of `loop` and fewer than twice as many, so that as
/// few iterations as possible are left.
Tiling ReductionSplitter::tile(unsigned loop, int64_t wanted) const {
  Tiling best{loop, 0, 0, sizes[loop]};
  for (int64_t tiles = wanted; tiles < 2 * wanted && best.rest > 0; ++tiles)
    if (int64_t rest = sizes[loop] % tiles; rest < best.rest)
      best = {loop, tiles, sizes[loop] / tiles, rest};
  return best;
}

bool ReductionSplitter::choose() {
  if (!canSplit())
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!largest ||
        getNumElements(input->get()) > getNumElements(largest->get()))
      largest = input;
  int64_t points = 1;
  for (int64_t size : sizes)
    points *= size;
  int64_t tasks = countTasks();
  if (tasks == 0 || tasks >= rules.enoughTasks ||
      points / tasks < rules.longReduction)
    return false;
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(kinds))
    if (kind == utils::IteratorType::reduction && sizes[loop] > 1 &&
        canTile(loop))
      loops.push_back(loop);
  // The loop that moves farthest in memory is cut first, so that a tile is one
  // piece.
  llvm::stable_sort(loops, [&](unsigned left, unsigned right) {
    return getStep(left) > getStep(right);
  });
  int64_t wanted = llvm::divideCeil(rules.enoughTiles, tasks);
  for (unsigned loop : loops) {
    if (sizes[loop] >= 2 * wanted) {
      tiling = tile(loop, wanted);
      break;
    }
    whole.push_back(loop);
    wanted = llvm::divideCeil(wanted, sizes[loop]);
    if (wanted == 1)
      break;
  }
  return tiling || !whole.empty();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The part of `input` that `tiles` times `size` iterations read, from
/// iteration `begin` on. If there are several tiles, the dim of the loop
/// becomes two dims.
Value ReductionSplitter::cutOperand(OpOperand &input, int64_t begin,
                                    int64_t size, int64_t tiles) {
  Value value = input.get();
  AffineMap map = op.getMatchingIndexingMap(&input);
  std::optional<unsigned> dim = map.getResultPosition(
      builder.getAffineDimExpr(static_cast<int>(tiling->loop)));
  if (!dim)
    return value;
  SmallVector<int64_t> shape(getShape(value));
  SmallVector<int64_t> strides = ownStrides.find(value)->second;
  if (shape[*dim] != size * tiles) {
    SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> steps(shape.size(), builder.getIndexAttr(1));
    offsets[*dim] = builder.getIndexAttr(begin);
    shape[*dim] = size * tiles;
    value = tensor::ExtractSliceOp::create(
        builder, op.getLoc(), value, offsets,
        getAsIndexOpFoldResult(builder.getContext(), shape), steps);
    ownStrides[value] = strides;
  }
  if (tiles == 1)
    return value;
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0, rank = shape.size(); d < rank; ++d) {
    groups.push_back({next++});
    if (d == *dim)
      groups.back().push_back(next++);
  }
  shape[*dim] = size;
  shape.insert(shape.begin() + *dim, tiles);
  strides.insert(strides.begin() + *dim, strides[*dim] * size);
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  value =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), type, value, groups);
  ownStrides[value] = std::move(strides);
  return value;
}

Value ReductionSplitter::makeIdentities(ArrayRef<int64_t> shape) {
  TypedAttr identity = getIdentity(findCombiner(op));
  Location location = op.getLoc();
  Value scalar = arith::ConstantOp::create(builder, location, identity);
  Value empty =
      tensor::EmptyOp::create(builder, location, shape, identity.getType());
  Value filled =
      linalg::FillOp::create(builder, location, scalar, empty).getResult(0);
  ownStrides[empty] = ownStrides[filled] = getRowMajorStrides(shape);
  return filled;
}

static linalg::GenericOp
makeGeneric(OpBuilder &builder, Location location, ValueRange inputs,
            Value start, ArrayRef<AffineMap> maps,
            ArrayRef<utils::IteratorType> kinds, TensorStrides &ownStrides,
            llvm::function_ref<void(OpBuilder &, ValueRange)> makeBody) {
  auto made = linalg::GenericOp::create(
      builder, location, TypeRange(start.getType()), inputs, ValueRange(start),
      maps, kinds, [&](OpBuilder &body, Location, ValueRange arguments) {
        makeBody(body, arguments);
      });
  ownStrides[made.getResult(0)] = getRowMajorStrides(getShape(start));
  return made;
}

static void cloneBody(linalg::GenericOp op, OpBuilder &builder,
                      ValueRange arguments) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), arguments);
  for (Operation &inner : *op.getBody())
    builder.clone(inner, mapping);
}

/// Makes the reduction of the iterations that are in no tile. It begins with
/// the initial value of the whole reduction.
linalg::GenericOp ReductionSplitter::makeRest() {
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(cutOperand(*input, tiling->tiles * tiling->size,
                                tiling->rest, /*tiles=*/1));
  return makeGeneric(builder, op.getLoc(), inputs, op.getDpsInits()[0],
                     op.getIndexingMapsArray(), kinds, ownStrides,
                     [&](OpBuilder &body, ValueRange arguments) {
                       cloneBody(op, body, arguments);
                     });
}

/// Makes the reductions that have one result for each tile. The loop over the
/// tiles comes before the loop that is cut.
linalg::GenericOp ReductionSplitter::makePartials() {
  SmallVector<Value> inputs;
  SmallVector<utils::IteratorType> loopKinds = kinds;
  SmallVector<AffineExpr> loops, perTile;
  SmallVector<int64_t> shape;
  unsigned next = 0;
  for (unsigned loop = 0; loop < kinds.size(); ++loop) {
    bool isCut = tiling && tiling->loop == loop;
    if (isCut)
      loopKinds.insert(loopKinds.begin() + next, utils::IteratorType::parallel);
    if (llvm::is_contained(whole, loop))
      loopKinds[next] = utils::IteratorType::parallel;
    if (isCut || llvm::is_contained(whole, loop)) {
      perTile.push_back(builder.getAffineDimExpr(next));
      shape.push_back(isCut ? tiling->tiles : sizes[loop]);
    }
    next += isCut;
    loops.push_back(builder.getAffineDimExpr(next++));
  }
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isResult = op.isDpsInit(&operand);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results;
    if (isResult)
      results = perTile;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (tiling && dim && dim.getPosition() == tiling->loop)
        results.push_back(builder.getAffineDimExpr(
            cast<AffineDimExpr>(loops[tiling->loop]).getPosition() - 1));
      results.push_back(expr.replaceDims(loops));
    }
    maps.push_back(AffineMap::get(next, 0, results, builder.getContext()));
    if (!isResult)
      inputs.push_back(tiling
                           ? cutOperand(operand, 0, tiling->size, tiling->tiles)
                           : operand.get());
  }
  llvm::append_range(shape, getShape(op.getResult(0)));
  return makeGeneric(builder, op.getLoc(), inputs, makeIdentities(shape), maps,
                     loopKinds, ownStrides,
                     [&](OpBuilder &body, ValueRange arguments) {
                       cloneBody(op, body, arguments);
                     });
}

/// Combines all tiles of each result into one.
linalg::GenericOp ReductionSplitter::combine(Value partials, Value start) {
  unsigned rank = getShape(partials).size();
  unsigned tileDims = rank - getShape(start).size();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  // A scalar is read by the map without results.
  AffineMap kept = AffineMap::get(
      rank, 0, all.getResults().drop_front(tileDims), builder.getContext());
  SmallVector<utils::IteratorType> loopKinds(rank,
                                             utils::IteratorType::parallel);
  std::fill_n(loopKinds.begin(), tileDims, utils::IteratorType::reduction);
  return makeGeneric(builder, op.getLoc(), partials, start, {all, kept},
                     loopKinds, ownStrides,
                     [&](OpBuilder &body, ValueRange arguments) {
                       Value both = kernels::combine(
                           body, findCombiner(op), arguments[1], arguments[0]);
                       linalg::YieldOp::create(body, op.getLoc(), both);
                     });
}

void ReductionSplitter::split(llvm::DenseSet<Value> &partials) {
  Value start = op.getDpsInits()[0];
  if (tiling && tiling->rest != 0) {
    start = makeRest().getResult(0);
    partials.insert(start);
  }
  Value tiles = makePartials().getResult(0);
  partials.insert(tiles);
  Value result = combine(tiles, start).getResult(0);
  ownStrides[result] = ownStrides[op.getResult(0)];
  ownStrides.erase(op.getResult(0));
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
}

llvm::DenseSet<Value> kernels::splitReductions(func::FuncOp function,
                                               TensorStrides &ownStrides,
                                               const SplitRules &rules) {
  llvm::DenseSet<Value> partials;
  for (auto op : llvm::make_early_inc_range(
           function.getBody().front().getOps<linalg::GenericOp>()))
    if (ReductionSplitter splitter(op, ownStrides, rules); splitter.choose())
      splitter.split(partials);
  return partials;
}
