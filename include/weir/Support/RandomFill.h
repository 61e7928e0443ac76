//===- RandomFill.h - Random elements of a tensor ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_RANDOMFILL_H
#define WEIR_SUPPORT_RANDOMFILL_H

#include <cstdint>
#include <variant>

namespace weir {

/// Random elements, uniform from `low` to `high`. Element i is `low + (high -
/// low) * u` in double precision, rounded to the tensor's type. Here u is
/// number i of the splitmix64 generator with the seed, counted from 0: its
/// upper 53 bits, divided by 2^53. So each part can be made separately, with
/// the same bits on every machine.
struct UniformFill {
  uint64_t seed = 0;
  double low = 0;
  double high = 1;

  bool operator==(const UniformFill &) const = default;
};

/// Random elements of a normal distribution. Element i is `mean + scale * z` in
/// double precision, rounded to the tensor's type. Here z is the quantile of a
/// number of UniformFill's kind, which lies halfway between u and the next one
/// (Wichura, 1988: Algorithm AS 241). It is computed only by additions,
/// multiplications, divisions and roots, whose rounding IEEE 754 determines.
struct NormalFill {
  uint64_t seed = 0;
  double mean = 0;
  double scale = 1;

  bool operator==(const NormalFill &) const = default;
};

using RandomFill = std::variant<UniformFill, NormalFill>;

} // namespace weir

#endif // WEIR_SUPPORT_RANDOMFILL_H
