//===- Memory.cpp - Emits loads and stores of points ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

LinearIndex PointEmitter::getAddress(Value base, ArrayRef<int64_t> strides,
                                     ArrayRef<LinearIndex> at) const {
  return plan.homes.find(base)->second.origin.plus(
      plan.getAddress(strides, at));
}

int64_t kernels::getAlignment(const LinearIndex &address,
                              const Factors &factors, int64_t bytes,
                              int64_t most) {
  int64_t alignment = std::gcd(most, address.constant * bytes);
  for (auto [symbol, coefficient] : address.terms) {
    auto known = factors.find(symbol);
    int64_t factor = known == factors.end() ? 1 : known->second;
    alignment = std::gcd(alignment, coefficient * factor * bytes);
  }
  return alignment;
}

llvm::MaybeAlign PointEmitter::alignmentOf(Value buffer,
                                           const LinearIndex &address) const {
  if (bufferAlignment == 0)
    return {};
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return llvm::MaybeAlign(static_cast<uint64_t>(getAlignment(
      address, factors, element.getIntOrFloatBitWidth() / 8, bufferAlignment)));
}

/// In memory, booleans are bytes.
Value PointEmitter::fromMemory(Value value, Type type) {
  if (!type.isInteger(1))
    return value;
  Value zero = make<arith::ConstantOp>(builder.getZeroAttr(value.getType()));
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

Value PointEmitter::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type type = builder.getI8Type();
  return make<arith::ExtUIOp>(isWide(value) ? toVector(type) : type, value);
}

/// The vector 0, step, 2 step, ...
Value PointEmitter::stepsOf(int64_t step) {
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(builder.getIndexAttr(lane * step));
  auto type = cast<VectorType>(toVector(builder.getIndexType()));
  return make<arith::ConstantOp>(
      type, cast<TypedAttr>(DenseElementsAttr::get(type, steps)));
}

Value PointEmitter::allLanes() {
  return make<vector::ConstantMaskOp>(
      cast<VectorType>(toVector(builder.getI1Type())),
      ArrayRef<int64_t>{lanes});
}

Value PointEmitter::emitLoopIndex(const LinearIndex &index) {
  Value scalar = emitIndex(index);
  if (!hasLanes(index))
    return scalar;
  return make<arith::AddIOp>(splat(scalar),
                             stepsOf(index.getCoefficient(lane)));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value PointEmitter::loadScalar(Value buffer, const LinearIndex &address) {
  return make<memref::LoadOp>(buffer, ValueRange(emitIndex(address)));
}

Value PointEmitter::gather(Value buffer, Value offsets,
                           const LinearIndex &address, const Mask &mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = cast<VectorType>(toVector(element));
  Value nothing = make<arith::ConstantOp>(builder.getZeroAttr(type));
  return make<vector::GatherOp>(type, buffer, ValueRange(emitIndex(address)),
                                offsets, mask.value ? mask.value : allLanes(),
                                nothing);
}

Value PointEmitter::loadVector(Value buffer, const LinearIndex &address,
                               const Mask &mask) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = cast<VectorType>(toVector(element));
  int64_t step = address.getCoefficient(lane);
  if (step != 1) {
    // A mask of another kind may enable any lanes.
    bool areFirstLanes = !mask.value || mask.value == lastMask;
    if (areFirstLanes && isInBlock(buffer, address) &&
        (height == lanes || height == step))
      return loadTransposed(buffer, address, mask);
    return gather(buffer, stepsOf(step), address, mask);
  }
  Value at = emitIndex(address);
  if (!mask.value)
    return make<vector::LoadOp>(type, buffer, ValueRange(at),
                                /*nontemporal=*/false,
                                alignmentOf(buffer, address));
  Value nothing = make<arith::ConstantOp>(builder.getZeroAttr(type));
  return make<vector::MaskedLoadOp>(type, buffer, ValueRange(at), mask.value,
                                    nothing);
}

