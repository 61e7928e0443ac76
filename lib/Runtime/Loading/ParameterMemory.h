//===- ParameterMemory.h - Parameters in the host's memory ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most parameters are only read to be packed, and then are never needed again.
// So each has an address from the beginning, but gets memory there only if runs
// read it in place. Those that are packed are read part by part to memory that
// is used again, so that a part is packed while it is in the cache.
//
// Nothing stays mapped: a file that changes cannot change what runs read.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H
#define WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H

#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Kernel.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weir {

/// The bytes of an artifact's parameters. Used by one thread at a time.
class ParameterMemory {
public:
  /// `artifact` must exist while parameters are read. Unless `mayRead`, none is
  /// read, and there are addresses alone.
  static StatusOr<std::unique_ptr<ParameterMemory>>
  create(const artifact::Artifact &artifact, bool mayRead);
  ~ParameterMemory();
  ParameterMemory(const ParameterMemory &) = delete;
  ParameterMemory &operator=(const ParameterMemory &) = delete;

  /// The address of blob `index`, 256-byte aligned.
  std::byte *address(uint32_t index) const;
  /// Whether `address` is in a blob.
  bool contains(const void *address) const {
    return address >= base && address < base + reservedBytes;
  }

  /// Lets `use` read the bytes from `address` on, and compares the whole blob
  /// with its hash then. Does nothing if no parameter is read.
  Status read(const void *address,
              const std::function<Status(ConstantReader &)> &use);

  /// Calls `visit` with the parts of blob `index`, in order.
  Status visit(uint32_t index,
               const artifact::Artifact::BlobVisitor &visit) const;

  /// Reads blob `index` to its address, because runs read it there.
  Status readInPlace(uint32_t index);
  /// Nothing is staged any more.
  void freeStaging();

private:
  class StagedReader;
  ParameterMemory(const artifact::Artifact &artifact, bool mayRead);
  std::optional<uint32_t> blobAt(const void *address) const;
  Status growStaging(uint64_t bytes);

  const artifact::Artifact &artifact;
  const bool mayRead;
  /// Addresses without memory, for the blobs as they are in the file.
  std::byte *base = nullptr;
  uint64_t reservedBytes = 0;
  uint64_t firstOffset = 0;
  /// The blobs with bytes, by their offsets.
  std::vector<std::pair<uint64_t, uint32_t>> byOffset;
  void *stagingMapping = nullptr;
  uint64_t stagingMapped = 0;
  std::byte *staging = nullptr;
  uint64_t stagingBytes = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H
