//===- MatchRecord.cpp - Which record describes a leaf ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MatchRecord.h"

#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <fmt/format.h>

#include <map>
#include <numeric>

using namespace mlir;
using namespace weir;

using Dim = IndexSpec::Dim;
using Term = IndexSpec::Term;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

std::vector<LeafRecord> weir::listLeaves(MLIRContext *context) {
  std::vector<LeafRecord> leaves;
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    auto *interface = name.getInterface<WeirOpInterface>();
    if (!interface)
      continue;
    const OpRecord &record = interface->getRecord();
    if (record.isLeaf() && !record.isRelayout())
      leaves.push_back({name.getStringRef(), &record});
  }
  llvm::sort(leaves, [](const LeafRecord &a, const LeafRecord &b) {
    return a.name < b.name;
  });
  return leaves;
}

/// Whether `record` is the same formula as `expression` with operand i renamed
/// to operand `order[i]`.
static bool isInOrder(const ScalarExpr &record, const ScalarExpr &expression,
                      ArrayRef<int> order) {
  ScalarAlgebra algebra;
  std::vector<int> operands, own;
  for (int i = 0; i < ScalarExpr::maxOperands; ++i)
    own.push_back(algebra.operand(i));
  for (int position : order)
    operands.push_back(own[position]);
  operands.resize(ScalarExpr::maxOperands, own.back());
  return algebra.include(expression, operands, {}) ==
         algebra.include(record, own, {});
}

/// Whether the two expressions have the same steps, in any order. This test is
/// faster than comparing formulas.
static bool haveSameSteps(const ScalarExpr &left, const ScalarExpr &right) {
  return left.nodes().size() == right.nodes().size() &&
         std::is_permutation(
             left.nodes().begin(), left.nodes().end(), right.nodes().begin(),
             [](const auto &a, const auto &b) { return a.op == b.op; });
}

static bool readsAttributes(const ScalarExpr &expression) {
  return llvm::any_of(expression.nodes(), [](const ScalarExpr::Node &node) {
    return node.op == ScalarExpr::Op::Attribute ||
           node.op == ScalarExpr::Op::Index;
  });
}

/// Calls `visit` with each order of `count` operands, until `visit` returns a
/// value.
static Value forEachOrder(size_t count,
                          llvm::function_ref<Value(ArrayRef<int>)> visit) {
  SmallVector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  do
    if (Value found = visit(order))
      return found;
  while (std::next_permutation(order.begin(), order.end()));
  return {};
}

static SmallVector<Value> inOrder(ValueRange operands, ArrayRef<int> order) {
  SmallVector<Value> ordered(operands.size());
  for (auto [value, position] : llvm::zip_equal(operands, order))
    ordered[position] = value;
  return ordered;
}

