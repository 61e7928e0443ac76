//===- BuildForm.cpp - Chooses ops for leaves -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A leaf form becomes ops with library kernels and epilogues, if records
// describe it:
// - An op with windows, such as a convolution, if a record matches loop by
//   loop.
// - A pointwise op, a sum or a matrix product, if each index is a loop or a
//   product of loops. The dims of the operands are permuted for it.
// - A move of elements: a slice, or a tensor with zeros around it.
// - A `leaf` in all other cases, for which code is generated.
//
//===----------------------------------------------------------------------===//

#include "LeafForm.h"
#include "MatchRecord.h"

#include "weir/Dialect/Weir/IR/BuildLeaf.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "llvm/ADT/Sequence.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value GradientBuilder::create(StringRef name, ValueRange operands,
                              ArrayRef<NamedAttribute> attributes) {
  return tryCreate(name, operands, attributes, {});
}

Value GradientBuilder::tryCreate(StringRef name, ValueRange operands,
                                 ArrayRef<NamedAttribute> attributes,
                                 Type expected) {
  auto registered =
      *RegisteredOperationName::lookup(name, builder.getContext());
  auto *interface = registered.getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (failed(interface->inferReturnTypes(
          builder.getContext(), std::nullopt, operands,
          builder.getDictionaryAttr(attributes), nullptr, {}, types)) ||
      (expected && types.front() != expected))
    return {};
  OperationState state(location, name, operands, types, attributes);
  Operation *op = builder.create(state);
  annotateLike(op, original);
  return op->getResult(0);
}

Value GradientBuilder::annotated(Value made) {
  if (made)
    annotateLike(made.getDefiningOp(), original);
  return made;
}

Value GradientBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  if (getTensorType(x).getShape() == shape)
    return x;
  return annotated(makeReshape(builder, location, x, shape));
}

Value GradientBuilder::transpose(Value x, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return x;
  return annotated(makeTranspose(builder, location, x, order));
}

Value GradientBuilder::expand(Value x, ArrayRef<int64_t> shape) {
  return annotated(makeExpand(builder, location, x, shape));
}

Value GradientBuilder::pad(Value x, ArrayRef<int64_t> pads) {
  return annotated(makePad(builder, location, x, pads));
}

Value GradientBuilder::leaf(ValueRange operands, StringRef spec,
                            StringRef expression, Combiner combiner,
                            Type type) {
  return annotated(
      makeLeaf(builder, location, operands, spec, expression, combiner, type));
}

