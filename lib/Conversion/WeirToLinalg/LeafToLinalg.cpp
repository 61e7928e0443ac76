//===- LeafToLinalg.cpp - Leaf ops as linalg.generic ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Everything follows from the op's record: the bound index spec gives the
// indexing maps, and the scalar expression gives the body. If an index may
// leave its tensor, the tensor is padded. An operand is padded with values that
// contribute nothing, and a result with elements that are cut off in the end.
// An operand with an indirect dim is not an input of the generic op. It is read
// in the body, where an index outside of the dim becomes the nearest index
// inside.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "ScalarEmitter.h"

#include "weir/Dialect/Weir/IR/NeutralValue.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace weir;

namespace {

/// The elements that are added around a tensor so that no index leaves it.
struct Padding {
  SmallVector<OpFoldResult> low, high;
  /// The enlarged sizes.
  SmallVector<int64_t> sizes;
  bool isNeeded = false;
};

class LeafLowering {
public:
  LeafLowering(WeirOpInterface op, ValueRange operands,
               ConversionPatternRewriter &builder)
      : op(op), record(op.getOpRecord()), operands(operands), builder(builder),
        location(op.getLoc()), attrs(toAttrMap(op->getAttrDictionary())),
        bound(bindSpec(op)) {}

  FailureOr<Value> lower();

private:
  void chooseTypes();
  Padding pad(SmallVectorImpl<AffineIndex> &indices, ArrayRef<int64_t> dims);
  AffineMap toMap(ArrayRef<AffineIndex> indices) const;

  LogicalResult addInput(size_t number);
  SmallVector<int64_t> crop(ArrayRef<int64_t> dims,
                            ArrayRef<AffineIndex> indices) const;
  Value slice(Value tensor, ArrayRef<int64_t> sizes);
  LogicalResult addInputs();
  void addMissingLoops(AffineMap resultMap);
  bool isIndirect(size_t number) const;

  Value makeStart(ArrayRef<int64_t> sizes);
  Value spreadInit(Value empty);
  Value accumulate(Value start, AffineMap resultMap);
  using Scalars = SmallVector<ScalarEmitter::Scalar>;
  Value sumTerms(OpBuilder &body, const AffineIndex &index) const;
  Value findElement(OpBuilder &body, const AffineIndex &index, int64_t size,
                    const Scalars &scalars) const;
  void readIndirect(OpBuilder &body, Scalars &scalars) const;
  void readIndices(OpBuilder &body, Scalars &scalars) const;
  Value accumulateRunning();
  Value combinePoint(OpBuilder &body, ValueRange arguments);
  SmallVector<utils::IteratorType> getIterators() const;
  Value roundResult(Value accumulated);

  WeirOpInterface op;
  const OpRecord &record;
  ValueRange operands;
  ConversionPatternRewriter &builder;
  Location location;
  AttrMap attrs;
  BoundSpec bound;

  SmallVector<DType> operandTypes;
  DType workType = DType::F32, sumType = DType::F32, resultType = DType::F32;
  /// The inputs of the generic op, with the map and the operand number of each.
  /// The number is -1 for a tensor that only gives loops their sizes.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<int> inputNumbers;
};

} // namespace

static DType getElementDType(Type type) {
  return *toDType(cast<RankedTensorType>(type).getElementType());
}

//===----------------------------------------------------------------------===//
// Types and indices
//===----------------------------------------------------------------------===//

/// The work type is that of the first operand that is not i1. For u64:
/// - If the expression has no positions, the work type is signed if the result
///   is.
/// - If the expression has positions, their differences may be negative. The
///   work type is signed if the op combines nothing, because positions then
///   only select elements. Otherwise elements may be compared with positions,
///   and the work type stays unsigned.
///
/// Small floats are summed in f32, and truth values are combined as integers.
void LeafLowering::chooseTypes() {
  for (Type type : op->getOperandTypes())
    operandTypes.push_back(getElementDType(type));
  resultType = getElementDType(op->getResult(0).getType());
  const DType *first =
      llvm::find_if(operandTypes, [](DType type) { return type != DType::I1; });
  workType = first == operandTypes.end() ? DType::I64 : getWorkType(*first);
  bool hasPositions =
      llvm::any_of(record.getExpression()->nodes(), [](const auto &node) {
        return node.op == ScalarExpr::Op::Index;
      });
  bool isSelected = hasPositions && record.getCombiner() == Combiner::None;
  bool isSigned = !isFloat(resultType) && !weir::isUnsigned(resultType);
  if (workType == DType::U64 && (hasPositions ? isSelected : isSigned))
    workType = DType::I64;
  bool isExact = record.getCombiner() == Combiner::None ||
                 (resultType != DType::I1 && resultType != DType::F16 &&
                  resultType != DType::BF16);
  sumType = isExact ? resultType : getWorkType(resultType);
}

