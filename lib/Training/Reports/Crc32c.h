//===- Crc32c.h - The checksum of records of TensorFlow ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_CRC32C_H
#define WEIR_LIB_TRAINING_REPORTS_CRC32C_H

#include <cstdint>
#include <string_view>

namespace weir {

/// The CRC of RFC 3720 (iSCSI), with the polynomial of Castagnoli.
uint32_t crc32c(std::string_view bytes);

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_CRC32C_H