Value GradientBuilder::zeros(RankedTensorType type) {
  return ConstantOp::create(
      builder, location,
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

NamedAttribute GradientBuilder::ints(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getI64ArrayAttr(values));
}

//===----------------------------------------------------------------------===//
// Dense forms
//===----------------------------------------------------------------------===//

/// Whether `outer` and `inner` can be joined into one loop, with `inner` as the
/// faster one. For this, the two loops must occur as such a pair in each index
/// of `spec`.
static bool isOneLoop(const BoundSpec &spec, int outer, int inner) {
  auto coefficientOf = [](const AffineIndex &index, int loop) -> int64_t {
    for (const AffineIndex::Term &term : index.terms)
      if (term.loop == loop)
        return term.coefficient;
    return 0;
  };
  auto isOne = [&](const AffineIndex &index) {
    return coefficientOf(index, outer) ==
           coefficientOf(index, inner) * spec.loops[inner].size;
  };
  return llvm::all_of(spec.operands,
                      [&](const auto &indices) {
                        return llvm::all_of(indices, isOne);
                      }) &&
         llvm::all_of(spec.result, isOne);
}

/// Joins loops that always occur together, so that tensors have no more dims
/// than necessary.
static void joinLoops(LeafForm &form) {
  BoundSpec &spec = form.spec;
  auto isRead = [&](int loop) {
    return StringRef(form.expression)
        .contains(fmt::format("index({})", spec.loops[loop].name));
  };
  const int count = static_cast<int>(spec.loops.size());
  for (int outer = 0; outer < count; ++outer)
    for (int inner = 0; inner < count; ++inner) {
      if (outer == inner || spec.loops[outer].size == 1 || isRead(outer) ||
          isRead(inner) || !isOneLoop(spec, outer, inner))
        continue;
      spec.loops[inner].size *= spec.loops[outer].size;
      spec.loops[outer].size = 1;
    }
}

namespace {
using Loops = SmallVector<int>;

/// The loops of one dim of a tensor, from the outermost to the innermost.
/// Nothing if `index` is not a product of loops that covers the dim.
std::optional<Loops> getFactors(const AffineIndex &index, int64_t size,
                                const BoundSpec &spec) {
  if (index.offset != 0 || index.indirect >= 0)
    return std::nullopt;
  SmallVector<AffineIndex::Term> terms;
  for (const AffineIndex::Term &term : index.terms)
    if (spec.loops[term.loop].size != 1)
      terms.push_back(term);
  llvm::sort(terms, [](const auto &a, const auto &b) {
    return a.coefficient > b.coefficient;
  });
  int64_t count = 1;
  Loops loops;
  for (const AffineIndex::Term &term : llvm::reverse(terms)) {
    if (term.coefficient != count)
      return std::nullopt;
    count *= spec.loops[term.loop].size;
    loops.insert(loops.begin(), term.loop);
  }
  if (count != size)
    return std::nullopt;
  return loops;
}

/// The loops of a tensor, one for each dim. Loops of size 1 are left out.
std::optional<Loops> getTensorLoops(ArrayRef<AffineIndex> indices,
                                    ArrayRef<int64_t> dims,
                                    const BoundSpec &spec) {
  Loops all;
  for (auto [index, size] : llvm::zip_equal(indices, dims)) {
    std::optional<Loops> loops = getFactors(index, size, spec);
    if (!loops)
      return std::nullopt;
    for (int loop : *loops) {
      if (llvm::is_contained(all, loop))
        return std::nullopt;
      all.push_back(loop);
    }
  }
  return all;
}

/// A form in which each dim of a tensor is a loop.
class DenseForm {
public:
  /// Makes the dense form of `form`; nothing if an index is not a product of
  /// loops.
  static std::optional<DenseForm> make(GradientBuilder &builder,
                                       const LeafForm &form);

  Value build();

private:
  DenseForm(GradientBuilder &builder, const LeafForm &form)
      : builder(builder), form(form) {}

  int64_t sizeOf(int loop) const { return form.spec.loops[loop].size; }
  SmallVector<int64_t> sizesOf(ArrayRef<int> loops) const {
    return llvm::map_to_vector(loops, [&](int loop) { return sizeOf(loop); });
  }
  bool has(size_t operand, int loop) const {
    return llvm::is_contained(tensors[operand], loop);
  }
  Value arrange(Value x, ArrayRef<int> from, ArrayRef<int> to);
  Value alignTo(size_t operand, ArrayRef<int> order);
  Value computePoints(ArrayRef<int> order);
  Value sumOver(Value points, ArrayRef<int> order);
  Value toResult(Value value, ArrayRef<int> order);
  Value tryProduct();
  bool isProductOfTwo() const;

  GradientBuilder &builder;
  const LeafForm &form;
  /// The loops of each operand and of the result.
  SmallVector<Loops> tensors;
  Loops result;
  /// The loops along which points are summed.
  Loops summed;
};
} // namespace

std::optional<DenseForm> DenseForm::make(GradientBuilder &builder,
                                         const LeafForm &form) {
  if (form.spec.runningLoop >= 0 || form.spec.initOperand >= 0 ||
      form.spec.numPoints() == 0 ||
      // An expression that reads positions along loops needs these loops, so
      // such a form is not dense.
      StringRef(form.expression).contains("index(") ||
      (form.combiner != Combiner::Sum && form.combiner != Combiner::None))
    return std::nullopt;
  DenseForm dense(builder, form);
  for (auto [operand, indices] : llvm::zip(form.operands, form.spec.operands)) {
    auto loops =
        getTensorLoops(indices, getTensorType(operand).getShape(), form.spec);
    if (!loops)
      return std::nullopt;
    dense.tensors.push_back(*loops);
  }
  auto loops =
      getTensorLoops(form.spec.result, form.spec.resultDims, form.spec);
  if (!loops)
    return std::nullopt;
  dense.result = *loops;
  for (int loop = 0; loop < static_cast<int>(form.spec.loops.size()); ++loop)
    if (dense.sizeOf(loop) != 1 && !llvm::is_contained(dense.result, loop)) {
      // A summed loop that no tensor has would multiply the sum by its size,
      // and dense forms do not express that.
      if (llvm::none_of(dense.tensors, [&](const Loops &tensor) {
            return llvm::is_contained(tensor, loop);
          }))
        return std::nullopt;
      dense.summed.push_back(loop);
    }
  return dense;
}

/// Rearranges `x`, whose dims are the loops `from`, to dims `to`. Loops that
/// `x` does not have become dims of size 1.
Value DenseForm::arrange(Value x, ArrayRef<int> from, ArrayRef<int> to) {
  SmallVector<int64_t> perm, shape;
  for (int loop : to) {
    auto at = llvm::find(from, loop);
    shape.push_back(at == from.end() ? 1 : sizeOf(loop));
    if (at != from.end())
      perm.push_back(at - from.begin());
  }
  return builder.reshape(
      builder.transpose(builder.reshape(x, sizesOf(from)), perm), shape);
}

Value DenseForm::alignTo(size_t operand, ArrayRef<int> order) {
  return arrange(form.operands[operand], tensors[operand], order);
}

/// The value of the expression at each point, with the loops `order` as dims.
Value DenseForm::computePoints(ArrayRef<int> order) {
  SmallVector<Value> operands;
  SmallVector<int64_t> covered(order.size(), 1);
  for (size_t i = 0; i < form.operands.size(); ++i) {
    operands.push_back(alignTo(i, order));
    for (auto [size, dim] :
         llvm::zip(covered, getTensorType(operands.back()).getShape()))
      size = std::max(size, dim);
  }
  // The result is repeated along loops that no operand has.
  if (SmallVector<int64_t> all = sizesOf(order); all != covered)
    operands.front() = builder.expand(operands.front(), all);
  return buildPointwise(builder, form.expression, operands, form.elementType,
                        sizesOf(order));
}

/// The sums of `points` over the summed loops. The dims of `points` are the
/// loops `order`.
Value DenseForm::sumOver(Value points, ArrayRef<int> order) {
  SmallVector<int64_t> axes;
  for (auto [dim, loop] : llvm::enumerate(order))
    if (llvm::is_contained(summed, loop))
      axes.push_back(static_cast<int64_t>(dim));
  if (axes.empty())
    return points;
  return builder.make<ReduceSumOp>(
      {points}, {builder.ints("axes", axes),
                 builder.getBuilder().getNamedAttr(
                     "keepdims", builder.getBuilder().getBoolAttr(false))});
}

/// Rearranges `value`, whose dims are the loops `order`, to the result.
Value DenseForm::toResult(Value value, ArrayRef<int> order) {
  return builder.reshape(arrange(value, order, result), form.spec.resultDims);
}

bool DenseForm::isProductOfTwo() const {
  StatusOr<ScalarExpr> expression = ScalarExpr::parse(form.expression);
  return form.operands.size() == 2 && expression.isOk() &&
         isFormula(*expression, "a * b") &&
         llvm::all_of(form.operands, [&](Value operand) {
           return getTensorType(operand).getElementType() == form.elementType;
         });
}

/// Builds a matrix product, if the form is one: each operand has loops that the
/// other does not have, and both share summed loops.
Value DenseForm::tryProduct() {
  if (!isProductOfTwo())
    return {};
  Loops batch, rows, columns, inner;
  for (int loop : result) {
    if (!has(0, loop) && !has(1, loop))
      return {};
    Loops &kind = !has(1, loop) ? rows : !has(0, loop) ? columns : batch;
    kind.push_back(loop);
  }
  for (int loop : summed) {
    if (!has(0, loop) || !has(1, loop))
      return {};
    inner.push_back(loop);
  }
  if (rows.empty() || columns.empty() || inner.empty())
    return {};
  // The inner loops have the same order as in operand 0, so that operand 0
  // needs no transpose along them.
  llvm::sort(inner, [&](int a, int b) {
    return llvm::find(tensors[0], a) < llvm::find(tensors[0], b);
  });
  auto countOf = [&](ArrayRef<int> loops) {
    int64_t count = 1;
    for (int loop : loops)
      count *= sizeOf(loop);
    return count;
  };
  auto merged = [&](size_t operand, ArrayRef<int> first, ArrayRef<int> second) {
    Loops order(batch);
    order.append(first.begin(), first.end());
    order.append(second.begin(), second.end());
    SmallVector<int64_t> shape = sizesOf(batch);
    shape.append({countOf(first), countOf(second)});
    return builder.reshape(alignTo(operand, order), shape);
  };
  Value product = builder.make<MatmulOp>(
      {merged(0, rows, inner), merged(1, inner, columns)});
  Loops order(batch);
  order.append(rows);
  order.append(columns);
  return toResult(product, order);
}

Value DenseForm::build() {
  if (Value product = tryProduct())
    return product;
  // The points have the order of the operand with the most loops, so that this
  // operand needs no transpose.
  Loops order = *llvm::max_element(tensors, [](const Loops &a, const Loops &b) {
    return a.size() < b.size();
  });
  for (int loop : llvm::concat<int>(Loops(result), Loops(summed)))
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  if (order.size() == result.size())
    order = result;
  Loops kept;
  llvm::copy_if(order, std::back_inserter(kept),
                [&](int loop) { return !llvm::is_contained(summed, loop); });
  return toResult(sumOver(computePoints(order), order), kept);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// The loop that alone determines `index`, with coefficient 1; -1 if there is
/// none.
static int getPlainLoop(const AffineIndex &index) {
  bool isPlain = index.indirect < 0 && index.terms.size() == 1 &&
                 index.terms[0].coefficient == 1;
  return isPlain ? index.terms[0].loop : -1;
}

/// Builds a pad, if the form places a tensor at an offset in a larger tensor.
static Value tryPad(GradientBuilder &builder, const LeafForm &form) {
  if (form.expression != "a" || form.operands.size() != 1 ||
      form.spec.runningLoop >= 0 ||
      form.spec.operands[0].size() != form.spec.result.size() ||
      form.combiner != Combiner::Sum ||
      getTensorType(form.operands[0]).getElementType() != form.elementType)
    return {};
  ArrayRef<int64_t> dims = getTensorType(form.operands[0]).getShape();
  SmallVector<int64_t> before, after;
  SmallVector<int> seen;
  for (auto [from, to, dim, size] :
       llvm::zip_equal(form.spec.operands[0], form.spec.result, dims,
                       form.spec.resultDims)) {
    int loop = getPlainLoop(to);
    if (loop < 0 || loop != getPlainLoop(from) || from.offset != 0 ||
        form.spec.loops[loop].size != dim || llvm::is_contained(seen, loop))
      return {};
    seen.push_back(loop);
    before.push_back(to.offset);
    after.push_back(size - dim - to.offset);
  }
  if (seen.size() != form.spec.loops.size())
    return {};
  before.append(after);
  return builder.pad(form.operands[0], before);
}

//===----------------------------------------------------------------------===//
// All forms
//===----------------------------------------------------------------------===//

Value weir::buildPointwise(GradientBuilder &builder, StringRef expression,
                           ValueRange operands, Type elementType,
                           ArrayRef<int64_t> shape) {
  if (expression == "a" &&
      getTensorType(operands.front()).getElementType() == elementType)
    return operands.front();
  auto type = RankedTensorType::get(shape, elementType);
  if (Value known = buildKnownPointwise(builder, expression, operands, type))
    return known;
  return builder.leaf(operands, getPointwiseSpec(operands.size()), expression,
                      Combiner::None, elementType);
}

Value weir::buildForm(GradientBuilder &builder, LeafForm form) {
  if (Value known = buildKnownWindows(builder, form))
    return known;
  LeafForm joined = form;
  joinLoops(joined);
  if (auto dense = DenseForm::make(builder, joined))
    return dense->build();
  if (Value padded = tryPad(builder, form))
    return padded;
  return builder.leaf(form.operands, toText(form.spec), form.expression,
                      form.combiner, form.elementType);
}
