//===- Einsum.cpp - ONNX's Einsum -------------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Operands are multiplied pair by pair. Each pair is one batched matrix
// product. Its batch dims are the labels that both operands have and that a
// later step needs. Labels that no later step needs are summed.
//
//===----------------------------------------------------------------------===//

#include "Einsum.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace weir;
using namespace weir::onnx;

namespace {
/// A tensor whose dims have labels. Dims of an ellipsis are labelled with
/// digits, starting with the last dim.
struct Term {
  Tensor value;
  std::string labels;

  bool has(char label) const { return labels.find(label) != labels.npos; }
  int64_t axisOf(char label) const {
    return static_cast<int64_t>(labels.find(label));
  }
};

class Einsum {
public:
  explicit Einsum(NodeBuilder &node) : node(node) {}

  Tensor run();

private:
  bool parse();
  std::string expandEllipsis(std::string_view text, int64_t rank);
  bool bind(const Term &term);
  void takeDiagonals(Term &term);
  void sumUnneeded(Term &term, const std::string &needed);
  Term broadcast(Term term, const std::string &shared);
  Term permuted(const Term &term, const std::string &labels);
  Term multiply(Term left, Term right, const std::string &needed);

  NodeBuilder &node;
  std::vector<Term> terms;
  std::string result;
  size_t ellipsisRank = 0;
  std::map<char, int64_t> sizes;
};
} // namespace

/// The labels of `a` that are in `b` if `isIn`, or else those that are not in
/// `b`.
static std::string select(const std::string &a, const std::string &b,
                          bool isIn) {
  std::string found;
  for (char label : a)
    if ((b.find(label) != b.npos) == isIn)
      found += label;
  return found;
}

/// Replaces the ellipsis in `text` by as many digits as are needed for `rank`
/// labels. If `rank` is negative, any rank is allowed.
std::string Einsum::expandEllipsis(std::string_view text, int64_t rank) {
  size_t dots = text.find("...");
  std::string labels(text);
  if (dots != text.npos) {
    int64_t count = rank < 0 ? static_cast<int64_t>(ellipsisRank)
                             : rank - static_cast<int64_t>(text.size()) + 3;
    if (count < 0 || count > 9) {
      node.fail("'{}' does not fit a tensor of rank {}", text, rank);
      return {};
    }
    std::string digits;
    for (int64_t i = count; i-- > 0;)
      digits += static_cast<char>('0' + i);
    labels.replace(dots, 3, digits);
    ellipsisRank = std::max(ellipsisRank, static_cast<size_t>(count));
  }
  for (char label : labels)
    if (!llvm::isAlnum(label))
      node.fail("'{}' has a label that is not a letter", text);
  if (rank >= 0 && labels.size() != static_cast<size_t>(rank))
    node.fail("'{}' does not fit a tensor of rank {}", text, rank);
  return labels;
}

/// Parses the equation; false after an error.
bool Einsum::parse() {
  if (!node.hasAttr("equation"))
    node.fail("it lacks attribute 'equation', which names the dims of each "
              "operand and of the result, as in 'ij,jk->ik'; give it");
  std::string equation;
  for (char c : node.textAttr("equation", ""))
    if (c != ' ')
      equation += c;
  size_t arrow = equation.find("->");
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(equation).substr(0, arrow).split(parts, ',');
  llvm::SmallVector<Tensor> inputs = node.allInputs();
  if (parts.size() != inputs.size())
    node.fail("its equation '{}' has {} operands, expected {}", equation,
              parts.size(), inputs.size());
  if (llvm::any_of(equation, llvm::isDigit))
    node.fail("its equation '{}' has a label that is not a letter", equation);
  std::map<char, int> uses;
  for (size_t i = 0; i < inputs.size() && node.isOk(); ++i) {
    terms.push_back({inputs[i], expandEllipsis(parts[i], inputs[i].rank())});
    for (char label : terms.back().labels)
      ++uses[label];
    if (!node.isOk() || !bind(terms.back()))
      return false;
  }
  if (!node.isOk())
    return false;
  if (arrow != equation.npos) {
    result = expandEllipsis(equation.substr(arrow + 2), -1);
    return node.isOk();
  }
  // Without an arrow, the result has the ellipsis and then the labels that
  // occur once, in alphabetical order.
  result = expandEllipsis("...", -1);
  for (auto [label, count] : uses)
    if (count == 1 && !llvm::isDigit(label))
      result += label;
  return true;
}

