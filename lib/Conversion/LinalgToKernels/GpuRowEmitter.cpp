//===- GpuRowEmitter.cpp - Emits rows that warps compute --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GpuRowEmitter.h"

#include "Combiners.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void GpuRowEmitter::addPieces(int64_t round, const LinearIndex &first,
                              Value isOwn) {
  if (row.isVector) {
    pieces.push_back(
        {first.plus(LinearIndex::ofSymbol(row.symbol)), round, 0, isOwn});
    return;
  }
  for (int64_t place = 0; place < row.strip; ++place)
    pieces.push_back({first.plus(place), round, place, isOwn});
}

/// Makes the pieces of the thread. In each round, neighbouring threads have
/// neighbouring strips. In the last round, threads after the end of the row
/// compute the last strip again.
void GpuRowEmitter::makePieces() {
  auto bindTo = [&](Value strip, int64_t last) {
    const int symbol = code.symbols.addLoop(last * row.strip + 1);
    point.memory.setFactor(symbol, row.strip);
    code.bind(symbol,
              code.make<arith::MulIOp>(strip, code.constantIndex(row.strip)));
    return LinearIndex::ofSymbol(symbol);
  };
  if (row.isVector) {
    // The lanes of the vector count from the symbols of the pieces.
    code.symbols.resizeLoop(row.symbol, row.strip);
    point.memory.setFactor(row.symbol, row.strip);
    code.bind(row.symbol, code.constantIndex(0));
  }
  if (rounds.whole > 0) {
    const LinearIndex own = bindTo(member, warpThreads - 1);
    for (int64_t round = 0; round < rounds.whole; ++round)
      addPieces(round, own.plus(round * warpThreads * row.strip), {});
  }
  if (rounds.rest == 0)
    return;
  Value end = code.constantIndex(rounds.rest);
  Value last = code.constantIndex(rounds.rest - 1);
  const LinearIndex own =
      bindTo(code.make<arith::MinUIOp>(member, last), rounds.rest - 1);
  addPieces(rounds.whole, own.plus(rounds.whole * warpThreads * row.strip),
            code.make<arith::CmpIOp>(arith::CmpIPredicate::ult, member, end));
}

Indices GpuRowEmitter::at(const Indices &indices, const Piece &piece) const {
  Indices own = indices;
  for (LinearIndex &index : own)
    index = index.replace(row.symbol, piece.at);
  return own;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

/// Keeps `value` for later nests. Unless its home is scratch, also stores it,
/// under `condition` if there is one.
void GpuRowEmitter::store(const LoopNest &nest, const Indices &at, Value value,
                          Value condition) {
  point.keep(nest.getHome(), at, value);
  if (point.plan.homes.find(nest.getHome())->second.kind == Home::Kind::Scratch)
    return;
  if (!condition)
    return point.store(nest.getHome(), at, value, {});
  auto branch = code.make<scf::IfOp>(condition, /*withElseRegion=*/false);
  code.enter(branch.thenBlock(), -1, {});
  point.store(nest.getHome(), at, value, {});
  code.leave();
}

void GpuRowEmitter::emitElements(const LoopNest &nest) {
  for (const Piece &piece : pieces)
    store(nest, at(nest.getWrite().indices, piece),
          point.evaluate(nest, at(nest.getIndices(), piece)), piece.isOwn);
}

/// Emits the only element of `nest` for the row. All threads know its value.
void GpuRowEmitter::emitElement(const LoopNest &nest, Value value) {
  store(nest, nest.getWrite().indices, value,
        code.make<arith::CmpIOp>(arith::CmpIPredicate::eq, member,
                                 code.constantIndex(0)));
}

/// The elements are combined in the same order as in other reductions by warps
/// (GpuNestEmitter.cpp).
void GpuRowEmitter::emitReduction(const LoopNest &nest) {
  linalg::GenericOp op = nest.getReduction();
  Operation *combiner = findCombiner(op);
  Value identity = code.make<arith::ConstantOp>(getIdentity(combiner));
  const int64_t values = row.isVector ? 1 : row.strip;
  SmallVector<Value> running(rounds.running * values,
                             row.isVector ? lanes.splat(identity) : identity);
  for (const Piece &piece : pieces) {
    Value &value = running[piece.round % rounds.running * values + piece.place];
    const Indices loops = toLoops(op, nest.getReductionResult(),
                                  at(nest.getReductionLoops(), piece));
    Value next = point.computeBody(op, loops, {}, value);
    value = piece.isOwn ? code.make<arith::SelectOp>(piece.isOwn, next, value)
                        : next;
  }
  Value value = combineStrips(code, combiner, running, row.strip);
  value = combineInWarp(code, combiner, value);
  OpOperand &init = *op.getDpsInitOperand(0);
  Value start =
      point.read(init.get(), applyMap(getMap(op, init),
                                      toLoops(op, nest.getReductionResult())));
  value = combine(code.builder, combiner, start, value);
  if (nest.getSource() != op.getResult(0)) {
    code.remember(op.getResult(0), nest.getReductionResult(), {}, value);
    value = point.evaluate(nest, nest.getIndices());
  }
  emitElement(nest, value);
}

void GpuRowEmitter::emit() {
  // The result of a reduction may depend on no symbol, but it is valid for this
  // row only.
  code.setFloor(code.getDepth());
  auto reset = llvm::scope_exit([&] { code.setFloor(0); });
  lanes.set(row.isVector ? std::optional(Lanes{row.symbol, row.strip})
                         : std::nullopt);
  makePieces();
  for (const LoopNest &nest : section.nests) {
    if (nest.getReduction())
      emitReduction(nest);
    else if (nest.getLoops().empty())
      emitElement(nest, point.evaluate(nest, nest.getIndices()));
    else
      emitElements(nest);
  }
}
