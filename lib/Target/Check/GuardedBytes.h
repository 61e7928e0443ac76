//===- GuardedBytes.h - Memory with guards around it ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_GUARDEDBYTES_H
#define WEIR_LIB_TARGET_CHECK_GUARDEDBYTES_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <utility>

namespace weir::kernelcheck {

/// Where the bytes are between two pages without access.
enum class Place {
  /// The bytes begin directly behind the first page.
  Front,
  /// The bytes end as late as their alignment allows. If their size is a
  /// multiple of the alignment, they end directly in front of the second page.
  Back,
  /// The bytes are between guard bytes, and aligned no more than needed.
  Middle,
};

/// Bytes between pages without access, or between guard bytes. So a read or a
/// write beyond the bytes is found.
class GuardedBytes {
public:
  /// Makes bytes of 0xff, which are NaNs in float types. `alignment` is a power
  /// of 2.
  static StatusOr<GuardedBytes> make(size_t size, size_t alignment,
                                     Place place);
  GuardedBytes(GuardedBytes &&other) noexcept;
  GuardedBytes &operator=(GuardedBytes &&other) noexcept;
  ~GuardedBytes();

  std::byte *data() { return memory + begin; }
  const std::byte *data() const { return memory + begin; }
  size_t size() const { return length; }

  /// Makes the bytes read-only.
  Status protect();
  /// Whether the guard bytes are unchanged.
  bool isIntact() const;
  bool contains(const void *address) const;
  /// Whether `address` is one of the bytes or of their guard bytes.
  bool isNear(const void *address) const;

private:
  GuardedBytes() = default;

  /// The pages of the bytes. The pages without access are before and behind
  /// them.
  std::byte *memory = nullptr;
  size_t capacity = 0, begin = 0, length = 0;
};

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_GUARDEDBYTES_H