Value weir::buildKnownPointwise(GradientBuilder &builder, StringRef expression,
                                ValueRange operands, RankedTensorType type) {
  StatusOr<ScalarExpr> parsed = ScalarExpr::parse(expression);
  if (!parsed.isOk())
    return {};
  for (const LeafRecord &leaf : builder.getLeaves()) {
    const ScalarExpr &expr = *leaf.record->getExpression();
    if (!leaf.record->isPointwise() || !haveSameSteps(expr, *parsed) ||
        readsAttributes(expr) ||
        expr.numOperands() != static_cast<int>(operands.size()))
      continue;
    Value found = forEachOrder(operands.size(), [&](ArrayRef<int> order) {
      return isInOrder(expr, *parsed, order)
                 ? builder.tryCreate(leaf.name, inOrder(operands, order), {},
                                     type)
                 : Value();
    });
    if (found)
      return found;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// A letter of a spec, and the number of its spatial dim; -1 for letters
/// outside of brackets.
using Letter = std::pair<char, int>;

/// Matches the letters of a record's spec with the loops of a form.
class WindowMatcher {
public:
  WindowMatcher(const LeafForm &form, const LeafRecord &leaf,
                ArrayRef<int> order)
      : form(form), name(leaf.name), spec(leaf.record->getIndexSpec()),
        order(order) {}

  bool match();
  /// Creates the op.
  Value build(GradientBuilder &builder);

private:
  /// A dim of a tensor in the record's order.
  struct PlacedDim {
    const Dim *dim;
    int repeat;
  };

  /// The number of tensors: the operands in the record's order, and then the
  /// result.
  size_t numTensors() const { return form.operands.size() + 1; }
  ArrayRef<AffineIndex> indicesOf(size_t tensor) const;
  ArrayRef<int64_t> dimsOf(size_t tensor) const;
  const Term &termOf(size_t tensor) const;
  std::vector<Letter> lettersOf(const PlacedDim &placed) const;

  bool placeDims();
  bool matchFrom(size_t tensor, size_t dim);
  bool matchDim(size_t tensor, const PlacedDim &placed, size_t position);
  bool bindLetters(ArrayRef<Letter> letters, ArrayRef<int> loops,
                   SmallVectorImpl<Letter> &added);
  bool isProduct(const AffineIndex &index, ArrayRef<int> loops) const;

  bool solveAttributes();
  bool dropUnknown();
  bool bindsAlike();
  bool solveWindow(size_t tensor, const PlacedDim &placed, size_t position);
  void setNumber(const std::string &name, int place, int count, int64_t value);
  bool isSame(const BoundSpec &bound) const;

  const LeafForm &form;
  StringRef name;
  const IndexSpec &spec;
  ArrayRef<int> order;
  int numSpatial = -1;
  /// The dims of each tensor, in the record's order.
  std::vector<std::vector<PlacedDim>> placed;
  /// The positions of these dims among the dims of the form's tensor.
  std::vector<SmallVector<int>> positions;
  std::map<Letter, int> loopOf;
  std::map<std::string, std::vector<int64_t>> attributes;
};
} // namespace

/// The number of the form's operand that is operand `tensor` of the record.
static size_t findOperand(ArrayRef<int> order, size_t tensor) {
  return llvm::find(order, static_cast<int>(tensor)) - order.begin();
}

ArrayRef<AffineIndex> WindowMatcher::indicesOf(size_t tensor) const {
  if (tensor + 1 == numTensors())
    return form.spec.result;
  return form.spec.operands[findOperand(order, tensor)];
}

ArrayRef<int64_t> WindowMatcher::dimsOf(size_t tensor) const {
  if (tensor + 1 == numTensors())
    return form.spec.resultDims;
  return getTensorType(form.operands[findOperand(order, tensor)]).getShape();
}

const Term &WindowMatcher::termOf(size_t tensor) const {
  return tensor + 1 == numTensors() ? spec.resultTerm()
                                    : spec.operandTerms()[tensor];
}

std::vector<Letter> WindowMatcher::lettersOf(const PlacedDim &placed) const {
  std::vector<Letter> letters;
  for (char letter : placed.dim->letters)
    letters.push_back({letter, placed.repeat});
  return letters;
}

/// Lists the dims of each tensor. The rank of the tensor determines the number
/// of spatial dims.
bool WindowMatcher::placeDims() {
  for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
    placed.emplace_back();
    for (const Dim &dim : termOf(tensor).dims) {
      if (dim.kind == Dim::Kind::Letters) {
        placed.back().push_back({&dim, -1});
        continue;
      }
      if (dim.kind != Dim::Kind::Window)
        return false;
      int count = static_cast<int>(indicesOf(tensor).size()) -
                  static_cast<int>(termOf(tensor).dims.size()) + 1;
      if (count < 1 || (numSpatial >= 0 && numSpatial != count))
        return false;
      numSpatial = count;
      for (int repeat = 0; repeat < count; ++repeat)
        placed.back().push_back({&dim, repeat});
    }
    if (placed.back().size() != indicesOf(tensor).size())
      return false;
  }
  return true;
}

