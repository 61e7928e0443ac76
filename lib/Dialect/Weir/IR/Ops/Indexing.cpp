//===- Indexing.cpp - The Indexing family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The bodies compute on indices with ordinary ops: a place of several indices
// becomes one index into the dims as one, a scatter a gather of what stands at
// each place. Indices are i64 in them, so that no product overflows.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/IndexOperands.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

#include <numeric>

using namespace mlir;
using namespace weir;

using Dims = SmallVector<int64_t>;

static Dims dimsOf(Value value) {
  return Dims(cast<RankedTensorType>(value.getType()).getShape());
}

static int64_t countOf(ArrayRef<int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1},
                         std::multiplies<>());
}

static int64_t fromStart(int64_t axis, size_t rank) {
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

static BodyValue where(BodyValue condition, BodyValue onTrue,
                       BodyValue onFalse) {
  return condition.getBuilder().make<WhereOp>({condition, onTrue, onFalse});
}

static BodyValue lessThan(BodyValue x, int64_t bound) {
  BodyBuilder &b = x.getBuilder();
  return b.make<LessOp>({x, b.integer(bound)});
}

/// Negative indices into a dim of `size` counted from its start.
static BodyValue fromEnd(BodyValue x, int64_t size) {
  return where(lessThan(x, 0), x + x.getBuilder().integer(size), x);
}

/// `x` limited from below by 0.
static BodyValue notNegative(BodyValue x) {
  BodyBuilder &b = x.getBuilder();
  return b.make<MaxOp>({x, b.integer(0)});
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Where `extreme`, which keeps `axis` as 1, stands in `input` along `axis`, in
/// the shape of `result`.
static BodyValue findExtreme(BodyBuilder &b, Value input, BodyValue extreme,
                             Value result, int64_t axis, bool last) {
  auto type = cast<RankedTensorType>(input.getType());
  axis = fromStart(axis, type.getRank());
  int64_t size = type.getDimSize(axis);
  BodyValue isFound = b.make<EqualOp>({input, extreme});
  if (isa<FloatType>(type.getElementType()))
    isFound = b.make<BitwiseOrOp>({isFound, b.make<IsNanOp>({input})});
  Dims shape(type.getRank() - axis, 1);
  shape[0] = size;
  BodyValue at = where(isFound, b.counting(shape), b.integer(last ? -1 : size));
  at = last ? b.maximum(at, axis) : b.minimum(at, axis);
  return b.reshapeLike(at, result);
}

/// one_hot: `indices` against the positions along the new `axis` of `result`.
static BodyValue markPositions(BodyBuilder &b, Value indices, Value result,
                               int64_t axis) {
  Dims shape = dimsOf(result);
  axis = fromStart(axis, shape.size());
  int64_t depth = shape[axis];
  BodyValue x = fromEnd(b.cast(indices, b.indexType()), depth);
  shape[axis] = 1;
  Dims positions(shape.size() - axis, 1);
  positions[0] = depth;
  return b.make<EqualOp>({b.reshape(x, shape), b.counting(positions)});
}

/// The places whose indices the last dim of `indices` holds, one per dim of
/// `sizes`, as one index each into these dims as one: [places]. An index
/// outside becomes the nearest one inside or, with `marksOutside`, the place
/// behind all.
static BodyValue linearizePlaces(BodyBuilder &b, Value indices,
                                 ArrayRef<int64_t> sizes, bool marksOutside) {
  auto rank = static_cast<int64_t>(sizes.size());
  int64_t places = countOf(dimsOf(indices)) / rank;
  BodyValue all = b.reshape(b.cast(indices, b.indexType()), {places, rank});
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
    BodyValue starts = b.counting({batch, 1}) * b.integer(size);
    flat = b.reshape(b.reshape(flat, {batch, count / batch}) + starts, {count});
  }
  BodyValue rows = b.reshape(
      input, {batch * size, countOf(rest.drop_front(indexed.size()))});
  return b.reshapeLike(b.make<TakeOp>({rows, flat}), result);
}

/// `x` with elements `value` behind it up to shape `dims`.
static BodyValue padTo(BodyValue x, ArrayRef<int64_t> dims, double value) {
  BodyBuilder &b = x.getBuilder();
  Dims own = dimsOf(x), pads(2 * dims.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d)
    pads[dims.size() + d] = dims[d] - own[d];
  if (own == Dims(dims))
    return x;
  return b.make<PadOp>({x}, {b.ints("pads", pads), b.real("value", value)});
}

/// operands: input, indices, updates.
static BodyValue replaceElements(BodyBuilder &b, ValueRange operands,
                                 int64_t axis) {
  Dims dims = dimsOf(operands[0]);
  axis = fromStart(axis, dims.size());
  if (countOf(dimsOf(operands[1])) == 0)
    return b.value(operands[0]);
  BodyValue source = b.make<InverseIndexOp>(
      {b.cast(operands[1], b.indexType())},
      {b.number("size", dims[axis]), b.number("axis", axis)});
  BodyValue updates = b.make<TakeAlongAxisOp>(
      {operands[2], notNegative(source)}, b.number("axis", axis));
  source = padTo(source, dims, -1);
  updates = padTo(updates, dims, 0);
  return where(lessThan(source, 0), b.value(operands[0]), updates);
}

/// operands: input, indices, updates.
static BodyValue replacePlaces(BodyBuilder &b, ValueRange operands) {
  Dims dims = dimsOf(operands[0]);
  if (countOf(dimsOf(operands[1])) == 0)
    return b.value(operands[0]);
  ArrayRef<int64_t> indexed =
      ArrayRef(dims).take_front(dimsOf(operands[1]).back());
  int64_t size = countOf(indexed);
  int64_t row = countOf(ArrayRef(dims).drop_front(indexed.size()));
  BodyValue flat =
      linearizePlaces(b, operands[1], indexed, /*marksOutside=*/true);
  BodyValue source = b.make<InverseIndexOp>({flat}, b.number("size", size));
  BodyValue updates =
      b.make<TakeOp>({b.reshape(operands[2], {countOf(dimsOf(flat)), row}),
                      notNegative(source)});
  BodyValue isKept = b.reshape(lessThan(source, 0), {size, 1});
  BodyValue y = where(isKept, b.reshape(operands[0], {size, row}), updates);
  return b.reshapeLike(y, operands[0]);
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Indexing.cpp.inc"

void WeirDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Indexing.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::vector<int64_t> operandDims(TypeRange operands, size_t number) {
  return toDims(cast<RankedTensorType>(operands[number]));
}

static SmallVector<Type> ofType(Type like, const std::vector<int64_t> &dims) {
  return {makeTensorType(dims, cast<RankedTensorType>(like).getElementType())};
}

static Status checkOperandCount(TypeRange operands, size_t expected) {
  if (operands.size() == expected)
    return Status::ok();
  return invalidArgument(
      fmt::format("expects {} operands, found {}", expected, operands.size()));
}

static StatusOr<int64_t> resolveAxis(const AttrMap &attrs, int64_t fallback,
                                     size_t rank) {
  int64_t axis = attrs.intOr("axis", fallback);
  int64_t limit = static_cast<int64_t>(rank);
  if (axis >= -limit && axis < limit)
    return axis < 0 ? axis + limit : axis;
  return invalidArgument(
      limit == 0
          ? fmt::format("attribute 'axis' is {} for a scalar, expected a "
                        "tensor of rank 1 or more",
                        axis)
          : fmt::format("attribute 'axis' expects a value from {} to {}, "
                        "found {}",
                        -limit, limit - 1, axis));
}

static bool areCompatible(int64_t left, int64_t right) {
  return left == right || left == unknownDim || right == unknownDim;
}

StatusOr<SmallVector<Type>> GatherOp::inferShapes(TypeRange operands,
                                                  const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 2));
  std::vector<int64_t> dims = operandDims(operands, 0);
  std::vector<int64_t> places = operandDims(operands, 1);
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, 0, dims.size()));
  bool picks = llvm::none_of(places, [](int64_t dim) { return dim == 0; });
  if (dims[axis] == 0 && picks)
    return invalidArgument(
        fmt::format("dim {} of operand 0 ({}) has no element to pick, expected "
                    "1 or more",
                    axis, shapeToString(dims)));
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, places.begin(), places.end());
  return ofType(operands[0], dims);
}

