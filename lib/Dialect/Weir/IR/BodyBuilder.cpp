//===- BodyBuilder.cpp - Writes the bodies of composite ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/BodyBuilder.h"

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/BuildLeaf.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace weir;

NamedAttribute BodyBuilder::ints(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getI64ArrayAttr(values));
}

NamedAttribute BodyBuilder::number(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

NamedAttribute BodyBuilder::real(StringRef name, double value) {
  return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
}

NamedAttribute BodyBuilder::text(StringRef name, StringRef value) {
  return builder.getNamedAttr(name, builder.getStringAttr(value));
}

NamedAttribute BodyBuilder::truth(StringRef name, bool value) {
  return builder.getNamedAttr(name, builder.getBoolAttr(value));
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

BodyValue BodyBuilder::cast(Value value, Type type) {
  if (getTensorType(value).getElementType() == type)
    return {value, this};
  return make<CastOp>({value},
                      {builder.getNamedAttr("to", TypeAttr::get(type))});
}

SmallVector<Value> BodyBuilder::widened(ValueRange given) {
  SmallVector<Value> values;
  for (Value value : given) {
    if (!value) {
      values.push_back({});
      continue;
    }
    Type type = getTensorType(value).getElementType();
    bool isSmallFloat =
        isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
    values.push_back(cast(value, isSmallFloat ? builder.getF32Type() : type));
  }
  return values;
}

SmallVector<Value> BodyBuilder::widenedOperands() {
  return widened(op->getOperands());
}

SmallVector<Value> BodyBuilder::asOperands(ValueRange values) {
  SmallVector<Value> gradients;
  for (auto [value, operand] : llvm::zip_equal(values, op->getOperands()))
    gradients.push_back(
        value ? cast(value, getTensorType(operand).getElementType()) : Value());
  return gradients;
}

SmallVector<BodyValue> BodyBuilder::values(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value each) { return value(each); });
}

SmallVector<Value> BodyBuilder::narrowed(ValueRange values) {
  SmallVector<Value> results;
  for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
    results.push_back(cast(value, getTensorType(result).getElementType()));
  return results;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

BodyValue weir::operator+(BodyValue lhs, BodyValue rhs) {
  return lhs.getBuilder().make<AddOp>({lhs, rhs});
}
BodyValue weir::operator-(BodyValue lhs, BodyValue rhs) {
  return lhs.getBuilder().make<SubOp>({lhs, rhs});
}
BodyValue weir::operator*(BodyValue lhs, BodyValue rhs) {
  return lhs.getBuilder().make<MulOp>({lhs, rhs});
}
BodyValue weir::operator/(BodyValue lhs, BodyValue rhs) {
  return lhs.getBuilder().make<DivOp>({lhs, rhs});
}
BodyValue weir::operator+(BodyValue lhs, double rhs) {
  return lhs + lhs.getBuilder().scalar(rhs, lhs.getType().getElementType());
}
BodyValue weir::operator*(BodyValue lhs, double rhs) {
  return lhs * lhs.getBuilder().scalar(rhs, lhs.getType().getElementType());
}

double BodyBuilder::attr(StringRef name) {
  Attribute value = op->getAttr(name);
  if (auto truth = llvm::dyn_cast<BoolAttr>(value))
    return truth.getValue();
  return llvm::cast<FloatAttr>(value).getValueAsDouble();
}

BodyValue BodyBuilder::constant(DenseElementsAttr elements) {
  return {ConstantOp::create(builder, op->getLoc(), elements), this};
}

BodyValue BodyBuilder::scalar(double value, Type type) {
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, type),
                                         builder.getFloatAttr(type, value)));
}

BodyValue BodyBuilder::pointwise(StringRef expression,
                                 ArrayRef<Value> operands) {
  return leaf(getPointwiseSpec(operands.size()), expression, Combiner::None,
              operands);
}

BodyValue BodyBuilder::leaf(StringRef spec, StringRef expression,
                            Combiner combiner, ArrayRef<Value> operands,
                            Type type) {
  if (!type)
    type = getTensorType(operands[0]).getElementType();
  return {makeLeaf(builder, op->getLoc(), operands, spec, expression, combiner,
                   type),
          this};
}

BodyValue BodyBuilder::zerosLike(Value like) {
  auto type = withoutLayout(getTensorType(like));
  return constant(
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

BodyValue BodyBuilder::integer(int64_t value) {
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, indexType()),
                                         builder.getI64IntegerAttr(value)));
}

