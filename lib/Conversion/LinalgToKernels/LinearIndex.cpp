//===- LinearIndex.cpp - Indices as sums of loop variables ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LinearIndex.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/Hashing.h"
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
  symbols.push_back({Kind::Loop, {0, std::max<int64_t>(size - 1, 0)}});
  return static_cast<int>(symbols.size()) - 1;
}

void Symbols::resizeLoop(int symbol, int64_t size) {
  symbols[symbol].range.max = std::max<int64_t>(size - 1, 0);
}

void Symbols::setBlock(int symbol, Block block) {
  symbols[symbol].block = block;
}

void Symbols::shortenLoop(int symbol, int64_t count) {
  Symbol &loop = symbols[symbol];
  loop.range.max -= count;
  assert(loop.range.max >= 0 && "a loop keeps an iteration");
  if (loop.block)
    loop.block->whole -= count;
}

/// The range of an index that is computed from data: any index of a tensor.
static constexpr IndexRange anyIndex = {-(int64_t(1) << 48), int64_t(1) << 48};

int Symbols::addComputed(Value value, ArrayRef<int> sources) {
  Symbol &symbol = symbols.emplace_back(Symbol{Kind::Computed, anyIndex});
  symbol.value = value;
  symbol.sources = llvm::to_vector<2>(sources);
  return static_cast<int>(symbols.size()) - 1;
}

LinearIndex Symbols::addDerived(Kind kind, const LinearIndex &of,
                                int64_t divisor) {
  const size_t hash = llvm::hash_combine(
      static_cast<int>(kind), divisor, of.constant,
      llvm::hash_combine_range(of.terms.begin(), of.terms.end()));
  auto [at, end] = derived.equal_range(hash);
  for (; at != end; ++at)
    if (const Symbol &symbol = symbols[at->second];
        symbol.kind == kind && symbol.divisor == divisor && symbol.of == of)
      return LinearIndex::ofSymbol(at->second);
  const int number = static_cast<int>(symbols.size());
  Symbol &symbol = symbols.emplace_back(Symbol{kind});
  symbol.of = of;
  symbol.divisor = divisor;
  derived.emplace(hash, number);
  return LinearIndex::ofSymbol(number);
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
  // A value has one form, so that forms can be compared: quotients are not
  // nested, and remainders are outermost. A quotient by d, plus c, is the
  // quotient of a dividend that is c * d larger.
  if (int name = rest.plus(-rest.constant).asSymbol(); name >= 0) {
    const Symbol inner = symbols[name];
    if (inner.kind == Kind::Quotient)
      return quotient.plus(divide(inner.of.plus(rest.constant * inner.divisor),
                                  inner.divisor * divisor));
    if (inner.kind == Kind::Remainder && rest.constant == 0 &&
        inner.divisor % divisor == 0)
      return quotient.plus(
          remainder(divide(inner.of, divisor), inner.divisor / divisor));
  }
  return quotient.plus(addDerived(Kind::Quotient, rest, divisor));
}

LinearIndex Symbols::remainder(const LinearIndex &index, int64_t divisor) {
  LinearIndex rest = index;
  takeMultiples(rest, divisor);
  if (getRange(rest).isWithin(divisor))
    return rest;
  if (int name = rest.asSymbol(); name >= 0) {
    const Symbol inner = symbols[name];
    if (inner.kind == Kind::Remainder && inner.divisor % divisor == 0)
      return remainder(inner.of, divisor);
  }
  return addDerived(Kind::Remainder, rest, divisor);
}

/// Whether symbol `name` is the quotient of `of` by `divisor`.
bool Symbols::isQuotientOf(int name, const LinearIndex &of,
                           int64_t divisor) const {
  const Symbol &symbol = symbols[name];
  if (symbol.kind != Kind::Quotient)
    return false;
  // `divide` gives this form to a quotient of a quotient.
  const int inner = of.plus(-of.constant).asSymbol();
  if (inner < 0 || symbols[inner].kind != Kind::Quotient)
    return symbol.of == of && symbol.divisor == divisor;
  const int64_t first = symbols[inner].divisor;
  return symbol.of == symbols[inner].of.plus(of.constant * first) &&
         symbol.divisor == first * divisor;
}

