//===- SafeTensorsFuzzer.cpp - Reads .safetensors files -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "weir/Support/SafeTensors.h"

using namespace weir;

/// The sum makes the sanitizer look at all bytes that tensors claim.
static unsigned readTensors(const SafeTensors &file) {
  unsigned sum = 0;
  for (const auto &[name, entry] : file.entries())
    if (const StatusOr<NamedTensor> tensor = file.tensor(name))
      for (std::byte byte : tensor->bytes)
        sum += std::to_integer<unsigned>(byte);
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (const auto file = SafeTensors::fromBytes(asBytes(data, size))) {
    volatile unsigned sum = readTensors(*file);
    (void)sum;
  }
  return 0;
}
