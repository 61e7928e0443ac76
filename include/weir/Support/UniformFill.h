//===- UniformFill.h - Random elements of a tensor --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_UNIFORMFILL_H
#define WEIR_SUPPORT_UNIFORMFILL_H

#include <cstdint>

namespace weir {

/// Random elements, uniform from `low` to `high`. Element i is
/// `low + (high - low) * u` in double precision, rounded to the tensor's type.
/// Here u is number i of the splitmix64 generator with the seed, counted from
/// 0: its upper 53 bits, divided by 2^53. So all parts can be made on their
/// own, and have the same bits on every machine.
struct UniformFill {
  uint64_t seed = 0;
  double low = 0;
  double high = 1;

  bool operator==(const UniformFill &) const = default;
};

} // namespace weir

#endif // WEIR_SUPPORT_UNIFORMFILL_H