/// The padding that a tensor of `dims` needs to contain all `indices`. Changes
/// `indices` to the indices in the padded tensor.
Padding LeafLowering::pad(SmallVectorImpl<AffineIndex> &indices,
                          ArrayRef<int64_t> dims) {
  Padding padding;
  for (auto [index, dim] : llvm::zip(indices, dims)) {
    int64_t first = index.offset, last = index.offset;
    for (const AffineIndex::Term &term : index.terms) {
      int64_t reach = (bound.loops[term.loop].size - 1) * term.coefficient;
      (reach < 0 ? first : last) += reach;
    }
    int64_t low = std::max<int64_t>(0, -first);
    int64_t high = std::max<int64_t>(0, last - dim + 1);
    index.offset += low;
    padding.isNeeded |= low != 0 || high != 0;
    padding.low.push_back(builder.getIndexAttr(low));
    padding.high.push_back(builder.getIndexAttr(high));
    padding.sizes.push_back(low + dim + high);
  }
  return padding;
}

AffineMap LeafLowering::toMap(ArrayRef<AffineIndex> indices) const {
  SmallVector<AffineExpr> results;
  for (const AffineIndex &index : indices) {
    AffineExpr expr = builder.getAffineConstantExpr(index.offset);
    for (const AffineIndex::Term &term : index.terms)
      expr = builder.getAffineDimExpr(term.loop) * term.coefficient + expr;
    results.push_back(expr);
  }
  return AffineMap::get(bound.loops.size(), 0, results, builder.getContext());
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// `dims`, with each dim whose index is a single loop cut to the size of the
/// loop, as linalg requires.
SmallVector<int64_t> LeafLowering::crop(ArrayRef<int64_t> dims,
                                        ArrayRef<AffineIndex> indices) const {
  SmallVector<int64_t> sizes(dims);
  for (auto [index, size] : llvm::zip(indices, sizes))
    if (index.terms.size() == 1 && index.terms[0].coefficient == 1 &&
        index.offset == 0)
      size = std::min(size, bound.loops[index.terms[0].loop].size);
  return sizes;
}

/// The first elements of `tensor` in each dim, as many as `sizes` says.
Value LeafLowering::slice(Value tensor, ArrayRef<int64_t> sizes) {
  if (cast<RankedTensorType>(tensor.getType()).getShape() == sizes)
    return tensor;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      builder, location, tensor, offsets,
      getAsIndexOpFoldResult(builder.getContext(), sizes), strides);
}

/// Adds operand `number` as an input, padded where its indices leave it.
LogicalResult LeafLowering::addInput(size_t number) {
  Value operand = operands[number];
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<AffineIndex> indices(
      ArrayRef<AffineIndex>(bound.operands[number]));
  Padding padding = pad(indices, type.getShape());
  if (padding.isNeeded) {
    std::vector<std::vector<int64_t>> shapes;
    for (Type operandType : op->getOperandTypes())
      shapes.push_back(toDims(cast<RankedTensorType>(operandType)));
    std::optional<double> neutral =
        getNeutralValue(record, bound, attrs, shapes, number);
    if (!neutral)
      return op.emitOpError("has a window that leaves operand ")
             << number << ", for which its expression has no neutral value";
    Value value = ScalarEmitter(builder, location)
                      .constant(operandTypes[number], *neutral);
    operand = tensor::PadOp::create(
        builder, location,
        RankedTensorType::get(padding.sizes, type.getElementType()), operand,
        padding.low, padding.high, value);
  }
  inputs.push_back(slice(operand, crop(padding.sizes, indices)));
  maps.push_back(toMap(indices));
  inputNumbers.push_back(static_cast<int>(number));
  return success();
}

