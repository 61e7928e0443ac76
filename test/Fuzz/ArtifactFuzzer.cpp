//===- ArtifactFuzzer.cpp - Reads and shows artifacts -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Dump.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/ContentHash.h"

#include <cstring>
#include <vector>

using namespace weir;
using namespace weir::artifact;

/// A copy with the checksum that fits, so that the fuzzer gets past it.
static std::vector<std::byte> withChecksum(std::span<const std::byte> file) {
  std::vector<std::byte> copy(file.begin(), file.end());
  if (copy.size() < sizeof(FileHeader))
    return copy;
  Checksum checksum;
  checksum.update(std::span(copy).subspan(checksumBegin));
  const uint64_t value = checksum.value();
  std::memcpy(copy.data() + offsetof(FileHeader, checksum), &value,
              sizeof(value));
  return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto artifact = Artifact::fromBytes(withChecksum(asBytes(data, size)));
  if (artifact) {
    (void)dumpText(*artifact);
    (void)dumpJson(*artifact);
  }
  return 0;
}
