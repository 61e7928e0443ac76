//===- Inflate.h - Bytes that zlib has compressed ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_INFLATE_H
#define WEIR_LIB_DATA_INFLATE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir {

using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

/// The content of the gzip file `file`. All parts of it are checked.
StatusOr<SharedBytes> inflateGzip(std::span<const std::byte> file);

/// The `size` bytes that the deflated bytes of a zip member hold.
StatusOr<SharedBytes> inflateMember(std::span<const std::byte> deflated,
                                    uint64_t size);

/// The CRC-32 of `bytes`, as zip files have it.
StatusOr<uint32_t> crc32Of(std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_LIB_DATA_INFLATE_H
