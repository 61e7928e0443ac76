//===- ElementTags.h - Element types as C++ types ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_ELEMENTTAGS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_ELEMENTTAGS_H

#include "weir/Support/DType.h"

#include <cstdint>
#include <type_traits>

namespace weir::cpu {

/// A tag per element type. `Stored` is the type in memory. `Value` is the type
/// that `load` returns for arithmetic: floats of 16 bits are computed as f32.
template <typename T> struct Plain {
  using Stored = T;
  using Value = T;
  static T load(T value) { return value; }
};
struct Half {
  using Stored = uint16_t;
  using Value = float;
  static float load(uint16_t bits) { return halfToFloat(bits); }
  static uint16_t store(float value) { return floatToHalf(value); }
};
struct BFloat16 {
  using Stored = uint16_t;
  using Value = float;
  static float load(uint16_t bits) { return bfloat16ToFloat(bits); }
  static uint16_t store(float value) { return floatToBFloat16(value); }
};
struct Truth {
  using Stored = uint8_t;
  using Value = uint8_t;
  static uint8_t load(uint8_t value) { return value != 0; }
};

/// Whether elements in memory are values, so that no `load` has to convert
/// them.
template <typename Element>
inline constexpr bool holdsValues =
    std::is_same_v<Element, Plain<typename Element::Stored>>;

/// The result of `visit` for the tag of `type`. `visit` must return the same
/// type for all tags.
template <typename Visit> auto visitElement(DType type, Visit visit) {
  switch (type) {
  case DType::F32:
    return visit(Plain<float>());
  case DType::F16:
    return visit(Half());
  case DType::BF16:
    return visit(BFloat16());
  case DType::F64:
    return visit(Plain<double>());
  case DType::I8:
    return visit(Plain<int8_t>());
  case DType::U8:
    return visit(Plain<uint8_t>());
  case DType::I16:
    return visit(Plain<int16_t>());
  case DType::I32:
    return visit(Plain<int32_t>());
  case DType::I64:
    return visit(Plain<int64_t>());
  case DType::U16:
    return visit(Plain<uint16_t>());
  case DType::U32:
    return visit(Plain<uint32_t>());
  case DType::U64:
    return visit(Plain<uint64_t>());
  case DType::I1:
    break;
  }
  return visit(Truth());
}

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_ELEMENTTAGS_H
