//===- Indexing.cpp - The Indexing family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The bodies of the ops compute on indices with ordinary ops. If a place has
// several indices, they become one index into the flattened dims. A scatter
// that replaces elements becomes a gather, which finds the update for each
// place. Indices are i64 in the bodies, so that no product overflows.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::indexing;

static BodyValue where(BodyValue condition, BodyValue onTrue,
                       BodyValue onFalse) {
  return condition.getBuilder().make<WhereOp>({condition, onTrue, onFalse});
}

static BodyValue lessThan(BodyValue x, int64_t bound) {
  BodyBuilder &b = x.getBuilder();
  return b.make<LessOp>({x, b.integer(bound)});
}

/// `indices` as i64. A u64 beyond the largest i64 is out of range of every dim,
/// and it becomes the largest i64. A plain cast would make it negative, and a
/// negative index counts from the end.
static BodyValue toPositions(BodyBuilder &b, Value indices) {
  Type type = getTensorType(indices).getElementType();
  if (type.isUnsignedInteger(64)) {
    auto largest =
        DenseElementsAttr::get(RankedTensorType::get({}, type),
                               APInt(64, std::numeric_limits<int64_t>::max()));
    indices = b.make<MinOp>({indices, b.constant(largest)});
  }
  return b.cast(indices, b.indexType());
}

/// Converts indices of a dim of `size`: a negative index counts from the end,
/// and becomes an index from the start.
static BodyValue fromEnd(BodyValue x, int64_t size) {
  return where(lessThan(x, 0), x + x.getBuilder().integer(size), x);
}

BodyValue indexing::counting(BodyBuilder &b, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.indexType());
  BodyValue like = b.constant(DenseElementsAttr::get(
      type, APInt::getZero(type.getElementTypeBitWidth())));
  const auto *along =
      llvm::find_if(shape, [](int64_t size) { return size != 1; });
  int64_t axis = along == shape.end() ? 0 : along - shape.begin();
  return b.make<PositionsOp>({like}, b.number("axis", axis));
}

