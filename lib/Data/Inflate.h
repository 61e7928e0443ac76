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

/// No byte of deflated data stands for more bytes.
constexpr uint64_t maxInflateRatio = 1032;

using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

/// The content of the gzip file `file`, which may have at most `most` bytes.
/// All parts of it are checked.
StatusOr<SharedBytes> inflateGzip(std::span<const std::byte> file,
                                  uint64_t most);
/// The first `most` bytes of the content, or all if it has fewer.
StatusOr<SharedBytes> inflateGzipBeginning(std::span<const std::byte> file,
                                           uint64_t most);

/// The `size` bytes that the deflated bytes of a zip member hold.
StatusOr<SharedBytes> inflateMember(std::span<const std::byte> deflated,
                                    uint64_t size);
/// The first `most` of them.
StatusOr<SharedBytes>
inflateMemberBeginning(std::span<const std::byte> deflated, uint64_t most);

/// The CRC-32 of `bytes`, as zip files have it, behind bytes whose CRC is
/// `before`.
StatusOr<uint32_t> crc32Of(std::span<const std::byte> bytes,
                           uint32_t before = 0);

} // namespace weir

#endif // WEIR_LIB_DATA_INFLATE_H