bool LeafLowering::isIndirect(size_t number) const {
  return llvm::any_of(bound.operands[number], [](const AffineIndex &index) {
    return index.indirect >= 0;
  });
}

LogicalResult LeafLowering::addInputs() {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (isIndirect(i)) {
      if (llvm::any_of(bound.operands[i],
                       [](const AffineIndex &index) { return index.mayLeave; }))
        return op.emitOpError("has a window and an indirect dim in operand ")
               << i << ", expected one of them";
    } else if (static_cast<int>(i) != bound.initOperand &&
               failed(addInput(i))) {
      return failure();
    }
  }
  return success();
}

/// linalg takes the size of each loop from a dim that the loop alone indexes.
/// For loops without such a dim, adds an input without contents that has such
/// dims.
void LeafLowering::addMissingLoops(AffineMap resultMap) {
  SmallVector<bool> isPlain(bound.loops.size(), false);
  auto mark = [&](AffineMap map) {
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        isPlain[dim.getPosition()] = true;
  };
  llvm::for_each(maps, mark);
  mark(resultMap);
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> missing;
  for (auto [number, loop] : llvm::enumerate(bound.loops))
    if (!isPlain[number]) {
      sizes.push_back(loop.size);
      missing.push_back(builder.getAffineDimExpr(number));
    }
  if (missing.empty())
    return;
  inputs.push_back(
      tensor::EmptyOp::create(builder, location, sizes, builder.getI1Type()));
  maps.push_back(
      AffineMap::get(bound.loops.size(), 0, missing, builder.getContext()));
  inputNumbers.push_back(-1);
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

/// The init operand, broadcast to the shape of `empty`. Each dim of the operand
/// is a dim of the result. A dim of size 1 is repeated.
Value LeafLowering::spreadInit(Value empty) {
  auto type = cast<RankedTensorType>(empty.getType());
  SmallVector<AffineExpr> source;
  for (const AffineIndex &index : bound.operands[bound.initOperand]) {
    auto at = llvm::find_if(bound.result, [&](const AffineIndex &candidate) {
      return index.terms == candidate.terms;
    });
    bool isRepeated = index.terms.empty() || at == bound.result.end();
    source.push_back(isRepeated
                         ? builder.getAffineConstantExpr(0)
                         : builder.getAffineDimExpr(at - bound.result.begin()));
  }
  AffineMap from =
      AffineMap::get(type.getRank(), 0, source, builder.getContext());
  AffineMap to = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  DType initType = operandTypes[bound.initOperand];
  return linalg::GenericOp::create(
             builder, location, TypeRange(type),
             ValueRange(operands[bound.initOperand]), ValueRange(empty),
             ArrayRef<AffineMap>{from, to}, iterators,
             [&](OpBuilder &bodyBuilder, Location at, ValueRange arguments) {
               Value value = ScalarEmitter(bodyBuilder, at)
                                 .convert(arguments[0], initType, sumType);
               linalg::YieldOp::create(bodyBuilder, at, value);
             })
      .getResult(0);
}

/// A tensor of `sizes` with the initial value of each element.
Value LeafLowering::makeStart(ArrayRef<int64_t> sizes) {
  Value empty = tensor::EmptyOp::create(
      builder, location, sizes, toSignlessType(sumType, builder.getContext()));
  if (bound.initOperand >= 0)
    return spreadInit(empty);
  bool writesAll = record.getCombiner() == Combiner::None &&
                   record.getFill().empty() && bound.numPoints() != 0;
  if (writesAll)
    return empty;
  // The identity depends on the type of the result, because an i1 has extremes
  // of its own.
  double start = record.getFill().empty()
                     ? getIdentity(record.getCombiner())
                     : attrs.floatOr(std::string_view(record.getFill()), 0);
  if (resultType == DType::I1)
    start = std::clamp(start, 0.0, 1.0);
  Value value = ScalarEmitter(builder, location).constant(sumType, start);
  return linalg::FillOp::create(builder, location, value, empty).getResult(0);
}

/// The sum of the terms of `index`.
Value LeafLowering::sumTerms(OpBuilder &body, const AffineIndex &index) const {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(body, location, number);
  };
  Value sum;
  for (const AffineIndex::Term &term : index.terms) {
    Value part = linalg::IndexOp::create(body, location, term.loop);
    if (term.coefficient != 1)
      part = arith::MulIOp::create(body, location, part,
                                   constant(term.coefficient));
    sum = sum ? arith::AddIOp::create(body, location, sum, part).getResult()
              : part;
  }
  if (!sum)
    return constant(index.offset);
  if (index.offset == 0)
    return sum;
  return arith::AddIOp::create(body, location, sum, constant(index.offset));
}

