//===- DType.cpp - Element types of tensors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/DType.h"

#include "weir/Support/Arithmetic.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace weir;

namespace {
struct DTypeRow {
  std::string_view name;
  uint8_t bytes;
  enum Kind : uint8_t { Float, Signed, Unsigned } kind;
};
using Kind = DTypeRow::Kind;
constexpr std::array<DTypeRow, numDTypes> rows = {{{"f32", 4, Kind::Float},
                                                   {"f16", 2, Kind::Float},
                                                   {"bf16", 2, Kind::Float},
                                                   {"f64", 8, Kind::Float},
                                                   {"i8", 1, Kind::Signed},
                                                   {"u8", 1, Kind::Unsigned},
                                                   {"i16", 2, Kind::Signed},
                                                   {"i32", 4, Kind::Signed},
                                                   {"i64", 8, Kind::Signed},
                                                   {"i1", 1, Kind::Unsigned},
                                                   {"u16", 2, Kind::Unsigned},
                                                   {"u32", 4, Kind::Unsigned},
                                                   {"u64", 8, Kind::Unsigned}}};

/// The row of `type`. A tensor of the caller may have a number that is not an
/// element type. Such a number has the row `unknown`.
const DTypeRow &row(DType type) {
  static constexpr DTypeRow unknown = {"unknown type", 0, Kind::Signed};
  const auto number = static_cast<size_t>(type);
  return number < rows.size() ? rows[number] : unknown;
}

/// The offset of element `index`. It is negative if a stride is negative.
template <typename T> constexpr ptrdiff_t offsetOf(int64_t index) {
  return index * static_cast<ptrdiff_t>(sizeof(T));
}

template <typename T> T loadAs(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + offsetOf<T>(index),
              sizeof(T));
  return value;
}

template <typename T> void storeAs(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + offsetOf<T>(index), &value,
              sizeof(T));
}

/// `value` as a float, rounded to odd: the last bit of an inexact result is
/// set. If the float is then rounded to 16 bits, the result is the same as
/// after a single rounding.
float toFloatOdd(double value) {
  float near = static_cast<float>(value);
  double back = near;
  if (back == value || !std::isfinite(near) || !std::isfinite(value))
    return near;
  uint32_t bits = std::bit_cast<uint32_t>(near);
  if (std::abs(back) > std::abs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}
} // namespace

size_t weir::byteSize(DType type) { return row(type).bytes; }
bool weir::isFloat(DType type) { return row(type).kind == Kind::Float; }
bool weir::isUnsigned(DType type) { return row(type).kind == Kind::Unsigned; }
std::string_view weir::toString(DType type) { return row(type).name; }

std::optional<DType> weir::parseDType(std::string_view name) {
  // In textual IR, unsigned types are written as "ui8".
  const std::string_view mark = name.starts_with("ui") ? "u" : "";
  name.remove_prefix(2 * mark.size());
  for (int i = 0; i < numDTypes; ++i)
    if (rows[i].name.starts_with(mark) &&
        rows[i].name.substr(mark.size()) == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

uint16_t weir::floatToHalf(float value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}
float weir::halfToFloat(uint16_t bits) {
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}

uint16_t weir::floatToBFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

double weir::loadFloat(DType type, const void *data, int64_t index) {
  switch (type) {
  case DType::F32:
    return loadAs<float>(data, index);
  case DType::F16:
    return halfToFloat(loadAs<uint16_t>(data, index));
  case DType::BF16:
    return bfloat16ToFloat(loadAs<uint16_t>(data, index));
  case DType::F64:
    return loadAs<double>(data, index);
  case DType::U64:
    return static_cast<double>(loadAs<uint64_t>(data, index));
  default:
    return static_cast<double>(loadInt(type, data, index));
  }
}

int64_t weir::loadInt(DType type, const void *data, int64_t index) {
  switch (type) {
  case DType::I8:
    return loadAs<int8_t>(data, index);
  case DType::U8:
    return loadAs<uint8_t>(data, index);
  case DType::I16:
    return loadAs<int16_t>(data, index);
  case DType::I32:
    return loadAs<int32_t>(data, index);
  case DType::I64:
    return loadAs<int64_t>(data, index);
  case DType::I1:
    return loadAs<uint8_t>(data, index) != 0;
  case DType::U16:
    return loadAs<uint16_t>(data, index);
  case DType::U32:
    return loadAs<uint32_t>(data, index);
  case DType::U64:
    return loadAs<int64_t>(data, index);
  default:
    return fromDouble<int64_t>(loadFloat(type, data, index));
  }
}

void weir::storeFloat(DType type, void *data, int64_t index, double value) {
  switch (type) {
  case DType::F32:
    return storeAs(data, index, static_cast<float>(value));
  case DType::F16:
    return storeAs(data, index, floatToHalf(toFloatOdd(value)));
  case DType::BF16:
    return storeAs(data, index, floatToBFloat16(toFloatOdd(value)));
  case DType::F64:
    return storeAs(data, index, value);
  case DType::I8:
    return storeAs(data, index, fromDouble<int8_t>(value));
  case DType::U8:
    return storeAs(data, index, fromDouble<uint8_t>(value));
  case DType::I16:
    return storeAs(data, index, fromDouble<int16_t>(value));
  case DType::I32:
    return storeAs(data, index, fromDouble<int32_t>(value));
  case DType::I64:
    return storeAs(data, index, fromDouble<int64_t>(value));
  case DType::I1:
    return storeAs(data, index, static_cast<uint8_t>(value != 0));
  case DType::U16:
    return storeAs(data, index, fromDouble<uint16_t>(value));
  case DType::U32:
    return storeAs(data, index, fromDouble<uint32_t>(value));
  case DType::U64:
    return storeAs(data, index, fromDouble<uint64_t>(value));
  }
}

void weir::storeInt(DType type, void *data, int64_t index, int64_t value) {
  switch (type) {
  case DType::I8:
    return storeAs(data, index, static_cast<int8_t>(value));
  case DType::U8:
    return storeAs(data, index, static_cast<uint8_t>(value));
  case DType::I16:
    return storeAs(data, index, static_cast<int16_t>(value));
  case DType::I32:
    return storeAs(data, index, static_cast<int32_t>(value));
  case DType::I64:
  case DType::U64:
    return storeAs(data, index, value);
  case DType::I1:
    return storeAs(data, index, static_cast<uint8_t>(value != 0));
  case DType::U16:
    return storeAs(data, index, static_cast<uint16_t>(value));
  case DType::U32:
    return storeAs(data, index, static_cast<uint32_t>(value));
  case DType::F32:
    return storeAs(data, index, static_cast<float>(value));
  default:
    return storeFloat(type, data, index, static_cast<double>(value));
  }
}

void weir::storeUnsigned(DType type, void *data, int64_t index,
                         uint64_t value) {
  auto asSigned = static_cast<int64_t>(value);
  if (asSigned >= 0 || !isFloat(type))
    return storeInt(type, data, index, asSigned);
  if (type == DType::F32)
    return storeAs(data, index, static_cast<float>(value));
  storeFloat(type, data, index, static_cast<double>(value));
}
