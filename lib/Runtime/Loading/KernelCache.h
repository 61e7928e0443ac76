//===- KernelCache.h - Prepared kernels and packed operands -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H
#define WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H

#include "../Code/CodeObjects.h"
#include "ParameterMemory.h"

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

/// What `kernel` of a checked artifact is prepared from.
KernelSpec toSpec(const artifact::Kernel &kernel);

/// Operands that kernels have packed. Devices that pack in the same way share
/// them. Small operands are placed side by side, so that they use huge pages
/// too.
class PackedOperands {
public:
  /// Operand `source`, packed for `device` under `key`. The first call packs it
  /// with `pack`.
  StatusOr<const void *> get(Device &device, const void *source,
                             std::string_view key, size_t bytes,
                             const std::function<Status(void *)> &pack);
  /// The bytes that were packed first for `device`, each operand rounded up to
  /// the alignment of device memory.
  uint64_t bytesOf(const Device &device) const;

private:
  /// The sharing devices' key, the operand, and the format.
  using Key = std::tuple<std::string, const void *, std::string>;
  struct Place {
    std::byte *data = nullptr;
    size_t bytes = 0;
  };
  /// Memory of one owner, which is allocated from the front.
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

/// A kernel that is ready to run.
struct PreparedKernel {
  std::unique_ptr<Kernel> kernel;
  /// For each operand, whether the kernel has packed it and does not read it in
  /// place.
  std::vector<bool> isPacked;
};

/// The kernels of all entries of a variant. Each is prepared once per device
/// and set of constant operands.
class KernelCache {
public:
  /// `artifact` and `parameters` must exist while kernels are prepared.
  KernelCache(const artifact::Variant &variant,
              const artifact::Artifact &artifact, ParameterMemory &parameters);

  /// The spec from which kernel `index` of the variant is prepared. Its address
  /// is stable.
  const KernelSpec &spec(uint32_t index) const { return specs[index]; }

  /// Kernel `index` for `device`. `constants` has the address of each operand
  /// that never changes, and null for the others.
  StatusOr<const PreparedKernel *> get(Device &device, uint32_t index,
                                       std::vector<const void *> constants);

  uint64_t numKernels(const Device &device) const;
  uint64_t packedBytes(const Device &device) const {
    return operands.bytesOf(device);
  }

private:
  using Key = std::tuple<const Device *, uint32_t, std::vector<const void *>>;

  std::deque<KernelSpec> specs;
  /// For each spec, the first one that is equal to it.
  std::vector<uint32_t> firstEqual;
  ParameterMemory &parameters;
  PackedOperands operands;
  /// The kernels call functions of these.
  CodeObjects code;
  std::map<Key, PreparedKernel> kernels;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H
