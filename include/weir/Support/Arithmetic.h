//===- Arithmetic.h - Scalar arithmetic without undefined cases -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The arithmetic of scalar expressions and reductions, for T = double,
// int64_t and uint64_t. Integers wrap. NaN wins in a maximum, as in numpy and
// ONNX.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_ARITHMETIC_H
#define WEIR_SUPPORT_ARITHMETIC_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace weir {

/// The type in which values of type T are added and multiplied.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

template <typename T> T wrappingAdd(T left, T right) {
  return static_cast<T>(static_cast<Wrapping<T>>(left) +
                        static_cast<Wrapping<T>>(right));
}
template <typename T> T wrappingSub(T left, T right) {
  return static_cast<T>(static_cast<Wrapping<T>>(left) -
                        static_cast<Wrapping<T>>(right));
}
template <typename T> T wrappingMul(T left, T right) {
  return static_cast<T>(static_cast<Wrapping<T>>(left) *
                        static_cast<Wrapping<T>>(right));
}

/// The larger (or smaller) value. NaN if at least one value is NaN.
template <typename T> T larger(T left, T right) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(left) || std::isnan(right))
      return left + right;
  return std::max(left, right);
}
template <typename T> T smaller(T left, T right) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(left) || std::isnan(right))
      return left + right;
  return std::min(left, right);
}

/// `value` as a T. For integer T it is truncated and clamped, and NaN becomes
/// 0.
template <typename T> T fromDouble(double value) {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(value))
      return 0;
    if (value <= static_cast<double>(Limits::min()))
      return Limits::min();
    if (value >= static_cast<double>(Limits::max()))
      return Limits::max();
  }
  return static_cast<T>(value);
}

} // namespace weir

#endif // WEIR_SUPPORT_ARITHMETIC_H
