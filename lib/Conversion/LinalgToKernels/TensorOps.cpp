//===- TensorOps.cpp - Index mappings of tensor ops -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TensorOps.h"

#include "weir/Analysis/DimRelation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

ArrayRef<int64_t> kernels::getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

int64_t kernels::getNumElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

SmallVector<int64_t> kernels::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Generic ops
//===----------------------------------------------------------------------===//

bool kernels::isScan(linalg::GenericOp op) {
  return op->getNumResults() == 2 && op->getResult(1).use_empty();
}

OpOperand &kernels::getStartOperand(linalg::GenericOp op) {
  return *op.getDpsInitOperand(op.getNumDpsInits() - 1);
}

bool kernels::isReduction(linalg::GenericOp op) {
  for (auto [kind, size] :
       llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction && size > 1)
      return true;
  return false;
}

AffineMap kernels::getMap(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> dims;
  for (auto [number, size] : llvm::enumerate(op.getStaticLoopRanges()))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, op.getContext())
                             : getAffineDimExpr(number, op.getContext()));
  return map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0);
}

bool kernels::hasPlainResult(linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto kinds = op.getIteratorTypesArray();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    llvm::SmallBitVector seen(sizes.size());
    for (auto [expr, size] :
         llvm::zip(getMap(op, init).getResults(), getShape(init.get()))) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && !isa<AffineConstantExpr>(expr))
        return false;
      // Elements that no point reaches keep their initial values.
      if (size != (dim ? sizes[dim.getPosition()] : 1))
        return false;
      if (!dim)
        continue;
      if (seen.test(dim.getPosition()) ||
          kinds[dim.getPosition()] == utils::IteratorType::reduction)
        return false;
      seen.set(dim.getPosition());
    }
    for (size_t loop = 0; loop < sizes.size(); ++loop)
      if (kinds[loop] == utils::IteratorType::parallel && sizes[loop] != 1 &&
          !seen.test(loop))
        return false;
  }
  return true;
}

Indices kernels::toLoops(linalg::GenericOp op, ArrayRef<LinearIndex> at,
                         ArrayRef<LinearIndex> reductions) {
  Indices loops(op.getNumLoops());
  AffineMap map = getMap(op, *op.getDpsInitOperand(0));
  for (auto [expr, index] : llvm::zip(map.getResults(), at))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      loops[dim.getPosition()] = index;
  size_t next = 0;
  for (auto [number, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && next < reductions.size())
      loops[number] = reductions[next++];
  return loops;
}

/// The cost in simple vector operations. A math function is a polynomial.
static int64_t getOpCost(Operation &op) {
  if (isa<arith::ConstantOp, linalg::IndexOp>(op))
    return 0;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
          arith::RemSIOp, arith::RemUIOp, math::SqrtOp, math::RsqrtOp>(op))
    return 8;
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp,
          math::RoundEvenOp>(op))
    return 1;
  return isa<math::MathDialect>(op.getDialect()) ? 20 : 1;
}

int64_t kernels::getBodyCost(linalg::GenericOp op) {
  int64_t cost = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    cost += getOpCost(inner);
  return cost;
}

int64_t kernels::getLocalCost(Operation *op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return getBodyCost(generic);
  return isa<tensor::InsertSliceOp>(op) ? 2 : 0;
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

Value kernels::getReshaped(Value value) {
  Value source;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    source = value = op->getOperand(0);
  }
  return source;
}

Indices kernels::toReshaped(Symbols &symbols, ArrayRef<int64_t> from,
                            ArrayRef<int64_t> to, ArrayRef<LinearIndex> at) {
  Indices indices(from.size());
  for (auto [fromBegin, fromEnd, toBegin, toEnd] :
       analysis::matchReshapedDims(from, to)) {
    LinearIndex position;
    for (size_t d = toBegin; d < toEnd; ++d)
      position = position.times(to[d]).plus(at[d]);
    // The index of a dim with one element is 0. The outermost other dim
    // gets what remains, whatever its range.
    size_t outermost = fromBegin;
    while (outermost + 1 < fromEnd && from[outermost] == 1)
      ++outermost;
    for (size_t d = fromEnd; d-- > outermost;) {
      if (d == outermost) {
        indices[d] = position;
        break;
      }
      indices[d] = symbols.remainder(position, from[d]);
      position = symbols.divide(position, from[d]);
    }
  }
  return indices;
}

std::optional<SmallVector<int64_t>>
kernels::reshapeStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> to) {
  SmallVector<int64_t> result(to.size(), 0);
  bool isPossible = true;
  for (auto [fromBegin, fromEnd, toBegin, toEnd] :
       analysis::matchReshapedDims(from, to)) {
    int64_t stride = 0, expected = -1;
    for (size_t d = fromEnd; d-- > fromBegin;) {
      if (from[d] == 1)
        continue;
      if (expected < 0)
        stride = strides[d];
      else
        isPossible &= strides[d] == expected;
      expected = strides[d] * from[d];
    }
    for (size_t d = toEnd; d-- > toBegin;) {
      result[d] = stride;
      stride *= to[d];
    }
  }
  if (!isPossible)
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Indices kernels::toSource(tensor::ExtractSliceOp op, ArrayRef<LinearIndex> at) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Indices indices;
  size_t next = 0;
  for (auto [d, offset] : llvm::enumerate(op.getStaticOffsets())) {
    LinearIndex index;
    if (!dropped.test(d))
      index = at[next++].times(op.getStaticStrides()[d]);
    indices.push_back(index.plus(offset));
  }
  return indices;
}

/// `at`, indices of a tensor of sizes `around`, minus `offsets`. A guard is
/// added where the result may be outside of the part of `sizes`. A dim whose
/// part covers it needs no guard, even if its index combines several dims.
static Indices moveInto(ArrayRef<LinearIndex> at, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> sizes, ArrayRef<int64_t> around,
                        const Symbols &symbols,
                        SmallVectorImpl<Guard> &guards) {
  Indices indices;
  for (auto [index, offset, size, whole] :
       llvm::zip(at, offsets, sizes, around)) {
    indices.push_back(index.plus(-offset));
    if (size != whole && !symbols.getRange(indices.back()).isWithin(size))
      guards.push_back({indices.back(), size, indices.size() - 1});
  }
  return indices;
}

bool kernels::neverHold(ArrayRef<Guard> guards, const Symbols &symbols) {
  return llvm::any_of(guards, [&](const Guard &guard) {
    return symbols.getRange(guard.index).isOutside(guard.size);
  });
}

Indices kernels::toSource(tensor::PadOp op, ArrayRef<LinearIndex> at,
                          const Symbols &symbols,
                          SmallVectorImpl<Guard> &guards) {
  return moveInto(at, op.getStaticLow(), getShape(op.getSource()),
                  getShape(op.getResult()), symbols, guards);
}

Indices kernels::toSource(tensor::InsertSliceOp op, ArrayRef<LinearIndex> at,
                          const Symbols &symbols,
                          SmallVectorImpl<Guard> &guards) {
  return moveInto(at, op.getStaticOffsets(), getShape(op.getSource()),
                  getShape(op.getDest()), symbols, guards);
}

bool kernels::isPlainInsert(tensor::InsertSliceOp op) {
  return op.getSourceType().getRank() == op.getDestType().getRank() &&
         llvm::all_equal(op.getStaticStrides()) &&
         (op.getStaticStrides().empty() || op.getStaticStrides()[0] == 1);
}
