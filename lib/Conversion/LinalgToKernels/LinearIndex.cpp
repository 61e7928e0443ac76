//===- LinearIndex.cpp - Indices as sums of loop variables ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LinearIndex.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>

using namespace mlir;
using namespace weir::kernels;

LinearIndex LinearIndex::plus(const LinearIndex &other) const {
  LinearIndex sum{constant + other.constant, {}};
  const auto *left = terms.begin(), *right = other.terms.begin();
  while (left != terms.end() || right != other.terms.end()) {
    bool takesLeft = right == other.terms.end() ||
                     (left != terms.end() && left->first <= right->first);
    bool takesRight = left == terms.end() || (right != other.terms.end() &&
                                              right->first <= left->first);
    int symbol = takesLeft ? left->first : right->first;
    int64_t coefficient =
        (takesLeft ? left->second : 0) + (takesRight ? right->second : 0);
    left += takesLeft;
    right += takesRight;
    if (coefficient != 0)
      sum.terms.push_back({symbol, coefficient});
  }
  return sum;
}

LinearIndex LinearIndex::plus(int64_t number) const {
  LinearIndex sum = *this;
  sum.constant += number;
  return sum;
}

LinearIndex LinearIndex::times(int64_t factor) const {
  if (factor == 0)
    return {};
  LinearIndex product = *this;
  product.constant *= factor;
  for (auto &term : product.terms)
    term.second *= factor;
  return product;
}

LinearIndex LinearIndex::replace(int symbol,
                                 const LinearIndex &replacement) const {
  int64_t coefficient = getCoefficient(symbol);
  if (coefficient == 0)
    return *this;
  LinearIndex rest{constant, {}};
  for (auto term : terms)
    if (term.first != symbol)
      rest.terms.push_back(term);
  return rest.plus(replacement.times(coefficient));
}

int64_t LinearIndex::getCoefficient(int symbol) const {
  for (auto [name, coefficient] : terms)
    if (name == symbol)
      return coefficient;
  return 0;
}

int LinearIndex::asSymbol() const {
  bool isSymbol =
      constant == 0 && terms.size() == 1 && terms.front().second == 1;
  return isSymbol ? terms.front().first : -1;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

int Symbols::addLoop(int64_t size) {
  symbols.push_back(
      {Kind::Loop, {0, std::max<int64_t>(size - 1, 0)}, {}, 1, {}, {}});
  return static_cast<int>(symbols.size()) - 1;
}

void Symbols::resizeLoop(int symbol, int64_t size) {
  symbols[symbol].range.max = std::max<int64_t>(size - 1, 0);
}

/// The range of an index that is computed from data: any index of a tensor.
static constexpr IndexRange anyIndex = {-(int64_t(1) << 48), int64_t(1) << 48};

int Symbols::addComputed(Value value, ArrayRef<int> sources) {
  symbols.push_back(
      {Kind::Computed, anyIndex, {}, 1, value, llvm::to_vector<2>(sources)});
  return static_cast<int>(symbols.size()) - 1;
}

LinearIndex Symbols::addDerived(Kind kind, const LinearIndex &of,
                                int64_t divisor) {
  for (auto [number, symbol] : llvm::enumerate(symbols))
    if (symbol.kind == kind && symbol.divisor == divisor && symbol.of == of)
      return LinearIndex::ofSymbol(static_cast<int>(number));
  IndexRange range = getRange(of);
  if (kind == Kind::Remainder)
    range = {0, divisor - 1};
  else
    range = {llvm::divideFloorSigned(range.min, divisor),
             llvm::divideFloorSigned(range.max, divisor)};
  symbols.push_back({kind, range, of, divisor, {}, {}});
  return LinearIndex::ofSymbol(static_cast<int>(symbols.size()) - 1);
}

/// Splits off the part of `index` that is a multiple of `divisor`; the
/// remainder stays in `index`.
static LinearIndex takeMultiples(LinearIndex &index, int64_t divisor) {
  LinearIndex multiples, rest;
  multiples.constant =
      llvm::divideFloorSigned(index.constant, divisor) * divisor;
  rest.constant = index.constant - multiples.constant;
  for (auto term : index.terms)
    (term.second % divisor == 0 ? multiples : rest).terms.push_back(term);
  index = rest;
  return multiples;
}

LinearIndex Symbols::divide(const LinearIndex &index, int64_t divisor) {
  LinearIndex rest = index;
  LinearIndex quotient = takeMultiples(rest, divisor);
  quotient.constant /= divisor;
  for (auto &term : quotient.terms)
    term.second /= divisor;
  if (getRange(rest).isWithin(divisor))
    return quotient;
  return quotient.plus(addDerived(Kind::Quotient, rest, divisor));
}

LinearIndex Symbols::remainder(const LinearIndex &index, int64_t divisor) {
  LinearIndex rest = index;
  takeMultiples(rest, divisor);
  if (getRange(rest).isWithin(divisor))
    return rest;
  return addDerived(Kind::Remainder, rest, divisor);
}

IndexRange Symbols::getRange(const LinearIndex &index) const {
  IndexRange range = {index.constant, index.constant};
  for (auto [symbol, coefficient] : index.terms) {
    auto [min, max] = symbols[symbol].range;
    range.min += coefficient * (coefficient < 0 ? max : min);
    range.max += coefficient * (coefficient < 0 ? min : max);
  }
  return range;
}

bool Symbols::repeats(const LinearIndex &index) const {
  SmallVector<std::pair<int64_t, int64_t>> steps;
  for (auto [name, coefficient] : index.terms)
    if (symbols[name].kind == Kind::Loop)
      steps.emplace_back(std::abs(coefficient), symbols[name].range.max);
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [step, most] : steps) {
    if (step <= reach)
      return true;
    reach += step * most;
  }
  return false;
}

void Symbols::collectLoops(const LinearIndex &index,
                           SmallVectorImpl<int> &loops) const {
  for (auto [name, coefficient] : index.terms) {
    const Symbol &symbol = symbols[name];
    if (symbol.kind == Kind::Loop)
      loops.push_back(name);
    else if (symbol.kind == Kind::Computed)
      llvm::append_range(loops, symbol.sources);
    else
      collectLoops(symbol.of, loops);
  }
}

bool Symbols::dependsOn(const LinearIndex &index, int symbol) const {
  SmallVector<int> loops;
  collectLoops(index, loops);
  return llvm::is_contained(loops, symbol);
}

bool Symbols::isBent(const LinearIndex &index, int symbol) const {
  LinearIndex rest = index.replace(symbol, {});
  return dependsOn(rest, symbol);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The value of `expr`, a sum of dims times constants, for the dims `at`.
static LinearIndex applyExpr(AffineExpr expr, ArrayRef<LinearIndex> at) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LinearIndex::ofConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return at[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LinearIndex left = applyExpr(binary.getLHS(), at);
  LinearIndex right = applyExpr(binary.getRHS(), at);
  if (binary.getKind() == AffineExprKind::Add)
    return left.plus(right);
  assert(binary.getKind() == AffineExprKind::Mul && "only sums of products");
  return right.terms.empty() ? left.times(right.constant)
                             : right.times(left.constant);
}

Indices weir::kernels::applyMap(AffineMap map, ArrayRef<LinearIndex> at) {
  Indices results;
  for (AffineExpr expr : map.getResults())
    results.push_back(applyExpr(expr, at));
  return results;
}
