//===- Crc32c.cpp - The checksum of records of TensorFlow -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Crc32c.h"

#include <array>

/// The remainder of each byte, divided by the polynomial.
static constexpr std::array<uint32_t, 256> remainders = [] {
  // The polynomial 0x1edc6f41 with its bits reversed.
  constexpr uint32_t polynomial = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
  }
  return table;
}();

uint32_t weir::crc32c(std::string_view bytes) {
  uint32_t crc = ~uint32_t(0);
  for (char byte : bytes)
    crc = crc >> 8 ^ remainders[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  return ~crc;
}