BodyValue BodyBuilder::erf(BodyValue x) { return make<ErfOp>({x}); }
BodyValue BodyBuilder::exp(BodyValue x) { return make<ExpOp>({x}); }
BodyValue BodyBuilder::log(BodyValue x) { return make<LogOp>({x}); }
BodyValue BodyBuilder::rsqrt(BodyValue x) { return make<RsqrtOp>({x}); }
BodyValue BodyBuilder::sigmoid(BodyValue x) { return make<SigmoidOp>({x}); }
BodyValue BodyBuilder::finite(BodyValue x) {
  Type type = x.getType().getElementType();
  double largest =
      APFloat::getLargest(llvm::cast<FloatType>(type).getFloatSemantics())
          .convertToDouble();
  auto clip = ClipOp::create(
      builder, op->getLoc(), x, builder.getF64FloatAttr(-largest),
      builder.getF64FloatAttr(largest), StringAttr(), IntegerAttr());
  return {clip->getResult(0), this};
}
BodyValue BodyBuilder::pow(BodyValue x, double exponent) {
  return make<PowOp>({x, scalar(exponent, x.getType().getElementType())});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

BodyValue BodyBuilder::maximum(BodyValue x, ArrayRef<int64_t> axes) {
  return make<ReduceMaxOp>({x}, ints("axes", axes));
}

BodyValue BodyBuilder::minimum(BodyValue x, ArrayRef<int64_t> axes) {
  return make<ReduceMinOp>({x}, ints("axes", axes));
}

BodyValue BodyBuilder::sum(BodyValue x, ArrayRef<int64_t> axes) {
  return make<ReduceSumOp>({x}, ints("axes", axes));
}

BodyValue BodyBuilder::mean(Value x, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= getTensorType(x).getDimSize(axis);
  return sum(value(x), axes) * (1.0 / static_cast<double>(count));
}

BodyValue BodyBuilder::standardize(BodyValue x, ArrayRef<int64_t> axes,
                                   double epsilon) {
  BodyValue centred = x - mean(x, axes);
  BodyValue variance = mean(centred * centred, axes);
  return centred * rsqrt(variance + epsilon);
}

//===----------------------------------------------------------------------===//
// Axes and shapes
//===----------------------------------------------------------------------===//

BodyBuilder::Axes BodyBuilder::oneAxis(BodyValue x, int64_t axis) {
  return {fromStart(axis, x.getType().getRank())};
}

BodyBuilder::Axes BodyBuilder::trailingAxes(BodyValue x, int64_t first) {
  return llvm::to_vector(
      llvm::seq<int64_t>(oneAxis(x, first).front(), x.getType().getRank()));
}

BodyBuilder::Axes BodyBuilder::reducedAxes(BodyValue x) {
  Axes axes;
  for (Attribute axis : op->getAttrOfType<ArrayAttr>("axes"))
    axes.push_back(oneAxis(x, llvm::cast<IntegerAttr>(axis).getInt()).front());
  return axes.empty() ? trailingAxes(x, 0) : axes;
}

BodyBuilder::Axes BodyBuilder::exceptChannels(Value x) {
  Axes axes = spatialAxes(x);
  axes.insert(axes.begin(), 0);
  return axes;
}

BodyBuilder::Axes BodyBuilder::spatialAxes(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, getTensorType(x).getRank()));
}

BodyValue BodyBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = getTensorType(x).getShape();
  bool readsAsMeant = llvm::all_of(llvm::enumerate(shape), [&](auto dim) {
    return dim.value() != 0 ||
           (dim.index() < from.size() && from[dim.index()] == 0);
  });
  if (readsAsMeant)
    return make<ReshapeOp>({x}, ints("shape", shape));
  // A 0 in the shape of a weir.reshape would stand for a dim of the operand. So
  // the result, which has no elements, is a constant instead.
  SmallVector<int64_t> dims(shape);
  llvm::replace(dims, -1, 0);
  auto type = RankedTensorType::get(dims, getTensorType(x).getElementType());
  return constant(DenseElementsAttr::getFromRawBuffer(type, {}));
}

BodyValue BodyBuilder::alongChannels(Value perChannel, Value like) {
  SmallVector<int64_t> shape(getTensorType(like).getRank() - 1, 1);
  shape.front() = getTensorType(perChannel).getDimSize(0);
  return reshape(perChannel, shape);
}

BodyValue BodyBuilder::splitChannels(Value x, int64_t groups) {
  return reshape(x, {getTensorType(x).getDimSize(0), groups, -1});
}

