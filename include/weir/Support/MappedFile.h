//===- MappedFile.h - A file's bytes in memory -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_MAPPEDFILE_H
#define WEIR_SUPPORT_MAPPEDFILE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

/// Read-only bytes at a page-aligned address: a mapped file, standard input
/// read to its end, or a copy. A move of the object does not change the
/// address. If another process truncates a mapped file, accesses end this
/// process, as with any mapping. So files that may change are read instead.
class MappedFile {
public:
  /// Maps the regular file `path`; "-" reads standard input.
  static StatusOr<MappedFile> open(const std::string &path);
  /// Reads all of the regular file `path`; "-" reads standard input.
  static StatusOr<MappedFile> read(const std::string &path);
  static StatusOr<MappedFile> copyOf(std::span<const std::byte> bytes);
  /// `bytes` bytes of zeros. They take no memory before they are written.
  static StatusOr<MappedFile> zeros(size_t bytes);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data, size}; }
  /// The bytes of the result of `zeros`, which may be written.
  std::span<std::byte> writable() { return {data, size}; }

private:
  MappedFile(std::byte *data, size_t size, size_t mapped)
      : data(data), size(size), mapped(mapped) {}
  static StatusOr<MappedFile> readStandardInput();
  Status grow();

  std::byte *data = nullptr;
  size_t size = 0;
  size_t mapped = 0;
};

} // namespace weir

#endif // WEIR_SUPPORT_MAPPEDFILE_H
