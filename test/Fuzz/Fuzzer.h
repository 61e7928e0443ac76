//===- Fuzzer.h - What a fuzzer is called with -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_FUZZ_FUZZER_H
#define WEIR_TEST_FUZZ_FUZZER_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Called by libFuzzer with one input after another. Each is read or refused;
/// anything else ends the process. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace weir {

inline std::span<const std::byte> asBytes(const uint8_t *data, size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace weir

#endif // WEIR_TEST_FUZZ_FUZZER_H