LinearIndex Symbols::simplify(const LinearIndex &index) const {
  for (auto [name, coefficient] : index.terms) {
    const Symbol &symbol = symbols[name];
    if (symbol.kind != Kind::Remainder)
      continue;
    for (auto [other, multiple] : index.terms)
      if (multiple == coefficient * symbol.divisor &&
          isQuotientOf(other, symbol.of, symbol.divisor))
        return simplify(index.replace(name, {}).replace(other, {}).plus(
            symbol.of.times(coefficient)));
  }
  return index;
}

LinearIndex Symbols::advance(const LinearIndex &index, int symbol,
                             int64_t count) {
  if (!hasDerived(index))
    return index.plus(count * index.getCoefficient(symbol));
  if (!dependsOn(index, symbol))
    return index;
  LinearIndex result = LinearIndex::ofConstant(index.constant);
  for (auto [name, coefficient] : index.terms) {
    LinearIndex term = LinearIndex::ofSymbol(name);
    if (name == symbol)
      term.constant = count;
    if (const Symbol derived = symbols[name]; derived.isDerived()) {
      const LinearIndex of = advance(derived.of, symbol, count);
      term = derived.kind == Kind::Quotient ? divide(of, derived.divisor)
                                            : remainder(of, derived.divisor);
    }
    result = result.plus(term.times(coefficient));
  }
  return result;
}

IndexRange Symbols::getRange(int name) const {
  const Symbol &symbol = symbols[name];
  if (symbol.kind == Kind::Remainder)
    return {0, symbol.divisor - 1};
  if (symbol.kind != Kind::Quotient)
    return symbol.range;
  const IndexRange range = getRange(symbol.of);
  return {llvm::divideFloorSigned(range.min, symbol.divisor),
          llvm::divideFloorSigned(range.max, symbol.divisor)};
}

/// `sum` plus the product, limited to bounds that no index reaches. The limit
/// is needed because an index that is computed from data has a wide range.
static int64_t addProduct(int64_t sum, int64_t coefficient, int64_t value) {
  constexpr int64_t most = int64_t(1) << 61;
  int64_t product;
  if (llvm::MulOverflow(coefficient, value, product))
    product = (coefficient < 0) == (value < 0) ? most : -most;
  return std::clamp(std::clamp(product, -most, most) + sum, -most, most);
}

IndexRange Symbols::getRange(const LinearIndex &index) const {
  IndexRange range = {index.constant, index.constant};
  auto add = [&](IndexRange values, int64_t coefficient) {
    auto [min, max] = values;
    range.min = addProduct(range.min, coefficient, coefficient < 0 ? max : min);
    range.max = addProduct(range.max, coefficient, coefficient < 0 ? min : max);
  };
  // If a block and its begin have the same coefficient, their sum has the range
  // of the larger loop.
  auto isBlock = [&](int name, int64_t coefficient) {
    const std::optional<Block> &block = symbols[name].block;
    return block && index.getCoefficient(block->begin) == coefficient;
  };
  SmallVector<int> begins;
  for (auto [name, coefficient] : index.terms)
    if (isBlock(name, coefficient)) {
      begins.push_back(symbols[name].block->begin);
      add({0, symbols[name].block->whole - 1}, coefficient);
    }
  for (auto [name, coefficient] : index.terms)
    if (!isBlock(name, coefficient) && !llvm::is_contained(begins, name))
      add(getRange(name), coefficient);
  return range;
}

bool Symbols::hasDerived(const LinearIndex &index) const {
  return llvm::any_of(
      index.terms, [&](auto term) { return symbols[term.first].isDerived(); });
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
  if (!hasDerived(index))
    return false;
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
