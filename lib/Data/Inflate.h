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

/// The most bytes that one byte of deflated data can become.
constexpr uint64_t maxInflateRatio = 1032;

using SharedBytes = std::shared_ptr<const std::vector<std::byte>>;

/// The content of the gzip file `file`. It may have at most `most` bytes. All
/// parts of the file are checked.
StatusOr<SharedBytes> inflateGzip(std::span<const std::byte> file,
                                  uint64_t most);
/// The first `most` bytes of the content of a gzip file, or the whole content
/// if it is shorter.
StatusOr<SharedBytes> inflateGzipBeginning(std::span<const std::byte> file,
                                           uint64_t most);

/// The content of a zip member, from its deflated bytes. It must have `size`
/// bytes.
StatusOr<SharedBytes> inflateMember(std::span<const std::byte> deflated,
                                    uint64_t size);
/// The first `most` bytes of the content of a zip member.
StatusOr<SharedBytes>
inflateMemberBeginning(std::span<const std::byte> deflated, uint64_t most);

/// Continues a CRC-32, which is the checksum of zip files. `before` is the
/// CRC-32 of the bytes in front of `bytes`.
StatusOr<uint32_t> crc32Of(std::span<const std::byte> bytes,
                           uint32_t before = 0);

} // namespace weir

#endif // WEIR_LIB_DATA_INFLATE_H
