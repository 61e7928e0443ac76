//===- Inflate.cpp - Bytes that zlib has compressed -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

using namespace weir;

namespace {
/// A stream of zlib. The destructor frees it.
class Inflater {
public:
  Inflater(int windowBits, std::span<const std::byte> input) : input(input) {
    isOpen = inflateInit2(&stream, windowBits) == Z_OK;
  }
  ~Inflater() {
    if (isOpen)
      inflateEnd(&stream);
  }
  Inflater(const Inflater &) = delete;
  Inflater &operator=(const Inflater &) = delete;

  /// Writes to `to` from position `filled` on, and adds the number of written
  /// bytes to `filled`. Returns zlib's code. It is Z_OK if `to` is full.
  int fill(std::span<std::byte> to, size_t &filled) {
    int code = isOpen ? Z_OK : Z_MEM_ERROR;
    while (code == Z_OK && filled < to.size()) {
      const uInt offered = give(to.size() - filled);
      stream.next_out = reinterpret_cast<Bytef *>(to.data() + filled);
      stream.avail_out = offered;
      code = step();
      filled += offered - stream.avail_out;
    }
    return code;
  }

  /// Goes to the next part of a gzip file. Returns false if there is none.
  bool startNextPart() { return left() > 0 && inflateReset(&stream) == Z_OK; }
  size_t left() const { return input.size() - used; }
  size_t position() const { return used; }

private:
  static uInt give(size_t bytes) {
    return static_cast<uInt>(
        std::min<size_t>(bytes, std::numeric_limits<uInt>::max()));
  }
  int step() {
    const uInt offered = give(left());
    // The cast is safe, because zlib does not write to its input.
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<std::byte *>(input.data() + used));
    stream.avail_in = offered;
    const int code = inflate(&stream, Z_NO_FLUSH);
    used += offered - stream.avail_in;
    return code;
  }

  std::span<const std::byte> input;
  size_t used = 0;
  z_stream stream = {};
  bool isOpen = false;
};

constexpr int maxWindow = 15;
constexpr int gzipWindow = maxWindow + 16;
constexpr int rawWindow = -maxWindow;

Status failure(int code, const Inflater &inflater) {
  if (code == Z_MEM_ERROR)
    return Status::outOfMemory();
  if (code == Z_BUF_ERROR)
    return dataLoss(fmt::format("the compressed data is cut off after {} bytes",
                                inflater.position()));
  return dataLoss(fmt::format("the compressed data is damaged at its byte {}",
                              inflater.position()));
}
} // namespace

/// The result of `inflate`, or an error if there is not enough memory.
template <typename Function>
static StatusOr<SharedBytes> withMemory(Function inflate) {
  try {
    return inflate();
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  }
}

/// Says whether content behind the requested bytes is an error.
enum class Rest { Refuse, Leave };

static StatusOr<SharedBytes> inflateParts(std::span<const std::byte> file,
                                          uint64_t most, Rest rest) {
  Inflater inflater(gzipWindow, file);
  std::vector<std::byte> bytes;
  size_t filled = 0;
  int code = Z_OK;
  do {
    // There is room for one byte more than allowed, to notice content that is
    // too long.
    if (filled == bytes.size())
      bytes.resize(std::min<uint64_t>(
          std::max<uint64_t>({file.size() * 4, filled * 2, 4096}), most + 1));
    code = inflater.fill(bytes, filled);
    if (code != Z_OK && code != Z_STREAM_END)
      return failure(code, inflater);
    if (filled > most && rest == Rest::Refuse)
      return dataLoss(fmt::format(
          "it has more than the {} bytes that its header announces", most));
  } while (filled <= most && (code == Z_OK || inflater.startNextPart()));
  bytes.resize(std::min<uint64_t>(filled, most));
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

static StatusOr<SharedBytes> inflateBeginning(std::span<const std::byte> packed,
                                              uint64_t most) {
  Inflater inflater(rawWindow, packed);
  std::vector<std::byte> bytes(most);
  size_t filled = 0;
  const int code = inflater.fill(bytes, filled);
  if (code != Z_OK && code != Z_STREAM_END)
    return failure(code, inflater);
  bytes.resize(filled);
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

static StatusOr<SharedBytes> inflateSized(std::span<const std::byte> deflated,
                                          uint64_t size) {
  if (size / maxInflateRatio > deflated.size())
    return dataLoss(fmt::format(
        "{} compressed bytes cannot hold the {} bytes that are announced",
        deflated.size(), size));
  Inflater inflater(rawWindow, deflated);
  // There is room for one byte more than expected, to notice content that is
  // too long.
  std::vector<std::byte> bytes(size + 1);
  size_t filled = 0;
  const int code = inflater.fill(bytes, filled);
  if (code != Z_STREAM_END && code != Z_OK)
    return failure(code, inflater);
  if (filled != size || inflater.left() > 0)
    return dataLoss(fmt::format("expected {} bytes in {} compressed ones, "
                                "found {} in {}",
                                size, deflated.size(),
                                filled > size ? "more" : std::to_string(filled),
                                inflater.position()));
  bytes.resize(size);
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

StatusOr<SharedBytes> weir::inflateGzip(std::span<const std::byte> file,
                                        uint64_t most) {
  return withMemory([&] { return inflateParts(file, most, Rest::Refuse); });
}

StatusOr<SharedBytes>
weir::inflateGzipBeginning(std::span<const std::byte> file, uint64_t most) {
  return withMemory([&] { return inflateParts(file, most, Rest::Leave); });
}

StatusOr<SharedBytes> weir::inflateMember(std::span<const std::byte> deflated,
                                          uint64_t size) {
  return withMemory([&] { return inflateSized(deflated, size); });
}

StatusOr<SharedBytes>
weir::inflateMemberBeginning(std::span<const std::byte> deflated,
                             uint64_t most) {
  return withMemory([&] { return inflateBeginning(deflated, most); });
}

StatusOr<uint32_t> weir::crc32Of(std::span<const std::byte> bytes,
                                 uint32_t before) {
  return static_cast<uint32_t>(crc32_z(
      before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}
