//===- DataBytes.h - Bytes of a file or in memory ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Data files may change during a training. If a mapped file shrinks, an access
// ends the process. So files are read, and a file that shrinks is an error.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_DATABYTES_H
#define WEIR_SUPPORT_DATABYTES_H

#include "weir/Support/RegularFile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weir {

/// A range of bytes with random access from any thread. Copies share the file
/// or the memory.
class DataBytes {
public:
  /// The bytes of the regular file `path`.
  static StatusOr<DataBytes> open(const std::string &path);
  /// The bytes at `memory`, which `owner` keeps alive.
  static DataBytes inMemory(std::shared_ptr<const void> owner,
                            std::span<const std::byte> memory);

  uint64_t size() const { return length; }
  /// `count` bytes from `offset` on, which must be inside.
  DataBytes part(uint64_t offset, uint64_t count) const;
  /// Fills `to` with the bytes from `offset` on, which must be inside.
  Status read(uint64_t offset, std::span<std::byte> to) const;
  /// The bytes if they are in memory, else null.
  const std::byte *memory() const { return held; }

  /// Reads all bytes, or the first `most`, into memory.
  StatusOr<std::vector<std::byte>> readAll() const;
  StatusOr<std::vector<std::byte>> readFirst(uint64_t most) const;

private:
  std::shared_ptr<const void> owner;
  /// Null if the bytes are in memory.
  std::shared_ptr<const RegularFile> file;
  const std::byte *held = nullptr;
  uint64_t begin = 0, length = 0;
};

} // namespace weir

#endif // WEIR_SUPPORT_DATABYTES_H