/// The vector whose lane l is element `getPlace(l)` of the concatenated
/// `vectors`.
Value PointEmitter::gatherLanes(ArrayRef<Value> vectors,
                                llvm::function_ref<int64_t(int64_t)> getPlace) {
  Value result = vectors[0];
  for (int64_t number = 1; number < static_cast<int64_t>(vectors.size());
       ++number) {
    SmallVector<int64_t> order;
    for (int64_t l = 0; l < lanes; ++l) {
      int64_t vector = getPlace(l) / lanes, element = getPlace(l) % lanes;
      // After the first step, the elements so far are in place.
      int64_t before = number == 1 ? element : l;
      order.push_back(vector == number ? lanes + element : before);
    }
    result = make<vector::ShuffleOp>(result, vectors[number], order);
  }
  return result;
}

/// The mask of the used lanes from `first` on, among `step` interleaved
/// vectors.
Value PointEmitter::maskFrom(int64_t first, int64_t step) {
  Value used = make<arith::MulIOp>(usedLanes, constantIndex(step));
  Value rest = make<arith::SubIOp>(used, constantIndex(first));
  return make<vector::CreateMaskOp>(
      cast<VectorType>(toVector(builder.getI1Type())), ValueRange(rest));
}

/// Whether `address`, in the current row, is in a block all of whose rows are
/// read.
bool PointEmitter::isInBlock(Value buffer, const LinearIndex &address) const {
  const std::pair place(buffer, address.plus(-shift));
  return transposed >= 0 && llvm::is_contained(blockPlaces, place);
}

/// Lane `shift` of each row of a block whose rows are along `transposed`. The
/// rows are loaded and transposed once for all shifts.
Value PointEmitter::loadTransposed(Value buffer, const LinearIndex &address,
                                   const Mask &mask) {
  LinearIndex origin = address.plus(-shift);
  Level &level = levels[depthOf(origin)];
  for (const TransposedBlock &known : level.blocks)
    if (known.buffer == buffer && known.origin == origin)
      return known.columns[shift];
  int64_t step = address.getCoefficient(lane);
  SmallVector<Value> columns = height == lanes
                                   ? loadSquare(buffer, origin, step, mask)
                                   : loadInterleaved(buffer, origin, mask);
  level.blocks.push_back({buffer, origin, columns});
  return columns[shift];
}

/// Concatenates `rows` so that each element of the second half follows its
/// counterpart in the first.
SmallVector<Value> PointEmitter::interleaveHalves(ArrayRef<Value> rows) {
  SmallVector<Value> next;
  for (size_t row = 0; row < rows.size() / 2; ++row)
    for (int64_t half = 0; half < 2; ++half) {
      SmallVector<int64_t> order;
      for (int64_t l = 0; l < lanes / 2; ++l) {
        order.push_back(half * lanes / 2 + l);
        order.push_back(lanes + half * lanes / 2 + l);
      }
      next.push_back(make<vector::ShuffleOp>(
          rows[row], rows[row + rows.size() / 2], order));
    }
  return next;
}

/// The columns of a square block. Rows after the last valid one are read from
/// that one.
SmallVector<Value> PointEmitter::loadSquare(Value buffer,
                                            const LinearIndex &origin,
                                            int64_t step, const Mask &mask) {
  auto type = cast<VectorType>(
      toVector(cast<MemRefType>(buffer.getType()).getElementType()));
  SmallVector<Value> rows;
  for (int64_t row = 0; row < lanes; ++row) {
    Value at = emitIndex(mask.value ? origin : origin.plus(row * step));
    if (mask.value) {
      Value last = make<arith::SubIOp>(usedLanes, constantIndex(1));
      Value number = make<arith::MinUIOp>(constantIndex(row), last);
      at = make<arith::AddIOp>(
          at, make<arith::MulIOp>(number, constantIndex(step)));
    }
    rows.push_back(make<vector::LoadOp>(type, buffer, ValueRange(at)));
  }
  // Interleaving the halves log2(lanes) times transposes the block.
  for (int64_t turn = 1; turn < lanes; turn *= 2)
    rows = interleaveHalves(rows);
  return rows;
}

/// The columns of a block whose rows are contiguous in memory.
SmallVector<Value> PointEmitter::loadInterleaved(Value buffer,
                                                 const LinearIndex &origin,
                                                 const Mask &mask) {
  auto type = cast<VectorType>(
      toVector(cast<MemRefType>(buffer.getType()).getElementType()));
  SmallVector<Value> vectors, columns;
  for (int64_t first = 0; first < height * lanes; first += lanes) {
    Value at = emitIndex(origin.plus(first));
    if (mask.value)
      vectors.push_back(make<vector::MaskedLoadOp>(
          type, buffer, ValueRange(at), maskFrom(first, height),
          make<arith::ConstantOp>(builder.getZeroAttr(type))));
    else
      vectors.push_back(make<vector::LoadOp>(type, buffer, ValueRange(at)));
  }
  for (int64_t column = 0; column < height; ++column)
    columns.push_back(
        gatherLanes(vectors, [&](int64_t l) { return l * height + column; }));
  return columns;
}

