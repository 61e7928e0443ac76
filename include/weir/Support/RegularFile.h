//===- RegularFile.h - An open file that is read anywhere -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_REGULARFILE_H
#define WEIR_SUPPORT_REGULARFILE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weir {

/// A regular file that is open for reading. If another process writes to it or
/// truncates it, a read returns other bytes or an error, but does no other
/// harm.
class RegularFile {
public:
  static StatusOr<RegularFile> open(const std::string &path);

  RegularFile(RegularFile &&other) noexcept;
  RegularFile &operator=(RegularFile &&other) noexcept;
  ~RegularFile();

  int descriptor() const { return file; }
  /// The size of the file in bytes when it was opened.
  uint64_t size() const { return length; }
  /// Fills `to` with the bytes from `offset` on. Thread-safe.
  Status read(uint64_t offset, std::span<std::byte> to) const;

private:
  RegularFile(int file, uint64_t length) : file(file), length(length) {}

  int file = -1;
  uint64_t length = 0;
};

/// All bytes of the regular file `path`.
StatusOr<std::string> readRegularFile(const std::string &path);

} // namespace weir

#endif // WEIR_SUPPORT_REGULARFILE_H
