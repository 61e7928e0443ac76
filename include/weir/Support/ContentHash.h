//===- ContentHash.h - Hashes that identify contents -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_CONTENTHASH_H
#define WEIR_SUPPORT_CONTENTHASH_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace weir {

/// XXH3-128 of `bytes` as 32 hexadecimal digits, as `xxh128sum` prints it. It
/// distinguishes files, but does not protect against an adversary.
std::string contentHash(std::span<const std::byte> bytes);
/// The same hash of the contents of the file `path`.
StatusOr<std::string> fileContentHash(const std::string &path);

/// XXH3-64 of bytes that arrive in pieces.
class Checksum {
public:
  Checksum();
  ~Checksum();
  void update(std::span<const std::byte> bytes);
  uint64_t value() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace weir

#endif // WEIR_SUPPORT_CONTENTHASH_H
