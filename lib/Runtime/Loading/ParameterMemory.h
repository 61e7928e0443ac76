//===- ParameterMemory.h - Parameters in the host's memory ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most parameters are only read to be packed, and then are never needed again.
// So each parameter has an address from the beginning, but gets memory at this
// address only if runs read the parameter in place. Parameters that are packed
// are read part by part, always to the same memory. So a part is packed while
// it is in the cache.
//
// The file is never mapped, so no change of it changes what runs read.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H
#define WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H

#include "SharedWeights.h"

#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Kernel.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weir {

/// The bytes of an artifact's parameters. Only one thread at a time may use it.
class ParameterMemory {
public:
  /// `artifact` must exist while parameters are read. Without `mayRead`, no
  /// parameter is read, and parameters have addresses only. Parameters that
  /// runs read in place are shared with other models through `weights`, unless
  /// that is null.
  static StatusOr<std::unique_ptr<ParameterMemory>>
  create(const artifact::Artifact &artifact, bool mayRead,
         SharedWeights *weights);
  ~ParameterMemory();
  ParameterMemory(const ParameterMemory &) = delete;
  ParameterMemory &operator=(const ParameterMemory &) = delete;

  /// The address of blob `index`, 256-byte aligned.
  std::byte *address(uint32_t index) const;
  /// The content of the operand at `address`, if the operand is in a blob.
  std::optional<WeightContent> contentAt(const void *address) const;

  /// Lets `use` read the bytes from `address` on. After that, compares the
  /// whole blob with its hash. Does nothing if no parameter is read.
  Status read(const void *address,
              const std::function<Status(ConstantReader &)> &use);

  /// Calls `visit` with the parts of blob `index`, in order.
  Status visit(uint32_t index,
               const artifact::Artifact::BlobVisitor &visit) const;

  /// Reads blob `index` to its address, because runs read it in place.
  Status readInPlace(uint32_t index);
  /// Whether this model counts blob `index`, which was read in place. If not,
  /// another model counts it.
  bool isCounted(uint32_t index) const { return inPlace.at(index).isCounted(); }
  /// Ends the reading of parameters, and frees the memory for it.
  void finish();

private:
  class StagedReader;
  ParameterMemory(const artifact::Artifact &artifact, bool mayRead,
                  SharedWeights *weights);
  Status reserveAddresses(const std::vector<uint32_t> &blobs);
  void findShared(uint32_t index);
  uint64_t bytesOf(uint32_t index) const;
  WeightContent contentOf(uint32_t index) const;
  bool isInFile(uint32_t index, const std::byte *bytes) const;
  std::optional<uint32_t> blobAt(const void *address) const;
  std::shared_ptr<SharedWeight> makeWeight(uint32_t index) const;
  void freeStaging();
  Status growStaging(uint64_t bytes);

  const artifact::Artifact &artifact;
  const bool mayRead;
  SharedWeights *const weights;
  /// Reserved addresses without memory. Blobs have the same distances as in the
  /// file, and the first one is at `firstOffset` there.
  std::shared_ptr<std::byte> base;
  uint64_t firstOffset = 0;
  /// Blobs that another model has read in place.
  std::map<uint32_t, std::shared_ptr<SharedWeight>> shared;
  /// The blobs with bytes, by their addresses.
  std::vector<std::pair<const std::byte *, uint32_t>> byAddress;
  /// The blobs that runs read in place.
  std::map<uint32_t, WeightUse> inPlace;
  void *stagingMapping = nullptr;
  uint64_t stagingMapped = 0;
  std::byte *staging = nullptr;
  uint64_t stagingBytes = 0;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PARAMETERMEMORY_H
