//===- ArtifactFuzzer.cpp - Reads artifacts, runs their kernels -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "Runtime/Loading/KernelCache.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Artifact/Dump.h"
#include "weir/Artifact/Format.h"
#include "weir/Runtime/KernelTable.h"
#include "weir/Support/ContentHash.h"

#include <cstring>
#include <memory>
#include <new>
#include <vector>

using namespace weir;
using namespace weir::artifact;

/// A copy with the checksum that fits, so that the fuzzer gets past it.
static std::vector<std::byte> withChecksum(std::span<const std::byte> file) {
  std::vector<std::byte> copy(file.begin(), file.end());
  if (copy.size() < sizeof(FileHeader))
    return copy;
  FileHeader header;
  std::memcpy(&header, copy.data(), sizeof(header));
  Checksum checksum;
  checksum.update(std::span(copy)
                      .first(checksumEnd(header, copy.size()))
                      .subspan(checksumBegin));
  const uint64_t value = checksum.value();
  std::memcpy(copy.data() + offsetof(FileHeader, checksum), &value,
              sizeof(value));
  return copy;
}

namespace {

/// Memory of exactly as many bytes as are asked for, aligned as a device's.
class Memory {
public:
  explicit Memory(size_t bytes) : data(::operator new(bytes, alignment)) {
    std::memset(data.get(), 0, bytes);
  }
  void *get() const { return data.get(); }

private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(void *memory) const {
      ::operator delete(memory, alignment);
    }
  };
  std::unique_ptr<void, Free> data;
};

/// The buffers of a kernel's operands and results, all of zeros. Either no
/// operand is constant, or all are but the first.
class Buffers final : public PrepareContext {
public:
  Buffers(const KernelSpec &spec, bool hasConstants)
      : numOperands(spec.operands.size()), hasConstants(hasConstants) {
    for (const auto *descs : {&spec.operands, &spec.results})
      for (const TensorDesc &desc : *descs)
        pointers.push_back(allocate(desc.spanBytes()));
  }

  int numThreads() const override { return 1; }
  bool isConstant(int index) const override {
    const auto at = static_cast<size_t>(index);
    return hasConstants && at > 0 && at < numOperands;
  }
  StatusOr<const void *> packedOperand(int index, std::string_view,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    void *packed = allocate(bytes);
    MemoryReader reader(pointers[static_cast<size_t>(index)]);
    WEIR_RETURN_IF_ERROR(pack(reader, packed));
    return static_cast<const void *>(packed);
  }

  Status run(weir::Kernel &kernel) {
    return kernel.run({pointers.data(), allocate(kernel.workspaceBytes())});
  }

private:
  void *allocate(size_t bytes) { return memory.emplace_back(bytes).get(); }

  size_t numOperands;
  bool hasConstants;
  std::vector<Memory> memory;
  std::vector<void *> pointers;
};

} // namespace

/// Whether a kernel of `spec` touches and computes little enough to be run.
static bool isSmall(const KernelSpec &spec) {
  constexpr size_t mostBytes = size_t(1) << 16;
  for (const auto *descs : {&spec.operands, &spec.results})
    for (const TensorDesc &desc : *descs)
      if (desc.spanBytes() > mostBytes || desc.numElements() > mostBytes)
        return false;
  return true;
}

/// Prepares and runs what a CPU device would. Generated code is left out.
static void runKernel(const artifact::Kernel &stored) {
  if (stored.code() >= 0)
    return;
  const KernelSpec spec = toSpec(stored);
  const KernelTableEntry *row = findKernel(cpuKernels(), spec.name);
  if (!row || (row->check && !row->check(spec).isOk()) || !isSmall(spec))
    return;
  for (bool hasConstants : {false, true}) {
    Buffers buffers(spec, hasConstants);
    if (auto kernel = row->prepare(spec, buffers))
      (void)buffers.run(**kernel);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto artifact = Artifact::fromBytes(withChecksum(asBytes(data, size)));
  if (!artifact)
    return 0;
  (void)dumpText(*artifact);
  (void)dumpJson(*artifact);
  for (const Variant *variant : *artifact->model().variants())
    if (variant->kernels())
      for (const artifact::Kernel *kernel : *variant->kernels())
        runKernel(*kernel);
  return 0;
}