/// How many dims the last dim of `places` indexes, behind `batchDims`.
static StatusOr<int64_t> countIndexed(const std::vector<int64_t> &dims,
                                      const std::vector<int64_t> &places,
                                      int64_t batchDims) {
  int64_t rank = static_cast<int64_t>(dims.size());
  if (static_cast<int64_t>(places.size()) <= batchDims || batchDims >= rank)
    return invalidArgument(
        fmt::format("operands 0 ({}) and 1 ({}) expect more than {} dims",
                    shapeToString(dims), shapeToString(places), batchDims));
  if (places.back() < 1 || places.back() > rank - batchDims)
    return invalidArgument(fmt::format(
        "the last dim of operand 1 ({}) expects a size from 1 to {}",
        shapeToString(places), rank - batchDims));
  for (int64_t d = 0; d < batchDims; ++d)
    if (!areCompatible(dims[d], places[d]))
      return invalidArgument(fmt::format(
          "dim {} of operand 1 ({}) is {}, expected {} as in operand 0", d,
          shapeToString(places), places[d], dims[d]));
  return places.back();
}

StatusOr<SmallVector<Type>> GatherNdOp::inferShapes(TypeRange operands,
                                                    const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 2));
  std::vector<int64_t> dims = operandDims(operands, 0);
  std::vector<int64_t> places = operandDims(operands, 1);
  int64_t batchDims = attrs.intOr("batch_dims", 0);
  WEIR_ASSIGN_OR_RETURN(int64_t indexed, countIndexed(dims, places, batchDims));
  std::vector<int64_t> result(places.begin(), places.end() - 1);
  result.insert(result.end(), dims.begin() + batchDims + indexed, dims.end());
  bool picks = llvm::none_of(result, [](int64_t dim) { return dim == 0; });
  if (picks && llvm::is_contained(dims, 0))
    return invalidArgument(
        fmt::format("operand 0 ({}) has no element to pick, expected 1 or more",
                    shapeToString(dims)));
  return ofType(operands[0], result);
}

