//===- LaneMemory.cpp - Emits loads and stores of points --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaneMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

static Type getElement(const Place &place) {
  return cast<MemRefType>(place.buffer.getType()).getElementType();
}

static Place moved(const Place &place, int64_t count) {
  return {place.buffer, place.address.plus(count)};
}

void LaneMemory::setRows(int64_t count, SmallVector<Place> read) {
  height = count;
  blocks = std::move(read);
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

/// The alignment of vectors at `place`, if it is known.
llvm::MaybeAlign LaneMemory::alignmentOf(const Place &place) const {
  if (bufferAlignment == 0)
    return {};
  const int64_t bytes = getElement(place).getIntOrFloatBitWidth() / 8;
  return llvm::MaybeAlign(static_cast<uint64_t>(
      getAlignment(place.address, factors, bytes, bufferAlignment)));
}

/// The value of `type` that memory has as `value`. In memory, booleans are
/// bytes.
Value LaneMemory::fromMemory(Value value, Type type) {
  if (!type.isInteger(1))
    return value;
  Value zero =
      code.make<arith::ConstantOp>(code.builder.getZeroAttr(value.getType()));
  return code.make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
}

Value LaneMemory::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type type = code.builder.getI8Type();
  return code.make<arith::ExtUIOp>(isWide(value) ? lanes.toVector(type) : type,
                                   value);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value LaneMemory::load(const Place &place, Type type, const Mask &mask) {
  if (lanes.getStep(place.address) != 0)
    return fromMemory(loadVector(place, mask), type);
  Value at = code.emitIndex(place.address);
  return fromMemory(code.make<memref::LoadOp>(place.buffer, ValueRange(at)),
                    type);
}

Value LaneMemory::gather(const Place &place, Value offsets, Type type,
                         const Mask &mask) {
  return fromMemory(gatherElements(place, offsets, mask), type);
}

Value LaneMemory::gatherElements(const Place &place, Value offsets,
                                 const Mask &mask) {
  VectorType type = lanes.toVector(getElement(place));
  Value nothing = code.make<arith::ConstantOp>(code.builder.getZeroAttr(type));
  Value used = lanes.toValue(mask);
  Value at = code.emitIndex(place.address);
  return code.make<vector::GatherOp>(type, place.buffer, ValueRange(at),
                                     offsets, used, nothing);
}

Value LaneMemory::loadVector(const Place &place, const Mask &mask) {
  VectorType type = lanes.toVector(getElement(place));
  const int64_t step = lanes.getStep(place.address);
  if (step != 1) {
    // A mask of another kind may enable any lanes.
    if (lanes.areFirst(mask) && isInBlock(place) &&
        (height == lanes.getCount() || height == step))
      return loadTransposed(place, mask);
    return gatherElements(place, lanes.emitSteps(step), mask);
  }
  Value at = code.emitIndex(place.address);
  if (!mask.value)
    return code.make<vector::LoadOp>(type, place.buffer, ValueRange(at),
                                     /*nontemporal=*/false, alignmentOf(place));
  Value nothing = code.make<arith::ConstantOp>(code.builder.getZeroAttr(type));
  return code.make<vector::MaskedLoadOp>(type, place.buffer, ValueRange(at),
                                         mask.value, nothing);
}

//===----------------------------------------------------------------------===//
// Blocks of rows
//===----------------------------------------------------------------------===//

/// The vector whose lane l is element `getPlace(l)` of the concatenated
/// `vectors`.
Value LaneMemory::gatherLanes(ArrayRef<Value> vectors,
                              llvm::function_ref<int64_t(int64_t)> getPlace) {
  const int64_t count = lanes.getCount();
  Value result = vectors[0];
  for (int64_t number = 1; number < static_cast<int64_t>(vectors.size());
       ++number) {
    SmallVector<int64_t> order;
    for (int64_t l = 0; l < count; ++l) {
      int64_t vector = getPlace(l) / count, element = getPlace(l) % count;
      // After the first step, the elements so far are in place.
      int64_t before = number == 1 ? element : l;
      order.push_back(vector == number ? count + element : before);
    }
    result = code.make<vector::ShuffleOp>(result, vectors[number], order);
  }
  return result;
}

/// Concatenates `rows` so that each element of the second half follows its
/// counterpart in the first.
LaneMemory::Values LaneMemory::interleaveHalves(ArrayRef<Value> rows) {
  const int64_t count = lanes.getCount();
  SmallVector<Value> next;
  for (size_t row = 0; row < rows.size() / 2; ++row)
    for (int64_t half = 0; half < 2; ++half) {
      SmallVector<int64_t> order;
      for (int64_t l = 0; l < count / 2; ++l) {
        order.push_back(half * count / 2 + l);
        order.push_back(count + half * count / 2 + l);
      }
      next.push_back(code.make<vector::ShuffleOp>(
          rows[row], rows[row + rows.size() / 2], order));
    }
  return next;
}

/// Whether `place`, in the current row, belongs to a block of which all rows
/// are read.
bool LaneMemory::isInBlock(const Place &place) const {
  return llvm::is_contained(blocks, moved(place, -shift));
}

/// Lane `shift` of each row of a block. The rows are loaded and transposed once
/// for all shifts, and the columns are remembered as values of the buffer.
Value LaneMemory::loadTransposed(const Place &place, const Mask &mask) {
  const Place origin = moved(place, -shift);
  auto find = [&](int64_t column) {
    return code.find(origin.buffer,
                     {origin.address, LinearIndex::ofConstant(column)}, {});
  };
  if (Value known = find(shift))
    return known;
  const Values columns =
      height == lanes.getCount()
          ? loadSquare(origin, lanes.getStep(origin.address), mask)
          : loadInterleaved(origin, mask);
  for (auto [column, value] : llvm::enumerate(columns))
    code.remember(
        origin.buffer,
        {origin.address, LinearIndex::ofConstant(static_cast<int64_t>(column))},
        {}, value);
  return columns[shift];
}

/// The columns of a square block. In place of a row after the last valid row,
/// the last valid row is read.
LaneMemory::Values LaneMemory::loadSquare(const Place &origin, int64_t step,
                                          const Mask &mask) {
  VectorType type = lanes.toVector(getElement(origin));
  Values rows;
  for (int64_t row = 0; row < lanes.getCount(); ++row) {
    Value at = code.emitIndex(mask.value ? origin.address
                                         : origin.address.plus(row * step));
    if (mask.value) {
      Value last =
          code.make<arith::SubIOp>(lanes.getUsed(), code.constantIndex(1));
      Value number = code.make<arith::MinUIOp>(code.constantIndex(row), last);
      at = code.make<arith::AddIOp>(
          at, code.make<arith::MulIOp>(number, code.constantIndex(step)));
    }
    rows.push_back(
        code.make<vector::LoadOp>(type, origin.buffer, ValueRange(at)));
  }
  // Interleaving the halves log2(lanes) times transposes the block.
  for (int64_t turn = 1; turn < lanes.getCount(); turn *= 2)
    rows = interleaveHalves(rows);
  return rows;
}

/// The columns of a block whose rows are contiguous in memory.
LaneMemory::Values LaneMemory::loadInterleaved(const Place &origin,
                                               const Mask &mask) {
  VectorType type = lanes.toVector(getElement(origin));
  const int64_t count = lanes.getCount();
  Values vectors, columns;
  for (int64_t first = 0; first < height * count; first += count) {
    Value at = code.emitIndex(origin.address.plus(first));
    if (!mask.value) {
      vectors.push_back(
          code.make<vector::LoadOp>(type, origin.buffer, ValueRange(at)));
      continue;
    }
    Value nothing =
        code.make<arith::ConstantOp>(code.builder.getZeroAttr(type));
    Value used = lanes.maskFrom(first, height);
    vectors.push_back(code.make<vector::MaskedLoadOp>(
        type, origin.buffer, ValueRange(at), used, nothing));
  }
  for (int64_t column = 0; column < height; ++column)
    columns.push_back(
        gatherLanes(vectors, [&](int64_t l) { return l * height + column; }));
  return columns;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void LaneMemory::store(const Place &place, Value value, const Mask &mask) {
  value = toMemory(value);
  Value at = code.emitIndex(place.address);
  const int64_t step = lanes.getStep(place.address);
  if (step == 0) {
    code.make<memref::StoreOp>(value, place.buffer, ValueRange(at));
    return;
  }
  value = lanes.splat(value);
  if (step != 1) {
    Value used = lanes.toValue(mask);
    code.make<vector::ScatterOp>(Type(), place.buffer, ValueRange(at),
                                 lanes.emitSteps(step), used, value);
  } else if (mask.value)
    code.make<vector::MaskedStoreOp>(place.buffer, ValueRange(at), mask.value,
                                     value);
  else
    code.make<vector::StoreOp>(value, place.buffer, ValueRange(at),
                               /*nontemporal=*/false, alignmentOf(place));
}

/// Interleaves the lanes of `rows`. Interleaving halves takes the fewest steps,
/// but needs a power of two.
LaneMemory::Values LaneMemory::interleave(Values rows) {
  const auto height = static_cast<int64_t>(rows.size());
  const int64_t count = lanes.getCount();
  if (llvm::isPowerOf2_64(rows.size())) {
    for (int64_t turn = 1; turn < height; turn *= 2)
      rows = interleaveHalves(rows);
    return rows;
  }
  Values result;
  for (int64_t first = 0; first < height * count; first += count)
    result.push_back(gatherLanes(rows, [&](int64_t l) {
      return (first + l) % height * count + (first + l) / height;
    }));
  return result;
}

void LaneMemory::storeInterleaved(const Place &place, Values rows,
                                  const Mask &mask) {
  const auto height = static_cast<int64_t>(rows.size());
  if (lanes.getStep(place.address) != height)
    code.note(code.location,
              "rows are interleaved that do not lie so in memory");
  for (Value &row : rows)
    row = lanes.splat(toMemory(row));
  rows = interleave(rows);
  for (auto [number, row] : llvm::enumerate(rows)) {
    int64_t first = static_cast<int64_t>(number) * lanes.getCount();
    Value at = code.emitIndex(place.address.plus(first));
    if (mask.value)
      code.make<vector::MaskedStoreOp>(place.buffer, ValueRange(at),
                                       lanes.maskFrom(first, height), row);
    else
      code.make<vector::StoreOp>(row, place.buffer, ValueRange(at));
  }
}
