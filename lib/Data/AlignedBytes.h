//===- AlignedBytes.h - Memory that grows and is used again -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_ALIGNEDBYTES_H
#define WEIR_LIB_DATA_ALIGNEDBYTES_H

#include "weir/Support/Alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace weir {

/// Bytes without initial values. Their address is a multiple of 64.
class AlignedBytes {
public:
  /// Returns at least `size` uninitialised bytes, or null if there is no memory
  /// for them.
  std::byte *reserve(size_t size) {
    if (bytes && size <= capacity)
      return bytes.get();
    const size_t rounded = std::max(alignTo(size, alignment), alignment);
    bytes.reset(
        static_cast<std::byte *>(std::aligned_alloc(alignment, rounded)));
    capacity = bytes ? rounded : 0;
    return bytes.get();
  }

  /// The bytes that the last `reserve` returned.
  std::byte *data() { return bytes.get(); }

private:
  static constexpr size_t alignment = 64;
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> bytes;
  size_t capacity = 0;
};

} // namespace weir

#endif // WEIR_LIB_DATA_ALIGNEDBYTES_H