BodyValue BodyBuilder::keepReduced(Value x, Value like,
                                   ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape(getTensorType(like).getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  return getTensorType(x).getShape() == ArrayRef(shape) ? value(x)
                                                        : reshape(x, shape);
}

SmallVector<int64_t> BodyBuilder::keepRows(Value x) {
  SmallVector<int64_t> shape(getTensorType(x).getShape());
  shape.back() = 1;
  return shape;
}

BodyValue BodyBuilder::reshapeLike(BodyValue x, Value like) {
  if (x.getType().getShape() == getTensorType(like).getShape())
    return x;
  return reshape(x, getTensorType(like).getShape());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

SmallVector<NamedAttribute> BodyBuilder::windowAttributes() {
  SmallVector<NamedAttribute> attributes;
  for (StringRef name :
       {"kernel_shape", "strides", "pads", "dilations", "ceil_mode"})
    attributes.push_back(builder.getNamedAttr(name, op->getAttr(name)));
  return attributes;
}

BodyValue BodyBuilder::windowSum(Value x) {
  return make<SumPoolOp>({x}, windowAttributes());
}

/// For each position of a window along one spatial dim, the number of taps that
/// lie in [first, last).
static SmallVector<int64_t> countTaps(const AffineIndex &index,
                                      const BoundSpec &bound, int64_t first,
                                      int64_t last) {
  const AffineIndex::Term &base = index.terms[0], &tap = index.terms[1];
  assert(tap.coefficient > 0 && "taps of a window go forward");
  SmallVector<int64_t> counts(bound.loops[base.loop].size, 0);
  for (auto [position, count] : llvm::enumerate(counts)) {
    const int64_t start =
        static_cast<int64_t>(position) * base.coefficient + index.offset;
    // The number of taps in front of `place`.
    auto before = [&](int64_t place) {
      return std::clamp<int64_t>(
          llvm::divideCeilSigned(place - start, tap.coefficient), 0,
          bound.loops[tap.loop].size);
    };
    count = std::max<int64_t>(before(last) - before(first), 0);
  }
  return counts;
}

BodyValue BodyBuilder::windowCount(Value x, bool includePadding) {
  BoundSpec bound = bindSpec(llvm::cast<WeirOpInterface>(op));
  AttrMap attrs = toAttrMap(op->getAttrDictionary());
  int64_t spatial = getTensorType(x).getRank() - 2;
  auto padAt = [&](int64_t i) {
    const std::vector<int64_t> &pads = attrs.ints("pads");
    return includePadding && !pads.empty() ? pads[i] : 0;
  };
  SmallVector<double> counts = {1.0};
  SmallVector<int64_t> shape = {1, 1};
  for (int64_t d = 0; d < spatial; ++d) {
    SmallVector<int64_t> along =
        countTaps(bound.operands[0][d + 2], bound, -padAt(d),
                  getTensorType(x).getDimSize(d + 2) + padAt(d + spatial));
    SmallVector<double> product;
    for (double outer : counts)
      for (int64_t count : along)
        product.push_back(outer * static_cast<double>(count));
    counts = std::move(product);
    shape.push_back(static_cast<int64_t>(along.size()));
  }
  // The constant is made from raw bytes, because there may be many windows.
  Type elementType = getTensorType(x).getElementType();
  const DType type = *toDType(elementType);
  if (counts.size() > 1 && llvm::all_equal(counts))
    counts.truncate(1);
  SmallVector<char> bytes(counts.size() * byteSize(type));
  for (auto [i, count] : llvm::enumerate(counts))
    storeFloat(type, bytes.data(), static_cast<int64_t>(i),
               std::max(count, 1.0));
  return constant(DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(shape, elementType), bytes));
}

bool BodyBuilder::hasEmptyWindow(Value x) {
  BoundSpec bound = bindSpec(llvm::cast<WeirOpInterface>(op));
  return llvm::any_of(spatialAxes(x), [&](int64_t axis) {
    return llvm::is_contained(
        countTaps(bound.operands[0][axis], bound, /*first=*/0,
                  /*last=*/getTensorType(x).getDimSize(axis)),
        0);
  });
}

/// The channels become a spatial dim of a sum pool: [N, C, ...] is read as
/// [N, 1, C, everything else].
BodyValue BodyBuilder::channelWindowSum(BodyValue x, int64_t size) {
  // No window fits into a dim without elements, and none is needed.
  if (x.getType().getNumElements() == 0)
    return x;
  ArrayRef<int64_t> shape = x.getType().getShape();
  BodyValue flat = reshape(x, {shape[0], 1, shape[1], -1});
  int64_t before = (size - 1) / 2;
  BodyValue sums = make<SumPoolOp>(
      {flat}, {ints("kernel_shape", {size, 1}),
               ints("pads", {before, 0, size - 1 - before, 0})});
  return reshapeLike(sums, x);
}