/// Records the sizes of the labels. A dim of size 1 is broadcast.
bool Einsum::bind(const Term &term) {
  for (auto [label, size] : llvm::zip(term.labels, term.value.shape())) {
    int64_t &known = sizes.try_emplace(label, size).first->second;
    if (known != size && known != 1 && size != 1) {
      node.fail("label '{}' has sizes {} and {}", label, known, size);
      return false;
    }
    known = known == 1 ? size : known;
  }
  return true;
}

/// Takes the diagonal of dims with the same label. For this, it sets all
/// elements that are not on the diagonal to 0, and sums along one of the dims.
void Einsum::takeDiagonals(Term &term) {
  for (size_t first = 0; first < term.labels.size(); ++first) {
    size_t second = term.labels.find(term.labels[first], first + 1);
    if (second == term.labels.npos || !node.isOk())
      continue;
    int64_t size = term.value.dim(static_cast<int64_t>(first));
    Ints numbers, along(term.value.rank(), 1), across = along;
    for (int64_t i = 0; i < size; ++i)
      numbers.push_back(i);
    along[first] = across[second] = size;
    Tensor iota = node.ints(numbers);
    Tensor isKept = node.make<EqualOp>(
        {node.reshape(iota, along), node.reshape(iota, across)});
    Tensor zero = node.scalar(0, term.value.elementType());
    Tensor kept = node.make<WhereOp>({isKept, term.value, zero});
    term.value = node.reduce<ReduceSumOp>(kept, {static_cast<int64_t>(second)},
                                          /*keep=*/false);
    term.labels.erase(second, 1);
    --first;
  }
}

/// Sums over the labels that are not in `needed`.
void Einsum::sumUnneeded(Term &term, const std::string &needed) {
  Ints axes;
  for (char label : select(term.labels, needed, false))
    axes.push_back(term.axisOf(label));
  term.value = node.reduce<ReduceSumOp>(term.value, axes, /*keep=*/false);
  term.labels = select(term.labels, needed, true);
}

/// Broadcasts each dim of size 1 whose label is in `shared`, so that the
/// factors of a product have equal sizes.
Term Einsum::broadcast(Term term, const std::string &shared) {
  Ints shape(term.value.shape());
  for (auto [label, size] : llvm::zip(term.labels, shape))
    if (shared.find(label) != shared.npos)
      size = sizes[label];
  return {node.expand(term.value, shape), term.labels};
}

Term Einsum::permuted(const Term &term, const std::string &labels) {
  Ints perm;
  for (char label : labels)
    perm.push_back(term.axisOf(label));
  return {node.transpose(term.value, perm), labels};
}

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t total = 1;
  for (int64_t size : sizes)
    total *= size;
  return total;
}

Term Einsum::multiply(Term left, Term right, const std::string &needed) {
  std::string both = select(left.labels, right.labels, true);
  sumUnneeded(left, needed + both);
  sumUnneeded(right, needed + both);
  std::string batch = select(both, needed, true);
  std::string summed = select(both, needed, false);
  std::string rows = select(left.labels, both, false);
  std::string columns = select(right.labels, both, false);
  left = permuted(broadcast(left, both), batch + rows + summed);
  right = permuted(broadcast(right, both), batch + summed + columns);
  if (!node.isOk())
    return left;
  auto sizeOf = [&](const Term &term, const std::string &labels) {
    Ints found;
    for (char label : labels)
      found.push_back(term.value.dim(term.axisOf(label)));
    return found;
  };
  Ints shape = sizeOf(left, batch + rows);
  llvm::append_range(shape, sizeOf(right, columns));
  int64_t b = product(sizeOf(left, batch)), k = product(sizeOf(left, summed));
  int64_t m = product(sizeOf(left, rows));
  int64_t n = product(sizeOf(right, columns));
  Tensor result = node.make<MatmulOp>({node.reshape(left.value, {b, m, k}),
                                       node.reshape(right.value, {b, k, n})});
  return {node.reshape(result, shape), batch + rows + columns};
}

Tensor Einsum::run() {
  if (!parse() || terms.empty())
    return node.in(0);
  for (Term &term : terms)
    takeDiagonals(term);
  for (char label : result)
    if (!sizes.count(label))
      node.fail("label '{}' of the result is in no operand", label);
    else if (llvm::count(result, label) > 1)
      node.fail("label '{}' is twice in the result", label);
  if (!node.isOk())
    return {};
  Term whole = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string needed = result;
    for (size_t later = i + 1; later < terms.size(); ++later)
      needed += terms[later].labels;
    whole = multiply(whole, terms[i], needed);
  }
  sumUnneeded(whole, result);
  return permuted(whole, result).value;
}

Results onnx::importEinsum(NodeBuilder &node) { return {Einsum(node).run()}; }
