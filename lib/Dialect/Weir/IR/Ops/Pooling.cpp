//===- Pooling.cpp - The Pooling family of ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"
#include "Indexing.h"

#include "weir/Dialect/Weir/IR/Annotation.h"
#include "weir/Dialect/Weir/IR/BodyBuilder.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The integers up to this one are exact in f32.
static constexpr int64_t exactInFloats = int64_t{1} << 24;

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

/// The loop over the taps of a window, where `index` is the index along the
/// window's dim.
static const Loop &getTapLoop(const BoundSpec &spec, const AffineIndex &index) {
  return spec.loops[index.terms[1].loop];
}

/// The number of taps of each window of a pool.
static int64_t countTaps(const BoundSpec &spec) {
  int64_t count = 1;
  for (const AffineIndex &index : llvm::drop_begin(spec.operands[0], 2))
    if (llvm::MulOverflow(count, getTapLoop(spec, index).size, count))
      return INT64_MAX;
  return count;
}

/// The expression of the number of a point's tap: the row-major position of the
/// tap in its window.
static std::string numberOfTap(const BoundSpec &spec) {
  std::string number;
  int64_t stride = 1;
  for (const AffineIndex &index :
       llvm::reverse(llvm::drop_begin(spec.operands[0], 2))) {
    const Loop &loop = getTapLoop(spec, index);
    number += number.empty()
                  ? fmt::format("index({})", loop.name)
                  : fmt::format(" + {} * index({})", stride, loop.name);
    stride *= loop.size;
  }
  return number.empty() ? "0" : number;
}

/// The body of max_pool_taps: the position of the maximum of each window, or -1
/// for a window of padding alone. The maxima are computed in f64, which holds
/// all smaller floats. Code is generated for f64, while library kernels do not
/// handle NaN and infinity.
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

/// The types of two results: the result of a max pool with `record`, and the
/// numbers of taps.
static StatusOr<SmallVector<Type>> inferWithTaps(const OpRecord &record,
                                                 TypeRange operands,
                                                 const AttrMap &attrs) {
  auto input = cast<RankedTensorType>(operands.front());
  const std::vector<std::vector<int64_t>> shapes = {toDims(input)};
  WEIR_ASSIGN_OR_RETURN(const BoundSpec bound,
                        record.getIndexSpec().bind(shapes, attrs));
  MLIRContext *context = input.getContext();
  auto number = countTaps(bound) <= UINT8_MAX
                    ? IntegerType::get(context, 8, IntegerType::Unsigned)
                    : IntegerType::get(context, 32);
  return SmallVector<Type>{
      makeTensorType(bound.resultDims, input.getElementType()),
      makeTensorType(bound.resultDims, number)};
}

/// The body of max_pool_training: for each window, the number of the tap at the
/// maximum.
static BodyValue numberTaps(BodyBuilder &b, Value x, Operation *op) {
  const BoundSpec spec = bindSpec(cast<WeirOpInterface>(op));
  BodyValue positions = b.make<MaxPoolTapsOp>({x}, b.windowAttributes());
  SmallVector<std::string> loops, indices, dims;
  for (auto [d, size] : llvm::enumerate(spec.resultDims)) {
    loops.push_back(fmt::format("d{}={}", d, size));
    indices.push_back(fmt::format("d{}", d));
    dims.push_back(fmt::format("d{}:{}", d, size));
  }
  std::string number = "0";
  int64_t stride = 1, count = 1;
  for (size_t d = indices.size(); d-- > 2;) {
    const AffineIndex &index = spec.operands[0][d];
    const int64_t whole = stride * getTensorType(x).getDimSize(d);
    // The distance of the position from the first tap, in taps.
    number += fmt::format(
        " + {} * ((a - a / {} * {}) / {} - {} * index({}) + {}) / {}", count,
        whole, whole, stride, index.terms[0].coefficient, indices[d],
        -index.offset, index.terms[1].coefficient);
    stride = whole;
    count *= getTapLoop(spec, index).size;
  }
  return b.leaf(fmt::format("{}: [{}] -> [{}]", fmt::join(loops, ", "),
                            fmt::join(indices, ", "), fmt::join(dims, ", ")),
                fmt::format("select(a < 0, {}, {})", count, number),
                Combiner::None, {positions});
}

/// The windows of the max pool that `op` is the gradient of. The `sizes` of
/// `op` hold one size per spatial dim.
static StatusOr<BoundSpec> bindPooled(MaxPoolGradientOp op) {
  const AttrMap attrs = toAttrMap(op->getAttrDictionary());
  std::vector<std::vector<int64_t>> shapes = {
      toDims(getTensorType(op.getGradient()))};
  llvm::copy(attrs.ints("sizes"), shapes.front().begin() + 2);
  return MaxPoolOp::getRecord().getIndexSpec().bind(shapes, attrs);
}