bool WindowMatcher::bindLetters(ArrayRef<Letter> letters, ArrayRef<int> loops,
                                SmallVectorImpl<Letter> &added) {
  for (auto [letter, loop] : llvm::zip_equal(letters, loops)) {
    auto [it, isNew] = loopOf.try_emplace(letter, loop);
    if (isNew)
      added.push_back(letter);
    bool isTaken = isNew && llvm::count_if(loopOf, [&](const auto &entry) {
                              return entry.second == loop;
                            }) > 1;
    if (it->second != loop || isTaken)
      return false;
  }
  return true;
}

/// Whether `index` counts the points of `loops`, the last one innermost.
bool WindowMatcher::isProduct(const AffineIndex &index,
                              ArrayRef<int> loops) const {
  int64_t coefficient = 1;
  for (int loop : llvm::reverse(loops)) {
    auto term = llvm::find_if(index.terms, [&](const AffineIndex::Term &each) {
      return each.loop == loop;
    });
    if (term == index.terms.end() || term->coefficient != coefficient)
      return false;
    coefficient *= form.spec.loops[loop].size;
  }
  return index.offset == 0;
}

/// Whether dim `position` of the form's tensor can be `dim`, and all later dims
/// match as well. Tries each assignment of the loops of the dim to its letters.
bool WindowMatcher::matchDim(size_t tensor, const PlacedDim &dim,
                             size_t position) {
  const AffineIndex &index = indicesOf(tensor)[position];
  std::vector<Letter> letters = lettersOf(dim);
  if (index.indirect >= 0 || index.terms.size() != letters.size())
    return false;
  SmallVector<int> loops;
  for (const AffineIndex::Term &term : index.terms)
    loops.push_back(term.loop);
  llvm::sort(loops);
  const size_t next = &dim - placed[tensor].data() + 1;
  do {
    SmallVector<Letter> added;
    bool isWindow = dim.dim->kind == Dim::Kind::Window &&
                    (letters.size() > 1 || !dim.dim->baseScale.empty() ||
                     !dim.dim->offset.empty());
    positions[tensor].push_back(static_cast<int>(position));
    if ((isWindow || isProduct(index, loops)) &&
        bindLetters(letters, loops, added) && matchFrom(tensor, next))
      return true;
    positions[tensor].pop_back();
    for (const Letter &letter : added)
      loopOf.erase(letter);
  } while (std::next_permutation(loops.begin(), loops.end()));
  return false;
}

/// Matches all dims from dim `dim` of `tensor` on.
bool WindowMatcher::matchFrom(size_t tensor, size_t dim) {
  if (tensor == numTensors())
    return loopOf.size() == form.spec.loops.size() && solveAttributes() &&
           dropUnknown() && bindsAlike();
  if (dim == placed[tensor].size())
    return matchFrom(tensor + 1, 0);
  for (size_t position = 0; position < placed[tensor].size(); ++position)
    if (!llvm::is_contained(positions[tensor], static_cast<int>(position)) &&
        matchDim(tensor, placed[tensor][dim], position))
      return true;
  return false;
}

