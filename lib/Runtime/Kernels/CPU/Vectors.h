//===- Vectors.h - Registers of floats, from f32 and bf16 -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// These parts are inlined into functions that are compiled for one instruction
// set each. If a CPU has no registers of a vector's size, the vector takes
// several registers. Vectors are passed by reference, since the way to return a
// vector depends on the instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_VECTORS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_VECTORS_H

#include <cstdint>
#include <cstring>

namespace weir::cpu {

template <int64_t Lanes>
using Floats [[gnu::vector_size(Lanes * sizeof(float))]] = float;
template <int64_t Lanes>
using Words [[gnu::vector_size(Lanes * sizeof(uint32_t))]] = uint32_t;
template <int64_t Lanes>
using Halves [[gnu::vector_size(Lanes * sizeof(uint16_t))]] = uint16_t;

/// Begins a function that is inlined into its callers, which determine the
/// instruction set.
#define WEIR_VECTOR_PART [[gnu::always_inline]] inline

/// The bits of `from` as `To`, which has the same size.
template <typename To, typename From>
WEIR_VECTOR_PART void copyBits(To &to, const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&to, &from, sizeof(To));
}

/// Loads elements of f32.
template <typename Vector>
WEIR_VECTOR_PART void load(Vector &value, const float *from) {
  std::memcpy(&value, from, sizeof(Vector));
}

template <typename Vector>
WEIR_VECTOR_PART void store(const Vector &value, float *to) {
  std::memcpy(to, &value, sizeof(Vector));
}

/// Loads elements of bf16, as many as `value` has elements of f32.
template <typename Vector>
WEIR_VECTOR_PART void load(Vector &value, const uint16_t *from) {
  constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
  Halves<lanes> halves;
  std::memcpy(&halves, from, sizeof(halves));
  copyBits(value, __builtin_convertvector(halves, Words<lanes>) << 16);
}

/// Stores `value` as bf16. Rounds to the nearest bf16, ties to even, as
/// `floatToBFloat16` does.
template <typename Vector>
WEIR_VECTOR_PART void store(const Vector &value, uint16_t *to) {
  constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
  Words<lanes> bits;
  copyBits(bits, value);
  const Words<lanes> upper = bits >> 16;
  const Words<lanes> rounded = (bits + 0x7fff + (upper & 1)) >> 16;
  const Words<lanes> kept = value != value ? upper | 0x40 : rounded;
  const auto halves = __builtin_convertvector(kept, Halves<lanes>);
  std::memcpy(to, &halves, sizeof(halves));
}

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_VECTORS_H
