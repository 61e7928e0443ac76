//===- FillBytes.h - Makes the bytes of random elements ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_FILLBYTES_H
#define WEIR_SUPPORT_FILLBYTES_H

#include "weir/Support/DType.h"
#include "weir/Support/RandomFill.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// Checks that a tensor of `type` can have the elements of `fill`. The type
/// must be a float type. Bounds must be finite and in order. The mean and the
/// deviation must be finite, and the deviation must not be negative.
Status checkFill(const RandomFill &fill, DType type);

/// Writes bytes of a row-major tensor of `type` to `to`, from byte `begin` on.
/// The bytes may begin and end inside of an element.
void fillBytes(const RandomFill &fill, DType type, uint64_t begin,
               std::span<std::byte> to);

} // namespace weir

#endif // WEIR_SUPPORT_FILLBYTES_H
