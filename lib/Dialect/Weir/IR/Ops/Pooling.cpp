//===- Pooling.cpp - The Pooling family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The positions of a channel's elements in row-major order.
static BodyValue numberPositions(BodyBuilder &b, ArrayRef<int64_t> sizes) {
  BodyValue numbers = b.integer(0);
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    SmallVector<int64_t> along(sizes.size() - d, 1);
    along[0] = sizes[d];
    numbers = numbers + indexing::counting(b, along) * b.integer(stride);
  }
  return numbers;
}

/// max_pool_taps: maxima in f64, which code is generated for and which holds
/// all elements of smaller floats, and where they are. Library kernels know
/// neither NaN nor infinity. In a window that has only padding there is no
/// position.
static BodyValue findTaps(BodyBuilder &b, Value x, Operation *op) {
  auto type = cast<RankedTensorType>(x.getType());
  BodyValue values = b.value(x);
  if (isa<FloatType>(type.getElementType()))
    values = b.cast(values, Float64Type::get(x.getContext()));
  SmallVector<NamedAttribute> window = b.windowAttributes();
  BodyValue maxima = b.make<MaxPoolOp>({values}, window);
  ArrayRef<int64_t> sizes = type.getShape().drop_front(2);
  BodyValue taps =
      b.make<FirstTapOp>({values, maxima, numberPositions(b, sizes)}, window);
  if (!b.hasEmptyWindow(x))
    return taps;
  BodyValue end = b.integer(ShapedType::getNumElements(sizes));
  BodyValue isInside = b.make<LessOp>({taps, end});
  return b.make<WhereOp>({isInside, taps, b.integer(-1)});
}

/// The gradient of max_pool: each element of `gradient` goes to the position of
/// its window's maximum in `x`.
static BodyValue spreadToTaps(BodyBuilder &b, Value x, Value gradient,
                              Operation *op) {
  BodyValue taps = b.make<MaxPoolTapsOp>({x}, b.windowAttributes());
  BoundSpec spec =
      bindSpec(cast<WeirOpInterface>(static_cast<Value>(taps).getDefiningOp()));
  // The position of a point's element in its channel.
  std::string position;
  int64_t stride = 1, offset = 0;
  for (size_t d = spec.operands[0].size(); d-- > 2;) {
    const AffineIndex &index = spec.operands[0][d];
    for (const AffineIndex::Term &term : index.terms)
      position +=
          fmt::format("{}{} * index({})", position.empty() ? "" : " + ",
                      term.coefficient * stride, spec.loops[term.loop].name);
    offset += index.offset * stride;
    stride *= getTensorType(x).getDimSize(static_cast<unsigned>(d));
  }
  spec.operands = {spec.result, spec.result, spec.operands[0]};
  std::swap(spec.result, spec.operands[2]);
  spec.operands.pop_back();
  spec.resultDims = toDims(getTensorType(x));
  // Positions are compared in the type of the gradient.
  constexpr int64_t exactInFloats = int64_t{1} << 24;
  Type type = getTensorType(gradient).getElementType();
  if (stride > exactInFloats)
    gradient = b.cast(gradient, Float64Type::get(x.getContext()));
  BodyValue spread =
      b.leaf(toText(spec),
             fmt::format("select(b == {} {} {}, a, 0)",
                         position.empty() ? "0" : position,
                         offset < 0 ? '-' : '+', offset < 0 ? -offset : offset),
             Combiner::Sum, {gradient, taps});
  return b.cast(spread, type);
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"

void WeirDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"
      >();
}

/// A window has a size in each spatial dim. One behind whose last tap the
/// padding goes on is refused.
template <typename OpTy> static LogicalResult verifyWindow(OpTy op) {
  auto at = [](ArrayAttr numbers, size_t i, int64_t otherwise) {
    return numbers.empty() ? otherwise : cast<IntegerAttr>(numbers[i]).getInt();
  };
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  size_t rank = op.getKernelShape().size();
  if (input && rank == 0 && input.getRank() > 2)
    return op.emitOpError("attribute 'kernel_shape' expects ")
           << input.getRank() - 2
           << (input.getRank() == 3 ? " value" : " values")
           << ", one per spatial dim, found 0";
  for (size_t i = 0; i < 2 * rank; ++i) {
    int64_t cells = at(op.getKernelShape(), i % rank, 1);
    int64_t pad = at(op.getPads(), i, 0), last;
    // Where no number counts so far, no padding reaches the last cell.
    if (!llvm::MulOverflow(cells - 1, at(op.getDilations(), i % rank, 1),
                           last) &&
        pad > last)
      return op.emitOpError("attribute 'pads' expects less than the ")
             << last + 1 << " elements that a window spans in spatial dim "
             << i % rank << ", found " << pad;
  }
  return success();
}

LogicalResult AveragePoolOp::verify() { return verifyWindow(*this); }
LogicalResult FirstTapOp::verify() { return verifyWindow(*this); }
LogicalResult MaxPoolOp::verify() { return verifyWindow(*this); }
LogicalResult MaxPoolTapsOp::verify() { return verifyWindow(*this); }

LogicalResult MaxPoolGradientOp::verify() {
  if (failed(verifyWindow(*this)))
    return failure();
  SmallVector<Type> pooled;
  if (failed(MaxPoolOp::inferReturnTypes(
          getContext(), getLoc(), getInput(), (*this)->getAttrDictionary(),
          /*properties=*/nullptr, /*regions=*/{}, pooled)))
    return failure();
  if (opdetail::areEqualUpToLayout(pooled, getGradient().getType()))
    return success();
  return emitOpError("expects a gradient of ")
         << pooled.front() << ", the result of max_pool, found "
         << getGradient().getType();
}
LogicalResult SumPoolOp::verify() { return verifyWindow(*this); }