StatusOr<SmallVector<Type>> OneHotOp::inferShapes(TypeRange operands,
                                                  const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 1));
  std::vector<int64_t> dims = operandDims(operands, 0);
  int64_t depth = attrs.intOr("depth", 0);
  if (depth < 1)
    return invalidArgument(
        fmt::format("attribute 'depth' expects at least 1, found {}", depth));
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, -1, dims.size() + 1));
  dims.insert(dims.begin() + axis, depth);
  return SmallVector<Type>{
      makeTensorType(dims, IntegerType::get(operands[0].getContext(), 1))};
}

StatusOr<SmallVector<Type>>
ScatterElementsOp::inferShapes(TypeRange operands, const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 3));
  std::vector<int64_t> dims = operandDims(operands, 0);
  std::vector<int64_t> places = operandDims(operands, 1);
  std::vector<int64_t> updates = operandDims(operands, 2);
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, 0, dims.size()));
  bool fits = places.size() == dims.size() && updates.size() == dims.size();
  for (size_t d = 0; fits && d < dims.size(); ++d) {
    bool isSmaller = places[d] == unknownDim || dims[d] == unknownDim ||
                     places[d] <= dims[d];
    fits = areCompatible(places[d], updates[d]) &&
           (isSmaller || static_cast<int64_t>(d) == axis);
  }
  if (fits)
    return ofType(operands[0], dims);
  return invalidArgument(fmt::format(
      "operands 1 ({}) and 2 ({}) expect one shape that fits into operand 0 "
      "({}) but for axis {}",
      shapeToString(places), shapeToString(updates), shapeToString(dims),
      axis));
}