/// The body of max_pool_gradient: each point of a window takes the gradient of
/// the window if the number of its tap is the one in `taps`.
static BodyValue addAtTaps(BodyBuilder &b, Value gradient, Value taps,
                           MaxPoolGradientOp op) {
  BoundSpec spec = *bindPooled(op);
  const std::string number = numberOfTap(spec);
  Type type = getTensorType(gradient).getElementType();
  // Numbers of taps are compared in the type of the gradient, so this type must
  // hold them exactly.
  if (countTaps(spec) > exactInFloats)
    gradient = b.cast(gradient, Float64Type::get(op.getContext()));
  std::vector<AffineIndex> input = spec.operands[0];
  spec.operands = {spec.result, spec.result};
  spec.result = std::move(input);
  spec.resultDims = toDims(getTensorType(op.getResult()));
  BodyValue sum =
      b.leaf(toText(spec), fmt::format("select(b == {}, a, 0)", number),
             Combiner::Sum, {gradient, taps});
  return b.cast(sum, type);
}

/// Replaces the max_pool `op` by a max_pool_training, and returns the taps.
static Value noteTaps(Operation *op) {
  OpBuilder builder(op);
  auto noted = MaxPoolTrainingOp::create(builder, op->getLoc(),
                                         op->getOperands(), op->getAttrs());
  op->getResult(0).replaceAllUsesWith(noted.getY());
  return noted.getTaps();
}

/// The gradient for the input of the max_pool_training with the result `taps`.
static BodyValue spreadToTaps(BodyBuilder &b, Value taps, Value gradient) {
  auto pool = taps.getDefiningOp<MaxPoolTrainingOp>();
  SmallVector<NamedAttribute> attributes = b.windowAttributes();
  attributes.push_back(
      b.ints("sizes", getTensorType(pool.getInput()).getShape().drop_front(2)));
  return b.make<MaxPoolGradientOp>({gradient, taps}, attributes);
}

BodyValue pooling::passGate(BodyBuilder &b, Value gradient, Value y,
                            GateFn gate) {
  auto spread = gradient.getDefiningOp<MaxPoolGradientOp>();
  auto pool = spread ? spread.getTaps().getDefiningOp<MaxPoolTrainingOp>()
                     : MaxPoolTrainingOp();
  Operation *producer = y.getDefiningOp();
  if (!pool || !producer || pool.getInput() != y ||
      Annotation::of(pool) != Annotation::of(producer))
    return b.value(gate(gradient, y));
  return b.make<MaxPoolGradientOp>(
      {gate(spread.getGradient(), pool.getY()), spread.getTaps()},
      llvm::to_vector(spread->getAttrs()));
}

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"

void WeirDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Pooling.cpp.inc"
      >();
}

/// Checks that a window has a size in each spatial dim, and that the padding
/// does not extend beyond the last tap of a window.
template <typename OpTy>
static LogicalResult verifyWindow(OpTy op, Value image) {
  auto at = [](ArrayAttr numbers, size_t i, int64_t otherwise) {
    return numbers.empty() ? otherwise : cast<IntegerAttr>(numbers[i]).getInt();
  };
  auto input = dyn_cast<RankedTensorType>(image.getType());
  size_t rank = op.getKernelShape().size();
  if (input && rank == 0 && input.getRank() > 2)
    return op.emitOpError("attribute 'kernel_shape' expects ")
           << input.getRank() - 2
           << (input.getRank() == 3 ? " value" : " values")
           << ", one per spatial dim, found 0";
  for (size_t i = 0; i < 2 * rank; ++i) {
    int64_t cells = at(op.getKernelShape(), i % rank, 1);
    int64_t pad = at(op.getPads(), i, 0), last;
    // If the span of the window overflows, no padding can be as large.
    if (!llvm::MulOverflow(cells - 1, at(op.getDilations(), i % rank, 1),
                           last) &&
        pad > last)
      return op.emitOpError("attribute 'pads' expects less than the ")
             << last + 1 << " elements that a window spans in spatial dim "
             << i % rank << ", found " << pad;
  }
  return success();
}

LogicalResult AveragePoolOp::verify() {
  return verifyWindow(*this, getInput());
}
LogicalResult FirstTapOp::verify() { return verifyWindow(*this, getInput()); }
LogicalResult MaxPoolOp::verify() { return verifyWindow(*this, getInput()); }
LogicalResult MaxPoolTapsOp::verify() {
  return verifyWindow(*this, getInput());
}

LogicalResult MaxPoolTrainingOp::verify() {
  return verifyWindow(*this, getInput());
}

LogicalResult MaxPoolGradientOp::verify() {
  if (failed(verifyWindow(*this, getGradient())))
    return failure();
  auto gradient = getTensorType(getGradient());
  StatusOr<BoundSpec> pooled = bindPooled(*this);
  if (!pooled.isOk())
    return emitOpError(StringRef(pooled.status().message()));
  if (succeeded(verifyCompatibleShape(pooled->resultDims, gradient.getShape())))
    return success();
  return emitOpError("expects a gradient of ")
         << shapeToString(pooled->resultDims)
         << ", the shape of the result of max_pool, found "
         << shapeToString(toDims(gradient));
}

LogicalResult SumPoolOp::verify() { return verifyWindow(*this, getInput()); }