/// The maximum of `x` and 0.
static BodyValue notNegative(BodyValue x) {
  BodyBuilder &b = x.getBuilder();
  return b.make<MaxOp>({x, b.integer(0)});
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The first or the last position of `extreme` in `input` along `axis`, in the
/// shape of `result`. `extreme` has size 1 along `axis`.
static BodyValue findExtreme(BodyBuilder &b, Value input, BodyValue extreme,
                             Value result, int64_t axis, bool last) {
  auto type = cast<RankedTensorType>(input.getType());
  axis = fromStart(axis, type.getRank());
  int64_t size = type.getDimSize(axis);
  BodyValue isFound = b.make<EqualOp>({input, extreme});
  if (isa<FloatType>(type.getElementType()))
    isFound = b.make<BitwiseOrOp>({isFound, b.make<IsNanOp>({input})});
  BodyValue positions = b.make<PositionsOp>({isFound}, b.number("axis", axis));
  BodyValue at = where(isFound, positions, b.integer(last ? -1 : size));
  at = last ? b.maximum(at, axis) : b.minimum(at, axis);
  return b.reshapeLike(at, result);
}

/// The body of one_hot: whether each position along the new `axis` of `result`
/// is the one that `indices` holds.
static BodyValue markPositions(BodyBuilder &b, Value indices, Value result,
                               int64_t axis) {
  Dims shape = dimsOf(result), repeated = shape;
  axis = fromStart(axis, shape.size());
  BodyValue x = fromEnd(toPositions(b, indices), shape[axis]);
  repeated[axis] = 1;
  x = b.make<ExpandOp>({b.reshape(x, repeated)}, b.ints("shape", shape));
  return b.make<EqualOp>({x, b.make<PositionsOp>({x}, b.number("axis", axis))});
}

/// One index per place, as a tensor [places]. The last dim of `indices` holds
/// the indices of a place, one for each dim of `sizes`. The result is the index
/// of the place in the flattened dims. An index outside of its dim becomes the
/// nearest index inside. With `marksOutside`, the place gets the index behind
/// all elements instead.
static BodyValue linearizePlaces(BodyBuilder &b, Value indices,
                                 ArrayRef<int64_t> sizes, bool marksOutside) {
  auto rank = static_cast<int64_t>(sizes.size());
  int64_t places = countOf(dimsOf(indices)) / rank;
  BodyValue all = b.reshape(toPositions(b, indices), {places, rank});
  BodyValue place = b.integer(0), isOutside = place;
  for (int64_t d = 0; d < rank; ++d) {
    BodyValue index = b.make<SliceOp>(
        {all}, {b.ints("starts", {0, d}), b.ints("sizes", {places, 1})});
    index = fromEnd(b.reshape(index, {places}), sizes[d]);
    BodyValue inside =
        b.make<MinOp>({notNegative(index), b.integer(sizes[d] - 1)});
    place = d == 0 ? inside : place * b.integer(sizes[d]) + inside;
    if (!marksOutside)
      continue;
    BodyValue differs = b.make<NotEqualOp>({index, inside});
    isOutside = d == 0 ? differs : b.make<BitwiseOrOp>({isOutside, differs});
  }
  return marksOutside ? where(isOutside, b.integer(countOf(sizes)), place)
                      : place;
}

static BodyValue gatherPlaces(BodyBuilder &b, Value input, Value indices,
                              Value result, int64_t batchDims) {
  Dims dims = dimsOf(input), places = dimsOf(indices);
  ArrayRef<int64_t> rest = ArrayRef(dims).drop_front(batchDims);
  ArrayRef<int64_t> indexed = rest.take_front(places.back());
  int64_t batch = countOf(ArrayRef(dims).take_front(batchDims));
  int64_t size = countOf(indexed);
  BodyValue flat = linearizePlaces(b, indices, indexed, /*marksOutside=*/false);
  int64_t count = countOf(dimsOf(flat));
  if (batchDims > 0 && count > 0) {
    BodyValue starts = counting(b, {batch, 1}) * b.integer(size);
    flat = b.reshape(b.reshape(flat, {batch, count / batch}) + starts, {count});
  }
  BodyValue rows = b.reshape(
      input, {batch * size, countOf(rest.drop_front(indexed.size()))});
  return b.reshapeLike(b.make<TakeOp>({rows, flat}), result);
}

/// `x`, padded at the end of each dim with `value` up to shape `dims`.
static BodyValue padTo(BodyValue x, ArrayRef<int64_t> dims, double value) {
  BodyBuilder &b = x.getBuilder();
  Dims own = dimsOf(x), pads(2 * dims.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d)
    pads[dims.size() + d] = dims[d] - own[d];
  if (own == Dims(dims))
    return x;
  return b.make<PadOp>({x}, {b.ints("pads", pads), b.real("value", value)});
}

/// The operands are the input, the indices and the updates.
static BodyValue replaceElements(BodyBuilder &b, ValueRange operands,
                                 int64_t axis) {
  Dims dims = dimsOf(operands[0]);
  axis = fromStart(axis, dims.size());
  if (countOf(dimsOf(operands[1])) == 0)
    return b.value(operands[0]);
  BodyValue source = b.make<InverseIndexOp>(
      {toPositions(b, operands[1])},
      {b.number("size", dims[axis]), b.number("axis", axis)});
  BodyValue updates = b.make<TakeAlongAxisOp>(
      {operands[2], notNegative(source)}, b.number("axis", axis));
  source = padTo(source, dims, -1);
  updates = padTo(updates, dims, 0);
  return where(lessThan(source, 0), b.value(operands[0]), updates);
}

namespace {
/// The rows of `input` that `indices` name.
struct IndexedRows {
  IndexedRows(BodyBuilder &b, Value input, Value indices)
      : dims(dimsOf(input)),
        indexed(ArrayRef(dims).take_front(dimsOf(indices).back())),
        size(countOf(indexed)),
        row(countOf(ArrayRef(dims).drop_front(indexed.size()))),
        flat(linearizePlaces(b, indices, indexed, /*marksOutside=*/true)),
        count(countOf(dimsOf(flat))) {}

  Dims dims;
  ArrayRef<int64_t> indexed;
  /// The number of rows, and the number of elements of each row.
  int64_t size, row;
  /// The number of the row that each index names.
  BodyValue flat;
  /// The number of indices.
  int64_t count;
};
} // namespace

/// The operands are the input, the indices and the updates.
static BodyValue replacePlaces(BodyBuilder &b, ValueRange operands) {
  if (countOf(dimsOf(operands[1])) == 0)
    return b.value(operands[0]);
  IndexedRows rows(b, operands[0], operands[1]);
  BodyValue source =
      b.make<InverseIndexOp>({rows.flat}, b.number("size", rows.size));
  BodyValue updates = b.make<TakeOp>(
      {b.reshape(operands[2], {rows.count, rows.row}), notNegative(source)});
  BodyValue isKept = b.reshape(lessThan(source, 0), {rows.size, 1});
  BodyValue y =
      where(isKept, b.reshape(operands[0], {rows.size, rows.row}), updates);
  return b.reshapeLike(y, operands[0]);
}

/// `updates` combined with the rows of `input` at `indices`, by the reduction
/// with the name `reduction`.
static BodyValue combineRows(BodyBuilder &b, StringRef reduction,
                             BodyValue updates, BodyValue indices,
                             BodyValue input) {
  SmallVector<Value> operands = {updates, indices, input};
  if (reduction == "sum")
    return b.make<ScatterSumOp>(operands);
  if (reduction == "product")
    return b.make<ScatterProdOp>(operands);
  if (reduction == "maximum")
    return b.make<ScatterMaxOp>(operands);
  return b.make<ScatterMinOp>(operands);
}

/// The operands are the input, the indices and the updates. Each update gets an
/// index into the flattened input. An update out of range gets the index behind
/// all elements.
static BodyValue combineElements(BodyBuilder &b, ValueRange operands,
                                 int64_t axis, StringRef reduction) {
  Dims dims = dimsOf(operands[0]), updates = dimsOf(operands[1]);
  int64_t size = countOf(dims), count = countOf(updates);
  if (count == 0 || size == 0)
    return b.value(operands[0]);
  axis = fromStart(axis, dims.size());
  BodyValue index = fromEnd(toPositions(b, operands[1]), dims[axis]);
  BodyValue inside =
      b.make<MinOp>({notNegative(index), b.integer(dims[axis] - 1)});
  BodyValue place = b.integer(0);
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    Dims along(updates.size() - d, 1);
    along[0] = updates[d];
    BodyValue at =
        static_cast<int64_t>(d) == axis ? inside : counting(b, along);
    place = place + at * b.integer(stride);
  }
  place = where(b.make<NotEqualOp>({index, inside}), b.integer(size), place);
  BodyValue y = combineRows(b, reduction, b.reshape(operands[2], {1, count, 1}),
                            b.reshape(place, {count}),
                            b.reshape(operands[0], {1, size, 1}));
  return b.reshapeLike(y, operands[0]);
}