StatusOr<SmallVector<Type>> ScatterNdOp::inferShapes(TypeRange operands,
                                                     const AttrMap &) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 3));
  std::vector<int64_t> dims = operandDims(operands, 0);
  std::vector<int64_t> places = operandDims(operands, 1);
  std::vector<int64_t> updates = operandDims(operands, 2);
  WEIR_ASSIGN_OR_RETURN(int64_t indexed, countIndexed(dims, places, 0));
  std::vector<int64_t> expected(places.begin(), places.end() - 1);
  expected.insert(expected.end(), dims.begin() + indexed, dims.end());
  bool fits = expected.size() == updates.size();
  for (size_t d = 0; fits && d < expected.size(); ++d)
    fits = areCompatible(expected[d], updates[d]);
  if (fits)
    return ofType(operands[0], dims);
  return invalidArgument(
      fmt::format("operand 2 is {}, expected {}: the dims of operand 1 but the "
                  "last, then those of operand 0 that it does not index",
                  shapeToString(updates), shapeToString(expected)));
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Of nothing there is no extreme, nor a place.
static LogicalResult verifyNotEmpty(Operation *op, int64_t axis) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t size = type.getDimSize(fromStart(axis, type.getRank()));
  if (size != 0 || (result.hasStaticShape() && result.getNumElements() == 0))
    return success();
  return op->emitOpError("expects at least one element along axis ") << axis;
}

LogicalResult ArgMaxOp::verify() { return verifyNotEmpty(*this, getAxis()); }
LogicalResult ArgMinOp::verify() { return verifyNotEmpty(*this, getAxis()); }

LogicalResult InverseIndexOp::verify() {
  return verifyNotEmpty(*this, getAxis());
}

//===----------------------------------------------------------------------===//
// Operands with indices
//===----------------------------------------------------------------------===//

/// The operands that the index spec of a leaf reads as indices.
static SmallVector<IndexOperand> getLeafIndices(WeirOpInterface op) {
  SmallVector<IndexOperand> found;
  if (!op.getOpRecord().getIndexSpec().hasIndirectDims())
    return found;
  BoundSpec bound = bindSpec(op);
  for (auto [operand, dims] : llvm::zip(op->getOperands(), bound.operands))
    for (auto [index, size] : llvm::zip(dims, dimsOf(operand)))
      if (index.indirect >= 0)
        found.push_back({static_cast<unsigned>(index.indirect), {size}});
  return found;
}

SmallVector<IndexOperand> weir::getIndexOperands(WeirOpInterface op) {
  if (op.getOpRecord().isLeaf())
    return getLeafIndices(op);
  auto along = [&](int64_t axis) -> SmallVector<IndexOperand> {
    Dims dims = dimsOf(op->getOperand(0));
    return {{1, {dims[fromStart(axis, dims.size())]}}};
  };
  auto atPlaces = [&](int64_t batchDims) -> SmallVector<IndexOperand> {
    Dims dims = dimsOf(op->getOperand(0));
    int64_t indexed = dimsOf(op->getOperand(1)).back();
    return {{1, Dims(ArrayRef(dims).slice(batchDims, indexed))}};
  };
  if (auto gather = dyn_cast<GatherOp>(*op))
    return along(gather.getAxis());
  if (auto scatter = dyn_cast<ScatterElementsOp>(*op))
    return along(scatter.getAxis());
  if (auto gather = dyn_cast<GatherNdOp>(*op))
    return atPlaces(gather.getBatchDims());
  if (isa<ScatterNdOp>(*op))
    return atPlaces(0);
  return {};
}
