//===- CodeLevels.cpp - What is known in the loops around code --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CodeLevels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

CodeLevels::At::At(CodeLevels &code, int depth)
    : guard(code.builder), code(code), before(code.current) {
  code.current = depth;
  Level &level = code.levels[depth];
  if (level.next)
    code.builder.setInsertionPoint(level.next);
  else
    code.builder.setInsertionPointToEnd(level.block);
}

void CodeLevels::enter(Block *block, int symbol, Value variable) {
  // Code that the outer level still needs goes before the new loop.
  if (!levels.empty())
    levels.back().next = block->getParentOp();
  Operation *terminator =
      block->mightHaveTerminator() ? block->getTerminator() : nullptr;
  Level &level = levels.emplace_back();
  level.block = block;
  level.next = terminator;
  current = getDepth();
  if (terminator)
    builder.setInsertionPoint(terminator);
  else
    builder.setInsertionPointToEnd(block);
  if (symbol >= 0)
    bind(symbol, variable);
}

void CodeLevels::leave() {
  Operation *loop = levels.back().block->getParentOp();
  int depth = getDepth();
  levels.pop_back();
  current = getDepth();
  SmallVector<int> gone;
  for (auto &[symbol, variable] : variables)
    if (variable.depth == depth)
      gone.push_back(symbol);
  for (int symbol : gone)
    variables.erase(symbol);
  if (levels.empty())
    return;
  levels.back().next = loop->getNextNode();
  builder.setInsertionPointAfter(loop);
}

void CodeLevels::bind(int symbol, Value value) {
  variables[symbol] = {value, current};
}

void CodeLevels::note(Location where, StringRef what) {
  if (!fault)
    fault = {where, what};
}

int CodeLevels::depthOf(const LinearIndex &index) const {
  int depth = 0;
  for (auto [name, coefficient] : index.terms) {
    const Symbols::Symbol &symbol = symbols[name];
    depth = std::max(depth, symbol.isDerived() ? depthOf(symbol.of)
                                               : variables.lookup(name).depth);
  }
  return depth;
}

int CodeLevels::depthOf(ArrayRef<LinearIndex> at, const Mask &mask) const {
  int depth = std::max(floor, mask.value ? mask.depth : 0);
  for (const LinearIndex &index : at)
    depth = std::max(depth, depthOf(index));
  return depth;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void CodeLevels::remember(Value tensor, ArrayRef<LinearIndex> at,
                          const Mask &mask, Value value) {
  levels[depthOf(at, mask)].known[tensor].push_back(
      {Indices(at), mask.value, value});
}

Value CodeLevels::find(Value tensor, ArrayRef<LinearIndex> at,
                       const Mask &mask) {
  for (const Known &known : levels[depthOf(at, mask)].known[tensor])
    if (known.mask == mask.value && ArrayRef<LinearIndex>(known.at) == at)
      return known.value;
  return {};
}

/// Creates each constant once, at the start of the function.
Value CodeLevels::constantIndex(int64_t number) {
  Value &constant = constants[number];
  if (constant)
    return constant;
  OpBuilder::InsertionGuard guard(builder);
  auto function =
      builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  if (!function)
    function = cast<func::FuncOp>(builder.getBlock()->getParentOp());
  builder.setInsertionPointToStart(&function.getBody().front());
  constant = make<arith::ConstantIndexOp>(number);
  return constant;
}

/// The value of a symbol. A dividend that may be negative is raised by a
/// multiple of the divisor, so that a quotient or remainder takes one
/// instruction.
Value CodeLevels::emitSymbol(int name) {
  const Symbols::Symbol &symbol = symbols[name];
  if (symbol.kind == Symbols::Kind::Loop ||
      symbol.kind == Symbols::Kind::Computed)
    return variables.lookup(name).value;
  int64_t divisor = symbol.divisor;
  LinearIndex of = symbol.of;
  bool isQuotient = symbol.kind == Symbols::Kind::Quotient;
  int64_t lowest = symbols.getRange(of).min;
  int64_t turns = lowest < 0 ? (divisor - 1 - lowest) / divisor : 0;
  Value number = emitIndex(of.plus(turns * divisor));
  Value by = constantIndex(divisor);
  if (!isQuotient)
    return make<arith::RemUIOp>(number, by);
  Value quotient = make<arith::DivUIOp>(number, by);
  if (turns == 0)
    return quotient;
  return make<arith::SubIOp>(quotient, constantIndex(turns));
}

/// The sum of the terms of `index`, without its constant. The terms that outer
/// loops determine are summed in the outer loops.
Value CodeLevels::emitSum(const LinearIndex &index) {
  int depth = depthOf(index);
  for (auto &[known, value] : levels[depth].indices)
    if (known == index)
      return value;
  At atLevel(*this, depth);
  LinearIndex outer;
  SmallVector<std::pair<int, int64_t>> own;
  for (auto term : index.terms) {
    if (depthOf(LinearIndex{0, {term}}) == depth)
      own.push_back(term);
    else
      outer.terms.push_back(term);
  }
  Value sum = outer.terms.empty() ? Value() : emitSum(outer);
  for (auto [symbol, coefficient] : own) {
    Value term = emitSymbol(symbol);
    if (coefficient != 1)
      term = make<arith::MulIOp>(term, constantIndex(coefficient));
    sum = sum ? make<arith::AddIOp>(sum, term).getResult() : term;
  }
  levels[depth].indices.push_back({index, sum});
  return sum;
}

Value CodeLevels::emitIndex(const LinearIndex &index) {
  if (index.terms.empty())
    return constantIndex(index.constant);
  LinearIndex terms = index;
  terms.constant = 0;
  Value sum = emitSum(terms);
  if (index.constant == 0)
    return sum;
  return make<arith::AddIOp>(sum, constantIndex(index.constant));
}
