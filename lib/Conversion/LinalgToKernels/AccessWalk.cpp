//===- AccessWalk.cpp - What a nest reads -----------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "AccessWalk.h"

#include "KernelPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace weir::kernels;

void AccessWalk::addGuards(ArrayRef<Guard> guards) {
  reads.hasConditions |= !guards.empty();
  for (const Guard &guard : guards)
    reads.accesses.push_back({{}, {guard.index}});
}

static bool isAt(const Access &access, Value tensor, ArrayRef<LinearIndex> at) {
  return access.tensor == tensor && ArrayRef<LinearIndex>(access.indices) == at;
}

/// Adds an access. An element that is used both with and without conditions is
/// one access.
void AccessWalk::addAccess(Value tensor, ArrayRef<LinearIndex> at) {
  auto *known = llvm::find_if(reads.accesses, [&](const Access &access) {
    return isAt(access, tensor, at);
  });
  if (known == reads.accesses.end())
    reads.accesses.push_back({tensor, Indices(at), isConditional});
  else
    known->isConditional |= isConditional;
}

void AccessWalk::visit(Value tensor, ArrayRef<LinearIndex> at) {
  SmallVector<Access, 2> &seen = visited[tensor];
  if (llvm::any_of(seen, [&](const Access &known) {
        return isAt(known, tensor, at) && known.isConditional == isConditional;
      }))
    return;
  seen.push_back({tensor, Indices(at), isConditional});
  Value base;
  if (!follows || plan.getStrides(tensor, base))
    addAccess(tensor, at);
  else
    visitDefinition(tensor, at);
}

void AccessWalk::visitGuarded(Value tensor, ArrayRef<LinearIndex> at,
                              ArrayRef<Guard> guards) {
  llvm::SaveAndRestore around(isConditional, isConditional || !guards.empty());
  visit(tensor, at);
}

void AccessWalk::visitSource(const Assignment &assignment,
                             ArrayRef<LinearIndex> at) {
  Value source = assignment.getSource();
  if (source == assignment.getHome())
    visitDefinition(source, at);
  else
    visit(source, at);
}

void AccessWalk::visitDefinition(Value tensor, ArrayRef<LinearIndex> at) {
  Operation *op = tensor.getDefiningOp();
  if (op == stop)
    return addAccess(tensor, at);
  if (Value source = getReshaped(tensor))
    return visit(source,
                 toReshaped(symbols, getShape(source), getShape(tensor), at));
  SmallVector<Guard> guards;
  TypeSwitch<Operation *>(op)
      .Case([&](linalg::GenericOp op) {
        visitBody(op, toLoops(op, at), /*readsInit=*/true);
      })
      .Case([&](tensor::ExtractSliceOp op) {
        visit(op.getSource(), toSource(op, at));
      })
      .Case([&](tensor::PadOp op) {
        const Indices source = toSource(op, at, symbols, guards);
        visitGuarded(op.getSource(), source, guards);
      })
      .Case([&](tensor::InsertSliceOp op) { visitInsert(op, at); });
  addGuards(guards);
}

void AccessWalk::visitInsert(tensor::InsertSliceOp op,
                             ArrayRef<LinearIndex> at) {
  SmallVector<Guard> guards;
  Indices source = toSource(op, at, symbols, guards);
  if (neverHold(guards, symbols))
    return visit(op.getDest(), at);
  visitGuarded(op.getSource(), source, guards);
  if (guards.empty())
    return;
  visitGuarded(op.getDest(), at, guards);
  addGuards(guards);
  llvm::append_range(reads.insertions, guards);
}

void AccessWalk::visitBody(linalg::GenericOp op, ArrayRef<LinearIndex> loops,
                           bool readsInit) {
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(input).use_empty())
      visit(input->get(), applyMap(getMap(op, *input), loops));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (readsInit && !op.getMatchingBlockArgument(&init).use_empty())
      visit(init.get(), applyMap(getMap(op, init), loops));
  visitExtracts(op, loops);
}

/// Visits the reads at computed indices. The body is not searched for the
/// values on which such an index depends. So the index counts as dependent on
/// everything that the body sees.
void AccessWalk::visitExtracts(linalg::GenericOp op,
                               ArrayRef<LinearIndex> loops) {
  SmallVector<int> sources;
  for (OpOperand *input : op.getDpsInputOperands())
    for (const LinearIndex &index : applyMap(getMap(op, *input), loops))
      symbols.collectLoops(index, sources);
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    reads.accesses.push_back({{}, {loops[index.getDim()]}});
    bool isComputedWith = llvm::any_of(index->getUsers(), [](Operation *user) {
      return !isa<tensor::ExtractOp>(user);
    });
    if (isComputedWith)
      symbols.collectLoops(loops[index.getDim()], sources);
  }
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    Indices at;
    for (Value index : extract.getIndices()) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      at.push_back(
          loop ? loops[loop.getDim()]
               : LinearIndex::ofSymbol(symbols.addComputed({}, sources)));
    }
    Value base;
    reads.computesLookups |= !plan.getStrides(extract.getTensor(), base);
    visit(extract.getTensor(), at);
  }
}
