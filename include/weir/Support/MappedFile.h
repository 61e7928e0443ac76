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
/// read to its end, or a copy. The bytes stay where they are when the object
/// is moved. A file that another process shortens while it is mapped ends this
/// process, as with any mapping.
class MappedFile {
public:
  /// Maps the regular file `path`; "-" reads standard input.
  static StatusOr<MappedFile> open(const std::string &path);
  static StatusOr<MappedFile> copyOf(std::span<const std::byte> bytes);

  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data, size}; }

  /// Gives the memory of `part` back to the system, where it can be had again
  /// from the file: bytes that are read later are as they were. A part that is
  /// not of this file is left alone.
  void release(std::span<const std::byte> part) const;

private:
  MappedFile(std::byte *data, size_t size, size_t mapped, bool isFile = false)
      : data(data), size(size), mapped(mapped), isFile(isFile) {}
  static StatusOr<MappedFile> readStandardInput();
  Status grow();

  std::byte *data = nullptr;
  size_t size = 0;
  size_t mapped = 0;
  bool isFile = false;
};

} // namespace weir

#endif // WEIR_SUPPORT_MAPPEDFILE_H
