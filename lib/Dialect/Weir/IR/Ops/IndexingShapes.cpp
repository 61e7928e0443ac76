//===- IndexingShapes.cpp - Shapes and checks of the Indexing family ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "weir/Dialect/Weir/IR/Axis.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::indexing;
using weir::opdetail::resolveAxis;

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

/// The number of dims after `batchDims` that the last dim of `places` indexes.
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

static Status checkReduction(const AttrMap &attrs) {
  std::string_view reduction = attrs.textOr("reduction", "none");
  for (std::string_view known :
       {"none", "sum", "product", "maximum", "minimum"})
    if (reduction == known)
      return Status::ok();
  return invalidArgument(
      fmt::format("attribute 'reduction' is '{}', expected 'none', 'sum', "
                  "'product', 'maximum' or 'minimum'",
                  reduction));
}

StatusOr<SmallVector<Type>>
ScatterElementsOp::inferShapes(TypeRange operands, const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 3));
  WEIR_RETURN_IF_ERROR(checkReduction(attrs));
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
  return invalidArgument(fmt::format("operand 1 ({}) and operand 2 ({}) expect "
                                     "one shape that fits into operand 0 "
                                     "({}) but for axis {}",
                                     shapeToString(places),
                                     shapeToString(updates),
                                     shapeToString(dims), axis));
}

StatusOr<SmallVector<Type>> ScatterNdOp::inferShapes(TypeRange operands,
                                                     const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 3));
  WEIR_RETURN_IF_ERROR(checkReduction(attrs));
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

StatusOr<SmallVector<Type>> TopKOp::inferShapes(TypeRange operands,
                                                const AttrMap &attrs) {
  WEIR_RETURN_IF_ERROR(checkOperandCount(operands, 1));
  std::vector<int64_t> dims = operandDims(operands, 0);
  WEIR_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(attrs, -1, dims.size()));
  int64_t k = attrs.intOr("k", 0);
  if (k < 0 || (dims[axis] != unknownDim && k > dims[axis]))
    return invalidArgument(fmt::format(
        "attribute 'k' expects a value from 0 to {}, the size of axis {} of "
        "operand 0 ({}), found {}",
        dims[axis] == unknownDim ? std::string("?")
                                 : std::to_string(dims[axis]),
        axis, shapeToString(dims), k));
  // The body of top_k compares every pair of elements along the axis.
  std::vector<int64_t> compared = dims;
  compared.insert(compared.begin() + axis, dims[axis]);
  if (k != 0 && !llvm::is_contained(dims, 0) &&
      !checkCount(compared, "").isOk())
    return invalidArgument(fmt::format(
        "axis {} of operand 0 ({}) is too long to compare every two of its "
        "elements; apply top_k to parts of it first",
        axis, shapeToString(dims)));
  dims[axis] = k;
  return SmallVector<Type>{
      makeTensorType(dims, IntegerType::get(operands[0].getContext(), 64))};
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Refuses an axis without elements, because it has no extreme.
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

/// Refuses an op without indices, because nothing would be combined with the
/// input.
template <typename OpTy> static LogicalResult verifyUpdates(OpTy op) {
  if (dimsOf(op.getIndices())[0] != 0 || countOf(dimsOf(op.getResult())) == 0)
    return success();
  return op.emitOpError("expects at least one index");
}

LogicalResult ScatterMaxOp::verify() { return verifyUpdates(*this); }
LogicalResult ScatterMinOp::verify() { return verifyUpdates(*this); }

//===----------------------------------------------------------------------===//
// Operands with indices
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> opdetail::getIndicesOfSpec(Operation *raw) {
  auto op = cast<WeirOpInterface>(raw);
  SmallVector<IndexOperand> found;
  if (!op.getOpRecord().isLeaf() ||
      !op.getOpRecord().getIndexSpec().hasIndirectDims())
    return found;
  BoundSpec bound = bindSpec(op);
  for (auto [operand, dims] : llvm::zip(op->getOperands(), bound.operands))
    for (auto [index, size] : llvm::zip(dims, dimsOf(operand)))
      if (index.indirect >= 0)
        found.push_back({static_cast<unsigned>(index.indirect), {size}});
  return found;
}

/// The index operand of an op whose operand 1 has indices along dim `axis` of
/// operand 0.
static SmallVector<IndexOperand> alongAxis(Operation *op, int64_t axis) {
  Dims dims = dimsOf(op->getOperand(0));
  return {{1, {dims[fromStart(axis, dims.size())]}}};
}

/// The index operand of an op like gather_nd. Each row of operand 1 has an
/// index for each of the first dims of operand 0 after `batchDims`.
static SmallVector<IndexOperand> atPlaces(Operation *op, int64_t batchDims) {
  Dims dims = dimsOf(op->getOperand(0));
  int64_t indexed = dimsOf(op->getOperand(1)).back();
  return {{1, Dims(ArrayRef(dims).slice(batchDims, indexed))}};
}

SmallVector<IndexOperand> GatherOp::getIndexOperands() {
  return alongAxis(*this, getAxis());
}
SmallVector<IndexOperand> GatherNdOp::getIndexOperands() {
  return atPlaces(*this, getBatchDims());
}
SmallVector<IndexOperand> ScatterElementsOp::getIndexOperands() {
  return alongAxis(*this, getAxis());
}
SmallVector<IndexOperand> ScatterNdOp::getIndexOperands() {
  return atPlaces(*this, 0);
}
