//===- KernelCache.cpp - Prepared kernels and packed operands -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include "../DeviceCall.h"
#include "weir/Artifact/Convert.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <unordered_map>
#include <variant>

using namespace weir;

namespace {

class LoadContext final : public PrepareContext {
public:
  LoadContext(Device &device, bool isCapped,
              std::span<const void *const> constants, PackedOperands &operands,
              ParameterMemory &parameters, CodeObjects &code)
      : device(device), isCapped(isCapped), constants(constants),
        operands(operands), parameters(parameters), code(code),
        isPacked(constants.size()) {}

  int numThreads() const override { return device.info().threads; }

  bool isConstant(int index) const override {
    const auto at = static_cast<size_t>(index);
    return at < constants.size() && constants[at];
  }

  bool hasMemoryCap() const override { return isCapped; }

  StatusOr<const void *> packedOperand(int index, std::string_view key,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    if (!isConstant(index))
      return invalidArgument(fmt::format(
          "operand {} is not constant and cannot be packed", index));
    const auto at = static_cast<size_t>(index);
    isPacked[at] = true;
    const auto packTo = [&](void *to) {
      return parameters.read(
          constants[at], [&](ConstantReader &from) { return pack(from, to); });
    };
    return operands.get(device, constants[at], key, bytes, packTo,
                        parameters.contentAt(constants[at]));
  }

  StatusOr<WeirKernelFunction>
  generatedFunction(const GeneratedCode &wanted) override {
    return code.find(wanted);
  }

  StatusOr<std::span<const std::byte>>
  codeBlob(const GeneratedCode &wanted) override {
    return code.blob(wanted);
  }

