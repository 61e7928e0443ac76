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

/// Ok, or why no tensor of `type` can have such elements: the type is no float,
/// the bounds are not finite numbers in their order, or the mean and the
/// deviation are not finite, the latter from 0 on.
Status checkFill(const RandomFill &fill, DType type);

/// Writes the bytes from `begin` on of a row-major tensor of `type`, which may
/// begin and end inside of an element.
void fillBytes(const RandomFill &fill, DType type, uint64_t begin,
               std::span<std::byte> to);

} // namespace weir

#endif // WEIR_SUPPORT_FILLBYTES_H
