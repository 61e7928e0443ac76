//===- Widened.cpp - Computes bf16 kernels in f32 ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Widened.h"

#include "Cast.h"
#include "LibraryStatus.h"

#include "weir/Support/Alignment.h"

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

static bool isBrain(const TensorDesc &desc) { return desc.type == DType::BF16; }

bool cpu::mustWiden(const KernelSpec &spec) {
  return !hasBFloat16() &&
         (std::any_of(spec.operands.begin(), spec.operands.end(), isBrain) ||
          std::any_of(spec.results.begin(), spec.results.end(), isBrain));
}

static TensorDesc widened(TensorDesc desc) {
  if (isBrain(desc))
    desc.type = DType::F32;
  return desc;
}

static StatusOr<std::unique_ptr<Kernel>> castFromTo(const TensorDesc &from,
                                                    const TensorDesc &to) {
  KernelSpec spec;
  spec.name = "reorder";
  spec.operands = {from};
  spec.results = {to};
  return prepareCast(spec);
}

namespace {

/// The context for the inner kernel, with constant operands in f32.
class WidenedContext final : public PrepareContext {
public:
  /// `constants` has the bytes of each operand that was widened, and null for
  /// all other operands.
  WidenedContext(PrepareContext &outside, std::vector<const void *> constants)
      : outside(outside), constants(std::move(constants)) {}

  int numThreads() const override { return outside.numThreads(); }
  bool isConstant(int index) const override {
    return outside.isConstant(index);
  }
  StatusOr<const void *> packedOperand(int index, std::string_view key,
                                       size_t bytes,
                                       const PackFunction &pack) override {
    const void *widened = constants[static_cast<size_t>(index)];
    return outside.packedOperand(index, "widened, " + std::string(key), bytes,
                                 [&](ConstantReader &from, void *to) {
                                   if (!widened)
                                     return pack(from, to);
                                   MemoryReader reader(widened);
                                   return pack(reader, to);
                                 });
  }

private:
  PrepareContext &outside;
  std::vector<const void *> constants;
};

class WidenedKernel final : public Kernel {
public:
  explicit WidenedKernel(size_t numBuffers) : buffers(numBuffers) {}

  Status addOperand(size_t index, const TensorDesc &desc);
  Status addResult(size_t index, const TensorDesc &desc);
  void addConstant(size_t index, const void *bytes) {
    constants.emplace_back(index, bytes);
  }
  void setInner(std::unique_ptr<Kernel> kernel) { inner = std::move(kernel); }

  size_t workspaceBytes() const override {
    return convertedBytes + inner->workspaceBytes();
  }
  Status run(const KernelArgs &args) override;
  std::string implementation() const override {
    return inner->implementation() + " in f32";
  }
  bool runsScalarCode() const override { return inner->runsScalarCode(); }
  bool mayRunAlone() const override { return inner->mayRunAlone(); }

private:
  struct Conversion {
    /// The buffer that is converted, and the offset of its f32 copy in the
    /// workspace.
    size_t index;
    size_t offset;
    std::unique_ptr<Kernel> cast;
  };

  Status add(std::vector<Conversion> &list, size_t index,
             const TensorDesc &desc, const TensorDesc &from,
             const TensorDesc &to);

  std::vector<Conversion> operands, results;
  std::vector<std::pair<size_t, const void *>> constants;
  std::vector<void *> buffers;
  std::unique_ptr<Kernel> inner;
  size_t convertedBytes = 0;
};

} // namespace

Status WidenedKernel::add(std::vector<Conversion> &list, size_t index,
                          const TensorDesc &desc, const TensorDesc &from,
                          const TensorDesc &to) {
  constexpr size_t alignment = 64;
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> cast, castFromTo(from, to));
  list.push_back({index, convertedBytes, std::move(cast)});
  convertedBytes +=
      alignTo(static_cast<size_t>(widened(desc).spanBytes()), alignment);
  return Status::ok();
}

Status WidenedKernel::addOperand(size_t index, const TensorDesc &desc) {
  return add(operands, index, desc, desc, widened(desc));
}

Status WidenedKernel::addResult(size_t index, const TensorDesc &desc) {
  return add(results, index, desc, widened(desc), desc);
}

Status WidenedKernel::run(const KernelArgs &args) {
  auto *workspace = static_cast<std::byte *>(args.workspace);
  std::copy_n(args.buffers, buffers.size(), buffers.begin());
  for (auto [index, bytes] : constants)
    buffers[index] = const_cast<void *>(bytes);
  for (const Conversion &operand : operands) {
    buffers[operand.index] = workspace + operand.offset;
    void *both[] = {args.buffers[operand.index], buffers[operand.index]};
    WEIR_RETURN_IF_ERROR(operand.cast->run({both, nullptr}));
  }
  for (const Conversion &result : results)
    buffers[result.index] = workspace + result.offset;
  WEIR_RETURN_IF_ERROR(
      inner->run({buffers.data(), workspace + convertedBytes}));
  for (const Conversion &result : results) {
    void *both[] = {buffers[result.index], args.buffers[result.index]};
    WEIR_RETURN_IF_ERROR(result.cast->run({both, nullptr}));
  }
  return Status::ok();
}

/// The bytes of constant operand `index` in f32, converted once per session.
static StatusOr<const void *> widenConstant(const TensorDesc &desc, int index,
                                            PrepareContext &context) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> cast,
                        castFromTo(desc, widened(desc)));
  auto pack = [&](ConstantReader &from, void *to) {
    WEIR_ASSIGN_OR_RETURN(const void *operand, from.read(0, desc.spanBytes()));
    void *both[] = {const_cast<void *>(operand), to};
    return cast->run({both, nullptr});
  };
  return context.packedOperand(index, "widened " + desc.toString(),
                               widened(desc).spanBytes(), pack);
}

StatusOr<std::unique_ptr<Kernel>>
cpu::prepareWidened(const KernelSpec &spec, PrepareContext &context,
                    const std::function<StatusOr<std::unique_ptr<Kernel>>(
                        const KernelSpec &, PrepareContext &)> &prepare) {
  const size_t numOperands = spec.operands.size();
  auto kernel =
      std::make_unique<WidenedKernel>(numOperands + spec.results.size());
  std::vector<const void *> constants(numOperands);
  KernelSpec inside = spec;
  for (size_t i = 0; i < numOperands; ++i) {
    const TensorDesc &desc = spec.operands[i];
    inside.operands[i] = widened(desc);
    if (!isBrain(desc))
      continue;
    if (!context.isConstant(static_cast<int>(i))) {
      WEIR_RETURN_IF_ERROR(kernel->addOperand(i, desc));
      continue;
    }
    WEIR_ASSIGN_OR_RETURN(constants[i],
                          widenConstant(desc, static_cast<int>(i), context));
    kernel->addConstant(i, constants[i]);
  }
  for (size_t i = 0; i < spec.results.size(); ++i) {
    inside.results[i] = widened(spec.results[i]);
    if (isBrain(spec.results[i]))
      WEIR_RETURN_IF_ERROR(kernel->addResult(numOperands + i, spec.results[i]));
  }
  WidenedContext wide(context, std::move(constants));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> inner, prepare(inside, wide));
  kernel->setInner(std::move(inner));
  return std::unique_ptr<Kernel>(std::move(kernel));
}
