//===- Alignment.h - Rounds sizes and addresses up -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_ALIGNMENT_H
#define WEIR_SUPPORT_ALIGNMENT_H

#include <cstdint>

namespace weir {

/// `value` rounded up to a multiple of `alignment`, a power of two.
constexpr uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

} // namespace weir

#endif // WEIR_SUPPORT_ALIGNMENT_H
