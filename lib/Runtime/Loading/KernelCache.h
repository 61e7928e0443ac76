//===- KernelCache.h - Prepared kernels and packed operands -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H
#define WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H

#include "../Code/CodeObjects.h"
#include "ParameterMemory.h"
#include "SharedWeights.h"

#include "weir/Artifact/Schema.h"
#include "weir/Runtime/Device.h"
#include "weir/Runtime/Kernel.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weir {

/// The spec from which `kernel` of a checked artifact is prepared.
KernelSpec toSpec(const artifact::Kernel &kernel);

/// Operands that kernels have packed. Devices that pack in the same way share
/// them, even if they belong to different models. Small operands are placed
/// side by side, so that they use huge pages too.
class PackedOperands {
public:
  /// Shares the operands with other models through `weights`, unless that is
  /// null.
  explicit PackedOperands(SharedWeights *weights = nullptr)
      : weights(weights) {}

  using PackFunction = std::function<Status(void *)>;
  /// Operand `source`, packed for `device` under `key`. The first call packs
  /// the operand with `pack`. Operands with the same `content` are packed once.
  StatusOr<const void *> get(Device &device, const void *source,
                             std::string_view key, size_t bytes,
                             const PackFunction &pack,
                             const std::optional<WeightContent> &content = {});
  /// The bytes that were packed first for `device`, and the part of them that
  /// another model counts. Each operand is rounded up to the alignment of
  /// device memory.
  struct Bytes {
    uint64_t all = 0;
    uint64_t countedElsewhere = 0;
  };
  Bytes bytesOf(const Device &device) const;

private:
  /// The address of an operand if its content is not known, and its content
  /// otherwise. The format of the content is never empty: it names the devices
  /// that share the operand.
  using Key = std::pair<const void *, WeightContent>;
  struct Packed {
    Packed(std::shared_ptr<SharedWeight> weight, size_t bytes,
           const Device *device)
        : weight(std::move(weight)), bytes(bytes), device(device) {}

    WeightUse weight;
    size_t bytes;
    /// The device for which the operand was packed first.
    const Device *device;
  };
  /// Memory of one owner, from which operands are placed one after the other.
  /// It exists as long as a model uses some of it.
  struct Pool {
    std::shared_ptr<DeviceMemory> memory;
    std::byte *next = nullptr;
    size_t left = 0;
  };
  StatusOr<WeightPlace> reserve(Device &device, const std::string &owner,
                                size_t bytes);

  SharedWeights *weights;
  std::map<Key, Packed> packed;
  std::map<std::string, Pool> pools;
};

/// A kernel that is ready to run.
struct PreparedKernel {
  std::unique_ptr<Kernel> kernel;
  /// For each operand, whether the kernel has packed it and does not read it in
  /// place.
  std::vector<bool> isPacked;
};

/// The kernels of all entries of a variant. Each kernel is prepared once per
/// device and set of constant operands.
class KernelCache {
public:
  /// `artifact` and `parameters` must exist while kernels are prepared.
  KernelCache(const artifact::Variant &variant,
              const artifact::Artifact &artifact, ParameterMemory &parameters,
              SharedWeights *weights);

  /// The spec from which kernel `index` of the variant is prepared. Its address
  /// is stable.
  const KernelSpec &spec(uint32_t index) const { return specs[index]; }

  /// Kernel `index` for `device`. `constants` has the address of each operand
  /// that never changes, and null for all other operands.
  StatusOr<const PreparedKernel *> get(Device &device, uint32_t index,
                                       std::vector<const void *> constants);

  uint64_t numKernels(const Device &device) const;
  PackedOperands::Bytes packedBytes(const Device &device) const {
    return operands.bytesOf(device);
  }

private:
  using Key = std::tuple<const Device *, uint32_t, std::vector<const void *>>;

  std::deque<KernelSpec> specs;
  /// For each spec, the number of the first spec that is equal to it.
  std::vector<uint32_t> firstEqual;
  /// The names of the devices that have a memory cap.
  std::set<std::string> cappedDevices;
  ParameterMemory &parameters;
  PackedOperands operands;
  /// The generated code, whose functions the kernels call.
  CodeObjects code;
  std::map<Key, PreparedKernel> kernels;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_KERNELCACHE_H
