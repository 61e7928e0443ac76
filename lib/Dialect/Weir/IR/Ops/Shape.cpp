//===- Shape.cpp - The Shape family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using weir::opdetail::resolveAxis;

/// The parts of `whole` along `axis` that have the sizes of `parts`.
static SmallVector<Value> splitLike(BodyBuilder &b, Value whole,
                                    ArrayRef<Value> parts, int64_t axis) {
  axis = fromStart(axis, getTensorType(whole).getRank());
  SmallVector<Value> slices;
  SmallVector<int64_t> starts(getTensorType(whole).getRank(), 0);
  for (Value part : parts) {
    ArrayRef<int64_t> sizes = getTensorType(part).getShape();
    slices.push_back(b.make<SliceOp>(
        {whole}, {b.ints("starts", starts), b.ints("sizes", sizes)}));
    starts[axis] += sizes[axis];
  }
  return slices;
}

/// The flattened `parts`, one behind the other as in a bucket.
static Value packParts(BodyBuilder &b, ArrayRef<Value> parts) {
  const BucketLayout layout = *layOutBucket(ValueRange(parts).getTypes());
  SmallVector<Value> pieces;
  for (auto [index, part] : llvm::enumerate(parts)) {
    const RankedTensorType type = getTensorType(part);
    pieces.push_back(b.reshape(part, type.getNumElements()));
    const int64_t next =
        index + 1 < parts.size() ? layout.offsets[index + 1] : layout.size;
    const int64_t gap = next - layout.offsets[index] - type.getNumElements();
    if (gap == 0)
      continue;
    auto zeros = RankedTensorType::get(gap, type.getElementType());
    pieces.push_back(b.constant(DenseElementsAttr::get(
        zeros,
        cast<TypedAttr>(
            Builder(type.getContext()).getZeroAttr(type.getElementType())))));
  }
  return b.make<ConcatOp>(pieces, b.number("axis", 0));
}

/// The parts of `whole`, a pack of tensors with the shapes of `parts`.
static SmallVector<Value> unpackParts(BodyBuilder &b, Value whole,
                                      ArrayRef<Value> parts) {
  const BucketLayout layout = *layOutBucket(ValueRange(parts).getTypes());
  SmallVector<Value> pieces;
  for (auto [offset, part] : llvm::zip(layout.offsets, parts)) {
    auto slice = b.make<SliceOp>(
        {whole}, {b.ints("starts", offset),
                  b.ints("sizes", getTensorType(part).getNumElements())});
    pieces.push_back(b.reshapeLike(slice, part));
  }
  return pieces;
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Shape.cpp.inc"

void WeirDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Shape.cpp.inc"
      >();
}

/// One copy for each part of `whole` along `axis`. If `isConcat`, the parts are
/// operands, and otherwise they are results.
static SmallVector<ElementCopy> makeCopies(RankedTensorType whole,
                                           ValueRange parts, int64_t axis,
                                           bool isConcat) {
  size_t dim = fromStart(axis, whole.getRank());
  TensorDesc wholeDesc = toTensorDesc(withoutLayout(whole));
  SmallVector<ElementCopy> copies;
  int64_t offset = 0;
  for (auto [index, part] : llvm::enumerate(parts)) {
    TensorDesc desc =
        toTensorDesc(withoutLayout(cast<RankedTensorType>(part.getType())));
    ElementCopy copy;
    copy.dims.assign(desc.dims.begin(), desc.dims.end());
    copy.fromStrides.assign(desc.strides.begin(), desc.strides.end());
    copy.toStrides.assign(wholeDesc.strides.begin(), wholeDesc.strides.end());
    copy.toOffset = offset * wholeDesc.strides[dim];
    (isConcat ? copy.operand : copy.result) = static_cast<int64_t>(index);
    if (!isConcat) {
      std::swap(copy.fromStrides, copy.toStrides);
      std::swap(copy.fromOffset, copy.toOffset);
    }
    offset += desc.dims[dim];
    copies.push_back(std::move(copy));
  }
  return copies;
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

StatusOr<SmallVector<Type>> ConcatOp::inferShapes(TypeRange operands,
                                                  const AttrMap &attrs) {
  auto first = cast<RankedTensorType>(operands.front());
  std::vector<int64_t> dims = toDims(first);
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, 0, dims.size()));
  for (auto [index, type] : llvm::enumerate(operands.drop_front())) {
    std::vector<int64_t> other = toDims(cast<RankedTensorType>(type));
    bool fits = other.size() == dims.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) {
      bool isUnknown = other[d] == unknownDim || dims[d] == unknownDim;
      if (static_cast<int64_t>(d) == axis)
        dims[d] = isUnknown ? unknownDim : dims[d] + other[d];
      else if (isUnknown)
        dims[d] = std::max(dims[d], other[d]);
      else
        fits = dims[d] == other[d];
    }
    if (!fits)
      return invalidArgument(fmt::format(
          "operand {} ({}) expects the shape of operand 0 ({}) but for axis {}",
          index + 1, shapeToString(toDims(cast<RankedTensorType>(type))),
          shapeToString(toDims(first)), axis));
    // The dims are checked after each operand, so that the sum never overflows.
    WEIR_RETURN_IF_ERROR(checkShape(dims, "the result"));
  }
  return SmallVector<Type>{makeTensorType(dims, first.getElementType())};
}

