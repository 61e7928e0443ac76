//===- DType.h - Element types of tensors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DTYPE_H
#define WEIR_SUPPORT_DTYPE_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

/// The element types of tensors. Their numbers are part of the artifact format
/// and never change.
enum class DType : uint8_t {
  F32 = 0,
  F16 = 1,
  BF16 = 2,
  F64 = 3,
  I8 = 4,
  U8 = 5,
  I16 = 6,
  I32 = 7,
  I64 = 8,
  /// A boolean, stored as one byte, 0 or 1.
  I1 = 9,
  U16 = 10,
  U32 = 11,
  U64 = 12,
};
inline constexpr int numDTypes = 13;

/// Bytes of one element.
size_t byteSize(DType type);
bool isFloat(DType type);
/// Whether the elements are unsigned integers or truth values.
bool isUnsigned(DType type);
/// The name in text and reports: "f32", "bf16", "u8", ... A number that is no
/// type is an "unknown type", whose size is 0 bytes.
std::string_view toString(DType type);
std::optional<DType> parseDType(std::string_view name);

/// Conversions between single elements and their storage. Constant folding,
/// reference kernels and file formats use them. Rounding is to nearest even.
uint16_t floatToHalf(float value);
float halfToFloat(uint16_t bits);
uint16_t floatToBFloat16(float value);
inline float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

/// Element `index` of the array `data` of type `type`, as double or int64_t.
/// `loadInt` truncates a float. A u64 from 2^63 on does not fit, so `loadInt`
/// returns the negative number that has the same bits. `storeInt`,
/// `storeUnsigned` and `storeFloat` convert as C++ does.
double loadFloat(DType type, const void *data, int64_t index);
int64_t loadInt(DType type, const void *data, int64_t index);
void storeFloat(DType type, void *data, int64_t index, double value);
void storeInt(DType type, void *data, int64_t index, int64_t value);
void storeUnsigned(DType type, void *data, int64_t index, uint64_t value);

} // namespace weir

#endif // WEIR_SUPPORT_DTYPE_H
