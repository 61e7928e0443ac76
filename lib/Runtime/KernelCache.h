//===- KernelCache.h - Prepared kernels and packed operands -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELCACHE_H
#define WEIR_LIB_RUNTIME_KERNELCACHE_H

#include "CodeObjects.h"

#include "weir/Artifact/Schema.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Kernel.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace weir {

/// Operands that kernels have packed, shared by the devices that pack alike.
/// Small ones lie side by side, so that huge pages hold them too.
class PackedOperands {
public:
  /// Operand `source` packed for `device` under `key`; `pack` fills it the
  /// first time.
  StatusOr<const void *> get(Device &device, const void *source,
                             std::string_view key, size_t bytes,
                             const std::function<Status(void *)> &pack);
  /// The bytes packed first for `device`.
  uint64_t bytesOf(const Device &device) const;

private:
  /// Who shares it, what was packed, and how.
  using Key = std::tuple<std::string, const void *, std::string>;
  struct Place {
    std::byte *data = nullptr;
    size_t bytes = 0;
  };
  /// Memory of one owner that is given out from the front.
  struct Pool {
    std::byte *next = nullptr;
    size_t left = 0;
  };
  StatusOr<std::byte *> reserve(Device &device, const std::string &owner,
                                size_t bytes);

  std::map<Key, Place> packed;
  std::map<std::string, Pool> pools;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::map<const Device *, uint64_t> bytesByDevice;
};

/// The kernels of an entry, each prepared once per device and set of constant
/// operands.
class KernelCache {
public:
  /// `artifact` is there while kernels are prepared.
  KernelCache(const artifact::Entry &entry, const artifact::Artifact &artifact);

  /// What kernel `index` of the entry is prepared from. The address is stable.
  const KernelSpec &spec(uint32_t index) const { return specs[index]; }

  /// Gives memory of parameters back, as `PrepareContext::releaseConstant`
  /// says.
  using ReleaseFn = std::function<void(std::span<const std::byte>)>;

  /// Kernel `index` for `device`, where `constants` holds the address of each
  /// operand that never changes and null for the others.
  StatusOr<Kernel *> get(Device &device, uint32_t index,
                         std::vector<const void *> constants,
                         const ReleaseFn &release);

  uint64_t numKernels(const Device &device) const;
  uint64_t packedBytes(const Device &device) const {
    return operands.bytesOf(device);
  }

private:
  using Key = std::tuple<const Device *, uint32_t, std::vector<const void *>>;

  std::deque<KernelSpec> specs;
  /// For each spec the first that is equal to it.
  std::vector<uint32_t> firstEqual;
  PackedOperands operands;
  /// The kernels call into it.
  CodeObjects code;
  std::map<Key, std::unique_ptr<Kernel>> kernels;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_KERNELCACHE_H