void PointEmitter::keep(Value home, ArrayRef<LinearIndex> at, Value value) {
  Value base;
  SmallVector<int64_t> strides = *plan.getStrides(home, base);
  kept[base].push_back({getAddress(base, strides, at), value});
}

Value PointEmitter::load(Value tensor, ArrayRef<LinearIndex> at,
                         const Mask &mask) {
  Value base;
  SmallVector<int64_t> strides = *plan.getStrides(tensor, base);
  LinearIndex address = getAddress(base, strides, at);
  if (auto known = kept.find(base); known != kept.end())
    for (const auto &[place, value] : known->second)
      if (place == address)
        return value;
  Value buffer = buffers.lookup(base);
  if (!buffer) {
    note(base.getLoc(), "a thread reads an element that another one keeps");
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    return make<arith::ConstantOp>(builder.getZeroAttr(type));
  }
  Value value = hasLanes(address) ? loadVector(buffer, address, mask)
                                  : loadScalar(buffer, address);
  return fromMemory(value,
                    cast<RankedTensorType>(tensor.getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void PointEmitter::store(Value tensor, ArrayRef<LinearIndex> at, Value value,
                         const Mask &mask) {
  Value base;
  SmallVector<int64_t> strides = *plan.getStrides(tensor, base);
  LinearIndex address = getAddress(base, strides, at);
  Value buffer = buffers.lookup(base);
  value = toMemory(value);
  Value index = emitIndex(address);
  if (!hasLanes(address)) {
    make<memref::StoreOp>(value, buffer, ValueRange(index));
    return;
  }
  value = splat(value);
  int64_t step = address.getCoefficient(lane);
  if (step != 1)
    make<vector::ScatterOp>(Type(), buffer, ValueRange(index), stepsOf(step),
                            mask.value ? mask.value : allLanes(), value);
  else if (mask.value)
    make<vector::MaskedStoreOp>(buffer, ValueRange(index), mask.value, value);
  else
    make<vector::StoreOp>(value, buffer, ValueRange(index),
                          /*nontemporal=*/false, alignmentOf(buffer, address));
}

/// Interleaves the lanes of `rows`. Interleaving halves takes the fewest steps,
/// but needs a power of two.
SmallVector<Value> PointEmitter::interleave(SmallVector<Value> rows) {
  auto count = static_cast<int64_t>(rows.size());
  if (llvm::isPowerOf2_64(rows.size())) {
    for (int64_t turn = 1; turn < count; turn *= 2)
      rows = interleaveHalves(rows);
    return rows;
  }
  SmallVector<Value> result;
  for (int64_t first = 0; first < count * lanes; first += lanes)
    result.push_back(gatherLanes(rows, [&](int64_t l) {
      return (first + l) % count * lanes + (first + l) / count;
    }));
  return result;
}

void PointEmitter::storeInterleaved(Value tensor, ArrayRef<LinearIndex> at,
                                    SmallVector<Value> rows, const Mask &mask) {
  Value base;
  SmallVector<int64_t> strides = *plan.getStrides(tensor, base);
  LinearIndex address = getAddress(base, strides, at);
  if (!hasLanes(address) ||
      address.getCoefficient(lane) != static_cast<int64_t>(rows.size()))
    note(location, "rows are interleaved that do not lie so in memory");
  Value buffer = buffers.lookup(base);
  for (Value &row : rows)
    row = splat(toMemory(row));
  auto count = static_cast<int64_t>(rows.size());
  rows = interleave(rows);
  for (auto [number, row] : llvm::enumerate(rows)) {
    int64_t first = static_cast<int64_t>(number) * lanes;
    Value index = emitIndex(address.plus(first));
    if (mask.value)
      make<vector::MaskedStoreOp>(buffer, ValueRange(index),
                                  maskFrom(first, count), row);
    else
      make<vector::StoreOp>(row, buffer, ValueRange(index));
  }
}
