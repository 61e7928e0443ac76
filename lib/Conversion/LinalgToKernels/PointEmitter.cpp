//===- PointEmitter.cpp - Emits the value of a tensor at a point ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Place PointEmitter::getPlace(Value tensor, ArrayRef<LinearIndex> at) const {
  Value base;
  const SmallVector<int64_t> strides = *plan.getStrides(tensor, base);
  return {buffers.lookup(base), plan.homes.find(base)->second.origin.plus(
                                    plan.getAddress(strides, at))};
}

/// The tensor in whose home `tensor` is. `tensor` must be in memory.
static Value getHome(const KernelPlan &plan, Value tensor) {
  Value base;
  plan.getStrides(tensor, base);
  return base;
}

void PointEmitter::keep(Value tensor, ArrayRef<LinearIndex> at, Value value) {
  kept[getHome(plan, tensor)].push_back({getPlace(tensor, at).address, value});
}

Value PointEmitter::load(Value tensor, ArrayRef<LinearIndex> at,
                         const Mask &mask) {
  Value home = getHome(plan, tensor);
  const Place place = getPlace(tensor, at);
  if (auto known = kept.find(home); known != kept.end())
    for (const auto &[address, value] : known->second)
      if (address == place.address)
        return value;
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (place.buffer)
    return memory.load(place, type, mask);
  code.note(home.getLoc(), "a thread reads an element that another one keeps");
  return code.make<arith::ConstantOp>(code.builder.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value PointEmitter::read(Value tensor, ArrayRef<LinearIndex> at,
                         const Mask &given) {
  // If all lanes are equal, no mask is needed.
  const Mask mask = lanes.isLaneIn(at) ? given : Mask();
  if (Value known = code.find(tensor, at, mask))
    return known;
  CodeLevels::At atLevel(code, code.depthOf(at, mask));
  Value base;
  Value value = plan.getStrides(tensor, base) ? load(tensor, at, mask)
                                              : compute(tensor, at, mask);
  code.remember(tensor, at, mask, value);
  return value;
}

Value PointEmitter::evaluate(const Assignment &assignment,
                             ArrayRef<LinearIndex> at, const Mask &mask) {
  Value source = assignment.getSource();
  return source == assignment.getHome() ? compute(source, at, mask)
                                        : read(source, at, mask);
}

Value PointEmitter::compute(Value tensor, ArrayRef<LinearIndex> at,
                            const Mask &mask) {
  Operation *op = tensor.getDefiningOp();
  if (Value source = getReshaped(tensor))
    return read(
        source,
        toReshaped(code.symbols, getShape(source), getShape(tensor), at), mask);
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](linalg::GenericOp op) {
        // A reduction would need loops, which cannot be emitted here.
        if (isReduction(op))
          code.note(op.getLoc(), "a reduction is read before it is computed");
        return computeBody(op, toLoops(op, at), mask);
      })
      .Case([&](linalg::FillOp op) { return copyConstant(op.value()); })
      .Case([&](tensor::ExtractSliceOp op) {
        return read(op.getSource(), toSource(op, at), mask);
      })
      .Case([&](tensor::PadOp op) { return readPadded(op, at, mask); })
      .Case(
          [&](tensor::InsertSliceOp op) { return readInserted(op, at, mask); })
      .Default([&](Operation *op) { return readConstant(op); });
}

/// Scalar constants are created again wherever they are read. An undefined
/// tensor is read as zero.
Value PointEmitter::readConstant(Operation *op) {
  Type type =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  DenseElementsAttr elements;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  TypedAttr value = elements && !elements.empty()
                        ? cast<TypedAttr>(elements.getSplatValue<Attribute>())
                        : code.builder.getZeroAttr(type);
  return code.make<arith::ConstantOp>(value);
}

Value PointEmitter::copyConstant(Value value) {
  return code.builder.clone(*value.getDefiningOp())->getResult(0);
}

Value PointEmitter::readGuarded(Value tensor, Indices at,
                                ArrayRef<Guard> guards, Mask mask,
                                Value &inside) {
  Value isIn;
  for (const Guard &guard : guards) {
    const bool isVector = lanes.getStep(guard.index) != 0;
    Value index = lanes.emitIndex(guard.index);
    Value size = code.constantIndex(guard.size);
    if (isVector)
      size = lanes.splat(size);
    // The comparison is unsigned, so that a negative index is large.
    const Value ownFits =
        code.make<arith::CmpIOp>(arith::CmpIPredicate::ult, index, size);
    Value fits = ownFits;
    if (isIn && isWide(isIn) != isWide(fits)) {
      isIn = lanes.splat(isIn);
      fits = lanes.splat(fits);
    }
    isIn = isIn ? code.make<arith::AndIOp>(isIn, fits).getResult() : fits;
    if (isVector)
      continue;
    // If a scalar index is out of range, index 0 is read instead, and the value
    // is not used.
    Value moved =
        code.make<arith::SelectOp>(ownFits, index, code.constantIndex(0));
    int symbol = code.symbols.addComputed(moved, {});
    code.bind(symbol, moved);
    at[guard.dim] = LinearIndex::ofSymbol(symbol);
  }
  inside = isIn;
  if (isIn && isWide(isIn)) {
    Value both = mask.value
                     ? code.make<arith::AndIOp>(mask.value, isIn).getResult()
                     : isIn;
    mask = {both, code.getCurrentDepth()};
  }
  return read(tensor, at, mask);
}

Value PointEmitter::readPadded(tensor::PadOp op, ArrayRef<LinearIndex> at,
                               const Mask &mask) {
  Value around = op.getConstantPaddingValue();
  if (getNumElements(op.getSource()) == 0)
    return copyConstant(around);
  SmallVector<Guard> guards;
  Indices source = toSource(op, at, code.symbols, guards);
  Value inside;
  Value value = readGuarded(op.getSource(), source, guards, mask, inside);
  if (!inside)
    return value;
  return lanes.select(inside, value, copyConstant(around));
}

Value PointEmitter::readInserted(tensor::InsertSliceOp op,
                                 ArrayRef<LinearIndex> at, const Mask &mask) {
  if (getNumElements(op.getSource()) == 0)
    return read(op.getDest(), at, mask);
  SmallVector<Guard> guards;
  Indices source = toSource(op, at, code.symbols, guards);
  if (neverHold(guards, code.symbols))
    return read(op.getDest(), at, mask);
  Value inside;
  Value value = readGuarded(op.getSource(), source, guards, mask, inside);
  if (!inside)
    return value;
  return lanes.select(inside, value, read(op.getDest(), at, mask));
}