/// The index of the element along a dim of `size`: a sum of loops, or the value
/// of another operand, which counts from the end if it is negative.
Value LeafLowering::findElement(OpBuilder &body, const AffineIndex &index,
                                int64_t size, const Scalars &scalars) const {
  if (index.indirect < 0)
    return sumTerms(body, index);
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(body, location, number);
  };
  Type indexType = body.getIndexType();
  const auto &[given, type] = scalars[index.indirect];
  Value found;
  if (isUnsigned(type))
    found = arith::IndexCastUIOp::create(body, location, indexType, given);
  else
    found = arith::IndexCastOp::create(body, location, indexType, given);
  Value zero = constant(0);
  Value isNegative = arith::CmpIOp::create(
      body, location, arith::CmpIPredicate::slt, found, zero);
  Value fromEnd = arith::AddIOp::create(body, location, found, constant(size));
  found = arith::SelectOp::create(body, location, isNegative, fromEnd, found);
  found = arith::MaxSIOp::create(body, location, found, zero);
  return arith::MinSIOp::create(body, location, found, constant(size - 1));
}

/// The elements of operands with indirect dims.
void LeafLowering::readIndirect(OpBuilder &body, Scalars &scalars) const {
  for (auto [number, operand] : llvm::enumerate(operands)) {
    if (!isIndirect(number))
      continue;
    auto shape = cast<RankedTensorType>(operand.getType()).getShape();
    SmallVector<Value> at;
    for (auto [index, size] : llvm::zip(bound.operands[number], shape))
      at.push_back(findElement(body, index, size, scalars));
    scalars[number] = {tensor::ExtractOp::create(body, location, operand, at),
                       operandTypes[number]};
  }
}

/// The positions that the expression asks for.
void LeafLowering::readIndices(OpBuilder &body, Scalars &scalars) const {
  for (const ScalarExpr::Node &node : record.getExpression()->nodes()) {
    if (node.op != ScalarExpr::Op::Index)
      continue;
    Value counter = linalg::IndexOp::create(body, location,
                                            findLoop(bound, node.name, attrs));
    scalars[node.operand] = {
        arith::IndexCastOp::create(body, location, body.getI64Type(), counter),
        DType::I64};
  }
}

/// Combines the accumulated value, the last of `arguments`, with the value of a
/// point.
Value LeafLowering::combinePoint(OpBuilder &bodyBuilder, ValueRange arguments) {
  ScalarEmitter emitter(bodyBuilder, location);
  Scalars scalars(
      std::max<size_t>(operands.size(), record.getExpression()->numOperands()));
  for (auto [input, number] : llvm::enumerate(inputNumbers))
    if (number >= 0)
      scalars[number] = {arguments[input], operandTypes[number]};
  readIndirect(bodyBuilder, scalars);
  readIndices(bodyBuilder, scalars);
  Value value =
      emitter.emit(*record.getExpression(), scalars, attrs, workType, sumType);
  return emitter.combine(record.getCombiner(), arguments.back(), value,
                         sumType);
}

SmallVector<utils::IteratorType> LeafLowering::getIterators() const {
  SmallVector<utils::IteratorType> iterators;
  for (auto [number, loop] : llvm::enumerate(bound.loops))
    iterators.push_back(loop.isReduction ||
                                static_cast<int>(number) == bound.runningLoop
                            ? utils::IteratorType::reduction
                            : utils::IteratorType::parallel);
  return iterators;
}

