//===- ZipFile.h - The members of a zip archive -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_ZIPFILE_H
#define WEIR_SUPPORT_ZIPFILE_H

#include "weir/Support/DataBytes.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir {

struct ZipMember {
  std::string name;
  /// The bytes as they are in the archive.
  DataBytes stored;
  bool isDeflated = false;
  /// What they are when inflated.
  uint64_t size = 0;
  uint32_t crc = 0;
};

/// The members that the directory of the archive `file` lists, in its order.
/// Nothing is inflated or checked against its CRC. Archives beyond 4 GB (Zip64)
/// are read, encrypted ones and those in several files are not.
StatusOr<std::vector<ZipMember>> parseZip(const DataBytes &file);

} // namespace weir

#endif // WEIR_SUPPORT_ZIPFILE_H
