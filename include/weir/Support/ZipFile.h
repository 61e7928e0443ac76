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
  /// The bytes in the archive, which may be deflated.
  DataBytes stored;
  bool isDeflated = false;
  /// The size and the CRC of the inflated bytes.
  uint64_t size = 0;
  uint32_t crc = 0;
};

/// The members that the directory of the archive `file` lists, in its order.
/// Nothing is inflated or checked against its CRC. Archives of more than 4 GB
/// (Zip64) are supported. Encrypted archives and archives in several files are
/// not.
StatusOr<std::vector<ZipMember>> parseZip(const DataBytes &file);

} // namespace weir

#endif // WEIR_SUPPORT_ZIPFILE_H