bool WindowMatcher::match() {
  positions.resize(numTensors());
  return placeDims() && matchFrom(0, 0);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Sets entry `place` of the list `name`, which has `count` entries.
void WindowMatcher::setNumber(const std::string &name, int place, int count,
                              int64_t value) {
  std::vector<int64_t> &list = attributes[name];
  list.resize(static_cast<size_t>(count));
  list[static_cast<size_t>(place)] = value;
}

/// Finds the attributes of a window. Its stride and its dilation are the
/// coefficients of the index. The padding at the begin is the offset, and the
/// padding at the end follows from the sizes.
bool WindowMatcher::solveWindow(size_t tensor, const PlacedDim &dim,
                                size_t position) {
  const AffineIndex &index = indicesOf(tensor)[position];
  const int64_t size = dimsOf(tensor)[position];
  int64_t last = index.offset;
  for (auto [number, letter] : llvm::enumerate(lettersOf(dim))) {
    int loop = loopOf.at(letter);
    auto term = llvm::find_if(index.terms, [&](const AffineIndex::Term &each) {
      return each.loop == loop;
    });
    const std::string &scale =
        number == 0 ? dim.dim->baseScale : dim.dim->tapScale;
    if (term->coefficient < 1 || (scale.empty() && term->coefficient != 1))
      return false;
    if (!scale.empty())
      setNumber(scale, dim.repeat, numSpatial, term->coefficient);
    last += term->coefficient * (form.spec.loops[loop].size - 1);
  }
  if (!dim.dim->isPadding)
    return dim.dim->offset.empty() && index.offset == 0;
  if (index.offset > 0)
    return false;
  setNumber(dim.dim->offset, dim.repeat, 2 * numSpatial, -index.offset);
  // The number of elements behind the last element that the window reaches.
  int64_t rest = size - 1 - last;
  setNumber(dim.dim->offset, numSpatial + dim.repeat, 2 * numSpatial,
            std::max<int64_t>(-rest, 0));
  if (tensor + 1 == numTensors())
    setNumber("output_padding", dim.repeat, numSpatial,
              std::max<int64_t>(rest, 0));
  return true;
}

bool WindowMatcher::solveAttributes() {
  attributes.clear();
  for (size_t tensor = 0; tensor < numTensors(); ++tensor)
    for (auto [dim, position] :
         llvm::zip_equal(placed[tensor], positions[tensor]))
      if (dim.dim->kind == Dim::Kind::Window &&
          (dim.dim->letters.size() > 1 || !dim.dim->offset.empty()) &&
          !solveWindow(tensor, dim, static_cast<size_t>(position)))
        return false;
  for (const IndexSpec::Where &where : spec.whereClauses())
    for (const auto &[letter, loop] : loopOf)
      if (letter.first == where.letter)
        setNumber(where.attribute, std::max(letter.second, 0),
                  std::max(letter.second < 0 ? 1 : numSpatial, 1),
                  form.spec.loops[loop].size);
  return true;
}

/// Whether `bound`, the record's spec, accesses the same elements as the form.
bool WindowMatcher::isSame(const BoundSpec &bound) const {
  std::map<std::string, int> names;
  for (const auto &[letter, loop] : loopOf)
    names[letter.second < 0
              ? std::string(1, letter.first)
              : fmt::format("{}{}", letter.first, letter.second)] = loop;
  auto isSameIndex = [&](const AffineIndex &left, const AffineIndex &right) {
    return left.offset == right.offset &&
           left.terms.size() == right.terms.size() &&
           llvm::all_of(left.terms, [&](const AffineIndex::Term &term) {
             auto loop = names.find(bound.loops[term.loop].name);
             return loop != names.end() &&
                    bound.loops[term.loop].size ==
                        form.spec.loops[loop->second].size &&
                    llvm::is_contained(
                        right.terms,
                        AffineIndex::Term{loop->second, term.coefficient});
           });
  };
  for (size_t tensor = 0; tensor < numTensors(); ++tensor) {
    const bool isResult = tensor + 1 == numTensors();
    const auto &indices = isResult ? bound.result : bound.operands[tensor];
    for (auto [index, position] : llvm::zip_equal(indices, positions[tensor]))
      if (!isSameIndex(index, indicesOf(tensor)[position]))
        return false;
    if (isResult)
      for (auto [size, position] :
           llvm::zip_equal(bound.resultDims, positions[tensor]))
        if (size != dimsOf(tensor)[position])
          return false;
  }
  return true;
}

/// Drops attributes that the op does not have, if they have no effect.
bool WindowMatcher::dropUnknown() {
  auto registered =
      *RegisteredOperationName::lookup(name, form.elementType.getContext());
  for (auto it = attributes.begin(); it != attributes.end();) {
    bool isKnown =
        llvm::any_of(registered.getAttributeNames(), [&](StringAttr known) {
          return known.getValue() == it->first;
        });
    if (!isKnown && llvm::any_of(it->second, [](int64_t n) { return n != 0; }))
      return false;
    it = isKnown ? std::next(it) : attributes.erase(it);
  }
  return true;
}

/// Whether binding the record's spec with these attributes gives the form.
bool WindowMatcher::bindsAlike() {
  AttrMap attrs;
  for (const auto &[attribute, list] : attributes)
    attrs.set(attribute, list);
  std::vector<std::vector<int64_t>> shapes;
  for (size_t tensor = 0; tensor + 1 < numTensors(); ++tensor) {
    shapes.emplace_back();
    for (int position : positions[tensor])
      shapes.back().push_back(dimsOf(tensor)[position]);
  }
  StatusOr<BoundSpec> bound = spec.bind(shapes, attrs);
  return bound.isOk() && isSame(*bound);
}

Value WindowMatcher::build(GradientBuilder &builder) {
  SmallVector<NamedAttribute> named;
  for (const auto &[attribute, list] : attributes) {
    bool isScalar = llvm::any_of(spec.whereClauses(), [&](const auto &where) {
      return where.attribute == attribute &&
             loopOf.count({where.letter, -1}) != 0;
    });
    named.push_back(
        isScalar
            ? builder.getBuilder().getNamedAttr(
                  attribute, builder.getBuilder().getI64IntegerAttr(list[0]))
            : builder.ints(attribute, list));
  }
  SmallVector<Value> operands;
  SmallVector<int64_t> dims;
  for (size_t tensor = 0; tensor + 1 < numTensors(); ++tensor)
    operands.push_back(
        builder.transpose(form.operands[findOperand(order, tensor)],
                          llvm::to_vector_of<int64_t>(positions[tensor])));
  for (int position : positions.back())
    dims.push_back(form.spec.resultDims[position]);
  Value made = builder.tryCreate(name, operands, named,
                                 RankedTensorType::get(dims, form.elementType));
  if (!made)
    return {};
  // Dim i of the op's result is dim positions[i] of the form's result.
  SmallVector<int64_t> back(positions.back().size());
  for (auto [dim, position] : llvm::enumerate(positions.back()))
    back[position] = static_cast<int64_t>(dim);
  return builder.transpose(made, back);
}

/// The number of operands of `spec`, not counting initial values.
static size_t countOperands(const IndexSpec &spec) {
  return llvm::count_if(spec.operandTerms(),
                        [](const Term &term) { return !term.isInit; });
}

/// Whether the index of some dim is a sum of several loops, as in a window.
static bool addsLoops(const BoundSpec &spec) {
  auto isSum = [](const AffineIndex &index) { return index.terms.size() > 1; };
  return llvm::any_of(spec.result, isSum) ||
         llvm::any_of(spec.operands, [&](const auto &indices) {
           return llvm::any_of(indices, isSum);
         });
}

Value weir::buildKnownWindows(GradientBuilder &builder, const LeafForm &form) {
  if (form.spec.runningLoop >= 0 || form.spec.initOperand >= 0 ||
      !addsLoops(form.spec))
    return {};
  StatusOr<ScalarExpr> parsed = ScalarExpr::parse(form.expression);
  if (!parsed.isOk())
    return {};
  for (const LeafRecord &leaf : builder.getLeaves()) {
    const IndexSpec &spec = leaf.record->getIndexSpec();
    const ScalarExpr &expression = *leaf.record->getExpression();
    auto hasWindow = [](const Term &term) {
      return llvm::any_of(term.dims, [](const Dim &dim) {
        return dim.kind == Dim::Kind::Window && dim.letters.size() > 1;
      });
    };
    if (leaf.record->getCombiner() != form.combiner ||
        !haveSameSteps(expression, *parsed) || readsAttributes(expression) ||
        countOperands(spec) != form.operands.size() ||
        !(llvm::any_of(spec.operandTerms(), hasWindow) ||
          hasWindow(spec.resultTerm())))
      continue;
    Value found = forEachOrder(form.operands.size(), [&](ArrayRef<int> order) {
      if (!isInOrder(expression, *parsed, order))
        return Value();
      WindowMatcher matcher(form, leaf, order);
      return matcher.match() ? matcher.build(builder) : Value();
    });
    if (found)
      return found;
  }
  return {};
}