/// The operands are the input, the indices and the updates.
static BodyValue combinePlaces(BodyBuilder &b, ValueRange operands,
                               StringRef reduction) {
  if (countOf(dimsOf(operands[1])) == 0 || countOf(dimsOf(operands[0])) == 0)
    return b.value(operands[0]);
  IndexedRows rows(b, operands[0], operands[1]);
  BodyValue y = combineRows(
      b, reduction, b.reshape(operands[2], {1, rows.count, rows.row}),
      rows.flat, b.reshape(operands[0], {1, rows.size, rows.row}));
  return b.reshapeLike(y, operands[0]);
}

/// Compares the elements of `x` along `axis`. The result has two dims i and j
/// in place of `axis`, and says whether element j comes before element i.
static BodyValue findOrder(BodyBuilder &b, BodyValue x, int64_t axis,
                           bool isLargest) {
  Dims shape = dimsOf(x);
  auto along = [&](BodyValue value, int64_t which) {
    Dims dims = shape;
    dims.insert(dims.begin() + axis + which, 1);
    return b.reshape(value, dims);
  };
  BodyValue left = along(x, 0), right = along(x, 1);
  BodyValue first = isLargest ? left : right, second = isLargest ? right : left;
  BodyValue isBefore = b.make<GreaterOp>({first, second});
  BodyValue isEqual = b.make<EqualOp>({left, right});
  if (isa<FloatType>(x.getType().getElementType())) {
    BodyValue isNan = b.make<IsNanOp>({x});
    BodyValue isNumber = b.make<LogicalNotOp>({isNan});
    BodyValue isNanFirst = b.make<BitwiseAndOp>(
        {along(isNan, isLargest ? 0 : 1), along(isNumber, isLargest ? 1 : 0)});
    BodyValue areNan = b.make<BitwiseAndOp>({along(isNan, 0), along(isNan, 1)});
    isBefore = b.make<BitwiseOrOp>({isBefore, isNanFirst});
    isEqual = b.make<BitwiseOrOp>({isEqual, areNan});
  }
  auto position = [&](int64_t dim) {
    return b.make<PositionsOp>({isEqual}, b.number("axis", dim));
  };
  BodyValue isEarlier = b.make<LessOp>({position(axis + 1), position(axis)});
  return b.make<BitwiseOrOp>(
      {isBefore, b.make<BitwiseAndOp>({isEqual, isEarlier})});
}