  std::vector<bool> takePacked() { return std::move(isPacked); }

private:
  Device &device;
  bool isCapped;
  std::span<const void *const> constants;
  PackedOperands &operands;
  ParameterMemory &parameters;
  CodeObjects &code;
  std::vector<bool> isPacked;
};

/// Mixes values into one number.
class Hash {
public:
  void add(uint64_t number) {
    value = (value ^ number) * 0x9e3779b97f4a7c15;
    value ^= value >> 32;
  }
  void add(int64_t number) { add(static_cast<uint64_t>(number)); }
  void add(double number) { add(std::bit_cast<uint64_t>(number)); }
  void add(const std::string &text) { add(std::hash<std::string>()(text)); }
  template <typename T> void add(const std::vector<T> &list) {
    add(uint64_t(list.size()));
    for (const T &each : list)
      add(each);
  }
  void add(const TensorDesc &desc) {
    add(static_cast<uint64_t>(desc.type));
    add(desc.dims);
    add(desc.strides);
  }
  void add(const PostOp &postOp) {
    add(postOp.algorithm);
    add(postOp.alpha);
    add(postOp.beta);
    add(static_cast<int64_t>(postOp.operand));
  }
  uint64_t get() const { return value; }

private:
  uint64_t value = 0;
};

/// A hash that is equal for specs whose fields have the same bits. All fields
/// count, so that specs that differ only a little rarely have the same hash.
uint64_t hashOf(const KernelSpec &spec) {
  Hash hash;
  hash.add(spec.name);
  for (const auto &[name, value] : spec.attrs) {
    hash.add(name);
    std::visit([&](const auto &each) { hash.add(each); }, value);
  }
  hash.add(spec.operands);
  hash.add(spec.results);
  hash.add(spec.postOps);
  hash.add(spec.code.blob);
  hash.add(uint64_t(spec.code.function));
  hash.add(spec.code.tasks);
  hash.add(spec.code.grain);
  hash.add(spec.code.scratchBytes);
  hash.add(uint64_t(spec.code.threads));
  return hash.get();
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
    spec.code = {kernel.code(),  kernel.function(), kernel.tasks(),
                 kernel.grain(), kernel.scratch(),  kernel.threads()};
  return spec;
}

/// Memory of `bytes` bytes for a packed operand. Its pages are not touched yet:
/// the thread that packs the operand decides where they are.
StatusOr<WeightPlace> PackedOperands::reserve(Device &device,
                                              const std::string &owner,
                                              size_t bytes) {
  // Pools have huge pages, except for the first pool. A small network needs
  // only the first pool, and should not hold unused memory.
  constexpr size_t firstPool = size_t(1) << 20, otherPools = size_t(16) << 20;
  const size_t rounded = alignTo(bytes, deviceMemoryAlignment);
  Pool &pool = pools[owner];
  if (rounded > pool.left) {
    const bool isFirst = !pool.next && rounded <= firstPool;
    const size_t poolBytes = isFirst ? firstPool : otherPools;
    const bool isPooled = rounded < otherPools / 4;
    WEIR_ASSIGN_OR_RETURN(std::shared_ptr<DeviceMemory> made,
                          allocateOn(device, isPooled ? poolBytes : rounded,
                                     PagePlacement::FirstWrite));
    auto *data = static_cast<std::byte *>(made->data());
    if (!isPooled)
      return WeightPlace{data, std::move(made)};
    pool = {std::move(made), data, poolBytes};
  }
  std::byte *data = pool.next;
  pool.next += rounded;
  pool.left -= rounded;
  return WeightPlace{data, pool.memory};
}

StatusOr<const void *>
PackedOperands::get(Device &device, const void *source, std::string_view key,
                    size_t bytes, const PackFunction &pack,
                    const std::optional<WeightContent> &content) {
  const std::string shared = device.packingKey();
  const std::string &owner = shared.empty() ? device.info().name : shared;
  Key known(content ? nullptr : source, content.value_or(WeightContent()));
  known.second.format = fmt::format("{}: {}", owner, key);
  auto at = packed.find(known);
  if (at == packed.end()) {
    const auto make = [&]() -> StatusOr<WeightPlace> {
      WEIR_ASSIGN_OR_RETURN(WeightPlace place, reserve(device, owner, bytes));
      WEIR_RETURN_IF_ERROR(pack(place.data));
      return place;
    };
    std::shared_ptr<SharedWeight> weight;
    if (weights && content && !shared.empty()) {
      WeightContent whole = known.second;
      whole.bytes = bytes;
      WEIR_ASSIGN_OR_RETURN(weight, weights->get(whole, make));
    } else {
      WEIR_ASSIGN_OR_RETURN(WeightPlace place, make());
      weight = std::make_shared<SharedWeight>(std::move(place));
    }
    at = packed.try_emplace(known, std::move(weight), bytes, &device).first;
  }
  if (at->second.bytes != bytes)
    return internalError(
        fmt::format("the packing key '{}' is used for {} bytes and for {}", key,
                    at->second.bytes, bytes));
  return static_cast<const void *>(at->second.weight.data());
}

PackedOperands::Bytes PackedOperands::bytesOf(const Device &device) const {
  Bytes sum;
  for (const auto &[key, operand] : packed) {
    if (operand.device != &device)
      continue;
    const uint64_t bytes = alignTo(operand.bytes, deviceMemoryAlignment);
    sum.all += bytes;
    sum.countedElsewhere += operand.weight.isCounted() ? 0 : bytes;
  }
  return sum;
}

KernelCache::KernelCache(const artifact::Variant &variant,
                         const artifact::Artifact &artifact,
                         ParameterMemory &parameters, SharedWeights *weights)
    : parameters(parameters), operands(weights), code(artifact) {
  for (const artifact::Device *device : *variant.devices())
    if (device->memory_cap() != 0)
      cappedDevices.insert(device->name()->str());
  if (!variant.kernels())
    return;
  std::unordered_multimap<uint64_t, uint32_t> known;
  for (const artifact::Kernel *kernel : *variant.kernels()) {
    const auto index = static_cast<uint32_t>(specs.size());
    specs.push_back(toSpec(*kernel));
    const uint64_t hash = hashOf(specs.back());
    auto [begin, end] = known.equal_range(hash);
    auto equal = std::find_if(begin, end, [&](const auto &candidate) {
      return specs[candidate.second] == specs.back();
    });
    firstEqual.push_back(equal == end ? index : equal->second);
    if (equal == end)
      known.emplace(hash, index);
  }
}

StatusOr<const PreparedKernel *>
KernelCache::get(Device &device, uint32_t index,
                 std::vector<const void *> constants) {
  Key key(&device, firstEqual[index], std::move(constants));
  if (auto at = kernels.find(key); at != kernels.end())
    return &at->second;
  LoadContext context(device, cappedDevices.contains(device.info().name),
                      std::get<2>(key), operands, parameters, code);
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        prepareOn(device, specs[index], context));
  PreparedKernel prepared{std::move(kernel), context.takePacked()};
  return &kernels.emplace(std::move(key), std::move(prepared)).first->second;
}

uint64_t KernelCache::numKernels(const Device &device) const {
  uint64_t count = 0;
  for (const auto &[key, kernel] : kernels)
    count += std::get<0>(key) == &device;
  return count;
}