Value LeafLowering::accumulate(Value start, AffineMap resultMap) {
  addMissingLoops(resultMap);
  maps.push_back(resultMap);
  return linalg::GenericOp::create(
             builder, location, TypeRange(start.getType()), inputs,
             ValueRange(start), maps, getIterators(),
             [&](OpBuilder &body, Location at, ValueRange arguments) {
               linalg::YieldOp::create(body, at, combinePoint(body, arguments));
             })
      .getResult(0);
}

/// Running values along a loop, as a generic op with two results. The second is
/// a reduction over the loop. The first stores the running value at each point,
/// in the order of the loop.
Value LeafLowering::accumulateRunning() {
  SmallVector<int64_t> sizes(ArrayRef<int64_t>(bound.resultDims));
  AffineMap resultMap = toMap(bound.result), runningMap = resultMap;
  Value taken =
      tensor::EmptyOp::create(builder, location, sizes,
                              toSignlessType(resultType, builder.getContext()));
  for (size_t d = sizes.size(); d-- > 0;)
    if (resultMap.getResult(d).isFunctionOfDim(bound.runningLoop)) {
      runningMap = runningMap.dropResult(d);
      sizes.erase(sizes.begin() + d);
    }
  Value start = makeStart(sizes);
  addMissingLoops(resultMap);
  maps.append({resultMap, runningMap});
  return linalg::GenericOp::create(
             builder, location, TypeRange{taken.getType(), start.getType()},
             inputs, ValueRange{taken, start}, maps, getIterators(),
             [&](OpBuilder &body, Location at, ValueRange arguments) {
               Value next = combinePoint(body, arguments);
               Value now = ScalarEmitter(body, at).convert(
                   bound.isExclusive ? arguments.back() : next, sumType,
                   resultType);
               linalg::YieldOp::create(body, at, ValueRange{now, next});
             })
      .getResult(0);
}

/// Converts `accumulated` from the type of sums to the type of the result.
Value LeafLowering::roundResult(Value accumulated) {
  if (sumType == resultType)
    return accumulated;
  auto type = cast<RankedTensorType>(accumulated.getType());
  Value empty =
      tensor::EmptyOp::create(builder, location, type.getShape(),
                              toSignlessType(resultType, builder.getContext()));
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, location, TypeRange(empty.getType()),
             ValueRange(accumulated), ValueRange(empty),
             ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &bodyBuilder, Location at, ValueRange arguments) {
               Value value = ScalarEmitter(bodyBuilder, at)
                                 .convert(arguments[0], sumType, resultType);
               linalg::YieldOp::create(bodyBuilder, at, value);
             })
      .getResult(0);
}

FailureOr<Value> LeafLowering::lower() {
  chooseTypes();
  // Without points there is nothing to combine.
  if (bound.numPoints() == 0)
    return roundResult(makeStart(bound.resultDims));
  if (failed(addInputs()))
    return failure();
  if (bound.runningLoop >= 0)
    return accumulateRunning();
  SmallVector<AffineIndex> indices(ArrayRef<AffineIndex>(bound.result));
  Padding padding = pad(indices, bound.resultDims);
  Value start = makeStart(padding.sizes);
  SmallVector<int64_t> reached = crop(padding.sizes, indices);
  Value result = accumulate(slice(start, reached), toMap(indices));
  if (reached != padding.sizes)
    result = tensor::InsertSliceOp::create(
        builder, location, result, start,
        SmallVector<OpFoldResult>(reached.size(), builder.getIndexAttr(0)),
        getAsIndexOpFoldResult(builder.getContext(), reached),
        SmallVector<OpFoldResult>(reached.size(), builder.getIndexAttr(1)));
  if (padding.isNeeded) {
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(builder.getContext(), bound.resultDims);
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    result = tensor::ExtractSliceOp::create(builder, location, result,
                                            padding.low, sizes, strides);
  }
  return roundResult(result);
}

LogicalResult
LeafToLinalg::matchAndRewrite(WeirOpInterface op, ArrayRef<Value> operands,
                              ConversionPatternRewriter &rewriter) const {
  if (!op.getOpRecord().isLeaf())
    return rewriter.notifyMatchFailure(op, "not a leaf");
  FailureOr<Value> result = LeafLowering(op, operands, rewriter).lower();
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, *result);
  return success();
}
