//===- KernelCache.cpp - Prepared kernels and packed operands -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include "weir/Artifact/Convert.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <unordered_map>

using namespace weir;

namespace {

class LoadContext final : public PrepareContext {
public:
  LoadContext(Device &device, std::span<const void *const> constants,
              PackedOperands &operands, const KernelCache::ReleaseFn &release,
              CodeObjects &code)
      : device(device), constants(constants), operands(operands),
        release(release), code(code) {}

  int numThreads() const override { return device.info().threads; }

  const void *constantOperand(int index) const override {
    const auto at = static_cast<size_t>(index);
    return at < constants.size() ? constants[at] : nullptr;
  }

  StatusOr<const void *>
  packedOperand(int index, std::string_view key, size_t bytes,
                const std::function<Status(void *)> &pack) override {
    const void *source = constantOperand(index);
    if (!source)
      return invalidArgument(fmt::format(
          "operand {} is not constant and cannot be packed", index));
    return operands.get(device, source, key, bytes, pack);
  }

  void releaseConstant(const void *source, size_t bytes) override {
    release({static_cast<const std::byte *>(source), bytes});
  }

  StatusOr<WeirKernelFunction>
  generatedFunction(const GeneratedCode &wanted) override {
    return code.find(wanted);
  }

private:
  Device &device;
  std::span<const void *const> constants;
  PackedOperands &operands;
  const KernelCache::ReleaseFn &release;
  CodeObjects &code;
};

/// Equal for equal specs. The fields that it omits rarely differ alone.
size_t hashOf(const KernelSpec &spec) {
  size_t hash = std::hash<std::string>()(spec.name);
  auto mix = [&](size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15; };
  for (const auto *descs : {&spec.operands, &spec.results})
    for (const TensorDesc &desc : *descs) {
      mix(static_cast<size_t>(desc.type));
      for (int64_t dim : desc.dims)
        mix(static_cast<size_t>(dim));
    }
  for (const auto &[name, value] : spec.attrs) {
    mix(std::hash<std::string_view>()(name));
    if (const auto *text = std::get_if<std::string>(&value))
      mix(std::hash<std::string>()(*text));
    else if (const auto *ints = std::get_if<std::vector<int64_t>>(&value))
      for (int64_t number : *ints)
        mix(static_cast<size_t>(number));
  }
  for (const PostOp &postOp : spec.postOps)
    mix(std::hash<std::string>()(postOp.algorithm));
  mix(spec.code.function);
  return hash;
}

} // namespace

KernelSpec weir::toSpec(const artifact::Kernel &kernel) {
  KernelSpec spec;
  spec.name = kernel.name()->str();
  spec.attrs = artifact::toAttrMap(kernel.attributes());
  if (kernel.operands())
    for (const artifact::TensorType *type : *kernel.operands())
      spec.operands.push_back(artifact::toTensorDesc(*type));
  if (kernel.results())
    for (const artifact::TensorType *type : *kernel.results())
      spec.results.push_back(artifact::toTensorDesc(*type));
  if (kernel.post_ops())
    for (const artifact::PostOp *postOp : *kernel.post_ops())
      spec.postOps.push_back({postOp->algorithm()->str(), postOp->alpha(),
                              postOp->beta(), postOp->operand()});
  if (kernel.code() >= 0)
    spec.code = {kernel.code(), kernel.function(), kernel.tasks(),
                 kernel.grain(), kernel.scratch()};
  return spec;
}

/// Memory of `bytes` bytes. The thread that packs them decides where the pages
/// are.
StatusOr<std::byte *> PackedOperands::reserve(Device &device,
                                              const std::string &owner,
                                              size_t bytes) {
  // Pools have huge pages, except for the first. A small network needs only
  // that one, and should not hold unused memory.
  constexpr size_t firstPool = size_t(1) << 20, otherPools = size_t(16) << 20;
  const size_t rounded = alignTo(bytes, deviceMemoryAlignment);
  Pool &pool = pools[owner];
  if (rounded > pool.left) {
    const bool isFirst = !pool.next && rounded <= firstPool;
    const size_t poolBytes = isFirst ? firstPool : otherPools;
    const bool isPooled = rounded < otherPools / 4;
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<DeviceMemory> made,
                          device.allocate(isPooled ? poolBytes : rounded,
                                          PagePlacement::FirstWrite));
    auto *data = static_cast<std::byte *>(made->data());
    memory.push_back(std::move(made));
    if (!isPooled)
      return data;
    pool = {data, poolBytes};
  }
  std::byte *data = pool.next;
  pool.next += rounded;
  pool.left -= rounded;
  return data;
}

StatusOr<const void *>
PackedOperands::get(Device &device, const void *source, std::string_view key,
                    size_t bytes, const std::function<Status(void *)> &pack) {
  std::string owner = device.packingKey();
  if (owner.empty())
    owner = device.info().name;
  auto [at, isNew] = packed.try_emplace({owner, source, std::string(key)});
  if (isNew) {
    auto place = reserve(device, owner, bytes);
    Status status = place.isOk() ? pack(*place) : place.status();
    if (!status.isOk()) {
      packed.erase(at);
      return status;
    }
    at->second = {*place, bytes};
    bytesByDevice[&device] += bytes;
  }
  if (at->second.bytes != bytes)
    return internalError(
        fmt::format("the packing key '{}' is used for {} bytes and for {}", key,
                    at->second.bytes, bytes));
  return static_cast<const void *>(at->second.data);
}

uint64_t PackedOperands::bytesOf(const Device &device) const {
  auto at = bytesByDevice.find(&device);
  return at == bytesByDevice.end() ? 0 : at->second;
}

KernelCache::KernelCache(const artifact::Variant &variant,
                         const artifact::Artifact &artifact)
    : code(artifact) {
  if (!variant.kernels())
    return;
  std::unordered_multimap<size_t, uint32_t> known;
  for (const artifact::Kernel *kernel : *variant.kernels()) {
    const auto index = static_cast<uint32_t>(specs.size());
    specs.push_back(toSpec(*kernel));
    const size_t hash = hashOf(specs.back());
    auto [begin, end] = known.equal_range(hash);
    auto equal = std::find_if(begin, end, [&](const auto &candidate) {
      return specs[candidate.second] == specs.back();
    });
    firstEqual.push_back(equal == end ? index : equal->second);
    if (equal == end)
      known.emplace(hash, index);
  }
}

StatusOr<Kernel *> KernelCache::get(Device &device, uint32_t index,
                                    std::vector<const void *> constants,
                                    const ReleaseFn &release) {
  Key key(&device, firstEqual[index], std::move(constants));
  if (auto at = kernels.find(key); at != kernels.end())
    return at->second.get();
  LoadContext context(device, std::get<2>(key), operands, release, code);
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        device.prepare(specs[index], context));
  return kernels.emplace(std::move(key), std::move(kernel)).first->second.get();
}

uint64_t KernelCache::numKernels(const Device &device) const {
  uint64_t count = 0;
  for (const auto &[key, kernel] : kernels)
    count += std::get<0>(key) == &device;
  return count;
}