SmallVector<ElementCopy> ConcatOp::getCopies() {
  return makeCopies(cast<RankedTensorType>(getResult().getType()), getInputs(),
                    getAxis(), /*isConcat=*/true);
}

//===----------------------------------------------------------------------===//
// Pack
//===----------------------------------------------------------------------===//

StatusOr<SmallVector<Type>> PackOp::inferShapes(TypeRange operands,
                                                const AttrMap &) {
  auto first = cast<RankedTensorType>(operands.front());
  const bool areSized = llvm::all_of(operands, [](Type type) {
    return cast<RankedTensorType>(type).hasStaticShape();
  });
  if (!areSized)
    return SmallVector<Type>{
        makeTensorType({unknownDim}, first.getElementType())};
  WEIR_ASSIGN_OR_RETURN(const BucketLayout layout, layOutBucket(operands));
  return SmallVector<Type>{
      makeTensorType({layout.size}, first.getElementType())};
}

SmallVector<int64_t> PackOp::getPlaces() {
  return layOutBucket(getInputs().getTypes())->offsets;
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

LogicalResult PadOp::verify() {
  return opdetail::verifyExact(*this, "value", getValue(),
                               "weir.concat with a weir.constant");
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Replaces 0 in `shape` by the input's dim at the same position.
static Status copyDims(std::vector<int64_t> &shape,
                       const std::vector<int64_t> &input) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < -1)
      return invalidArgument(fmt::format(
          "attribute 'shape' expects sizes, 0 or -1, found {}", shape[d]));
    if (shape[d] != 0)
      continue;
    if (d >= input.size())
      return invalidArgument(fmt::format(
          "attribute 'shape' has 0 at position {}, but the input ({}) has no "
          "such dim",
          d, shapeToString(input)));
    // An unknown dim must not be confused with a -1 of the user.
    shape[d] = input[d] == unknownDim ? ShapedType::kDynamic : input[d];
  }
  return Status::ok();
}

static StatusOr<std::vector<int64_t>>
resolveShape(std::vector<int64_t> shape, const std::vector<int64_t> &input) {
  // A copied dim of size 0 is left out when the open dim is computed from the
  // other dims.
  int64_t known = 1, total = 1, rest = 1, numOpen = 0;
  bool isUnknown = false;
  for (auto [d, dim] : llvm::enumerate(input)) {
    isUnknown |= dim == unknownDim;
    total *= dim == unknownDim ? 1 : dim;
    bool cancels = dim == 0 && d < shape.size() && shape[d] == 0;
    rest *= dim == unknownDim || cancels ? 1 : dim;
  }
  WEIR_RETURN_IF_ERROR(copyDims(shape, input));
  WEIR_RETURN_IF_ERROR(checkCount(shape, "attribute 'shape'"));
  for (int64_t dim : shape) {
    numOpen += dim == -1;
    if (dim > 0)
      known *= dim;
  }
  if (numOpen > 1)
    return invalidArgument("attribute 'shape' expects at most one -1");
  for (int64_t &dim : shape) {
    // The quotient is known if the same unknown dims are on both sides.
    bool quotientIsKnown =
        !isUnknown || llvm::count(shape, ShapedType::kDynamic) ==
                          llvm::count(input, unknownDim);
    if (dim == -1 && quotientIsKnown && known != 0 && rest % known == 0)
      dim = rest / known;
  }
  int64_t product = 1;
  for (int64_t &dim : shape) {
    isUnknown |= dim == ShapedType::kDynamic;
    if (dim == ShapedType::kDynamic)
      dim = unknownDim;
    product *= dim;
  }
  if (!isUnknown && product != total)
    return invalidArgument(
        fmt::format("the input ({}) has {} elements, which do not fit shape {}",
                    shapeToString(input), total, shapeToString(shape)));
  return shape;
}