/// The body of top_k. The rank of an element is the number of elements that
/// come before it. The inverse of the ranks gives the position of the element
/// with each of the first ranks.
static BodyValue findTop(BodyBuilder &b, BodyValue x, Value result,
                         int64_t axis, bool isLargest) {
  Dims shape = dimsOf(x), found = dimsOf(result);
  axis = fromStart(axis, shape.size());
  if (countOf(found) == 0)
    return counting(b, found);
  BodyValue order = findOrder(b, x, axis, isLargest);
  BodyValue rank = b.sum(b.cast(order, b.indexType()), {axis + 1});
  return b.make<InverseIndexOp>(
      {b.reshape(rank, shape)},
      {b.number("size", found[axis]), b.number("axis", axis)});
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// The sizes of `x` before, along and behind `axis`.
static Dims splitAt(Value x, int64_t axis) {
  Dims dims = dimsOf(x);
  axis = fromStart(axis, dims.size());
  return {countOf(ArrayRef(dims).take_front(axis)), dims[axis],
          countOf(ArrayRef(dims).drop_front(axis + 1))};
}

/// A tensor of zeros like `x`, to which each row of `rows` is added at the
/// row's index along `axis`.
static BodyValue scatterRows(BodyBuilder &b, Value x, Value indices, Value rows,
                             int64_t axis) {
  Dims sizes = splitAt(x, axis);
  BodyValue flat =
      b.reshape(toPositions(b, indices), {countOf(dimsOf(indices))});
  BodyValue zeros = b.reshape(b.zerosLike(x), sizes);
  BodyValue updates =
      b.reshape(rows, {sizes[0], dimsOf(flat).front(), sizes[2]});
  BodyValue sums =
      b.make<ScatterSumOp>({updates, fromEnd(flat, sizes[1]), zeros});
  return b.reshapeLike(sums, x);
}

/// A tensor of zeros like `x`, to which each element of `updates` is added at
/// its index along `axis`.
static BodyValue scatterElements(BodyBuilder &b, Value x, Value indices,
                                 Value updates, int64_t axis) {
  OperationName name(ScatterElementsOp::getOperationName(), x.getContext());
  return b.make<ScatterElementsOp>(
      {b.zerosLike(x), indices, updates},
      {b.number("axis", axis),
       b.text(ScatterElementsOp::getReductionAttrName(name).getValue(),
              "sum")});
}

/// The rows of `x` at `indices`, where `x` has the shape [v, p, w]. An index
/// outside of p gives zeros.
static BodyValue takeRows(BodyBuilder &b, Value x, Value indices) {
  int64_t size = dimsOf(x)[1];
  Type elementType = getTensorType(x).getElementType();
  Dims taken = {dimsOf(x)[0], dimsOf(indices).front(), dimsOf(x)[2]};
  if (size == 0)
    return b.constant(DenseElementsAttr::get(
        RankedTensorType::get(taken, elementType),
        Builder(x.getContext()).getZeroAttr(elementType)));
  BodyValue index = toPositions(b, indices);
  BodyValue inside = b.make<MinOp>({notNegative(index), b.integer(size - 1)});
  BodyValue rows = b.make<TakeOp>({x, inside}, b.number("axis", 1));
  BodyValue isInside =
      b.reshape(b.make<EqualOp>({index, inside}), {dimsOf(indices).front(), 1});
  return where(isInside, rows, b.scalar(0, elementType));
}

/// The gradient of resample for its input. Each element of `gradient` is
/// multiplied by each weight of the element, and the product is added at the
/// index of the weight.
static BodyValue scatterTaps(BodyBuilder &b, ArrayRef<Value> operands,
                             Value gradient, int64_t axis) {
  Dims sizes = splitAt(gradient, axis), taps = dimsOf(operands[1]);
  BodyValue spread = b.reshape(gradient, {sizes[0], taps[0], 1, sizes[2]});
  BodyValue weights =
      b.cast(operands[2], getTensorType(gradient).getElementType());
  BodyValue parts = spread * b.reshape(weights, {taps[0], taps[1], 1});
  return scatterRows(b, operands[0], operands[1], parts, axis);
}

/// The gradient of resample for its weights.
static BodyValue weighTaps(BodyBuilder &b, ArrayRef<Value> operands,
                           Value gradient, int64_t axis) {
  Dims sizes = splitAt(operands[0], axis), taps = dimsOf(operands[1]);
  BodyValue rows = b.make<TakeOp>(
      {b.reshape(operands[0], sizes), b.reshape(operands[1], {countOf(taps)})},
      b.number("axis", 1));
  rows = b.reshape(rows, {sizes[0], taps[0], taps[1], sizes[2]});
  BodyValue product =
      rows * b.reshape(gradient, {sizes[0], taps[0], 1, sizes[2]});
  return b.reshapeLike(b.sum(product, {0, 3}), operands[2]);
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Indexing.cpp.inc"

LogicalResult PositionsOp::verify() {
  return opdetail::verifyAxis(*this, getAxis());
}

void WeirDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Indexing.cpp.inc"
      >();
}