StatusOr<SmallVector<Type>> ReshapeOp::inferShapes(TypeRange operands,
                                                   const AttrMap &attrs) {
  auto input = cast<RankedTensorType>(operands.front());
  WEIR_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                        resolveShape(attrs.ints("shape"), toDims(input)));
  return SmallVector<Type>{makeTensorType(shape, input.getElementType())};
}

bool ReshapeOp::isReinterpretation() { return true; }

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

StatusOr<SmallVector<Type>> SplitOp::inferShapes(TypeRange operands,
                                                 const AttrMap &attrs) {
  auto input = cast<RankedTensorType>(operands.front());
  std::vector<int64_t> dims = toDims(input);
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, 0, dims.size()));
  SmallVector<Type> types;
  int64_t total = 0;
  if (attrs.ints("sizes").empty())
    return invalidArgument("attribute 'sizes' expects at least one size");
  for (int64_t size : attrs.ints("sizes")) {
    if (size < 0)
      return invalidArgument(fmt::format(
          "attribute 'sizes' expects sizes of at least 0, found {}", size));
    if (size > sizeLimit - total)
      return invalidArgument(
          fmt::format("attribute 'sizes' adds up to more than {}", sizeLimit));
    total += size;
    std::vector<int64_t> part = dims;
    part[axis] = size;
    types.push_back(makeTensorType(part, input.getElementType()));
  }
  if (dims[axis] != unknownDim && dims[axis] != total)
    return invalidArgument(fmt::format(
        "attribute 'sizes' adds up to {}, expected {}, the size of axis {}",
        total, dims[axis], axis));
  return types;
}

SmallVector<ElementCopy> SplitOp::getCopies() {
  return makeCopies(cast<RankedTensorType>(getInput().getType()), getParts(),
                    getAxis(), /*isConcat=*/false);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Makes an op on `x` with the attribute `name` = `values`.
template <typename OpTy>
static Value makeMove(OpBuilder &builder, Location location, Value x,
                      StringRef name, ArrayRef<int64_t> values) {
  return OpTy::create(
             builder, location, ValueRange(x),
             builder.getNamedAttr(name, builder.getI64ArrayAttr(values)))
      ->getResult(0);
}

Value weir::makeReshape(OpBuilder &builder, Location location, Value x,
                        ArrayRef<int64_t> shape) {
  return makeMove<ReshapeOp>(builder, location, x, "shape", shape);
}

Value weir::makeTranspose(OpBuilder &builder, Location location, Value x,
                          ArrayRef<int64_t> order) {
  return makeMove<TransposeOp>(builder, location, x, "perm", order);
}

Value weir::makePack(OpBuilder &builder, Location location, ValueRange parts) {
  return PackOp::create(builder, location, parts, ArrayRef<NamedAttribute>())
      ->getResult(0);
}

Value weir::makeExpand(OpBuilder &builder, Location location, Value x,
                       ArrayRef<int64_t> shape) {
  return makeMove<ExpandOp>(builder, location, x, "shape", shape);
}

Value weir::getBroadcast(Value x) {
  auto expand = x.getDefiningOp<ExpandOp>();
  return expand ? expand.getInput() : Value();
}

Value weir::makePad(OpBuilder &builder, Location location, Value x,
                    ArrayRef<int64_t> pads) {
  return makeMove<PadOp>(builder, location, x, "pads", pads);
}
