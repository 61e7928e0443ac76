//===- LtBias.cpp - Biases of products -----------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtBias.h"

#include "weir/Artifact/GpuCode.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

using namespace weir;

/// The numbers of the PTX functions below.
static constexpr uint32_t roundsToBF16 = 1000, roundsToF16 = 1001;

/// The most threads of a block.
static constexpr uint32_t mostThreads = 256;

/// PTX in which each thread rounds one number to `type`.
static std::string entryText(uint32_t number, std::string_view type) {
  constexpr std::string_view body = R"(
  .reg .b16 %h<2>;
  .reg .f32 %f<2>;
  .reg .b32 %r<5>;
  .reg .b64 %d<9>;
  ld.param.u64 %d1, [from];
  ld.param.u64 %d2, [to];
  cvta.to.global.u64 %d3, %d1;
  cvta.to.global.u64 %d4, %d2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %d5, %r4, 4;
  mul.wide.u32 %d6, %r4, 2;
  add.s64 %d7, %d3, %d5;
  add.s64 %d8, %d4, %d6;
  ld.global.f32 %f1, [%d7];)";
  return fmt::format(
      ".visible .entry {}(.param .u64 from, .param .u64 to)\n{{{}\n"
      "  cvt.rn.{}.f32 %h1, %f1;\n  st.global.b16 [%d8], %h1;\n  ret;\n}}\n",
      artifact::gpuEntryName(number), body, type);
}

/// The PTX functions as a blob of GPU code.
static std::span<const std::byte> codeBlob() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const auto &blob = *new auto([] {
    const std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n" +
                             entryText(roundsToBF16, "bf16") +
                             entryText(roundsToF16, "f16");
    const artifact::GpuImage image{
        artifact::GpuImage::Kind::Ptx, 80,
        std::as_bytes(std::span(text.c_str(), text.size() + 1))};
    return artifact::packGpuCode({&image, 1});
  }());
  return blob;
}

/// Writes `size` numbers of f32 as numbers of `type`.
static void roundTo(DType type, int64_t size, const void *from, void *to) {
  const auto *source = static_cast<const char *>(from);
  auto *target = static_cast<char *>(to);
  for (int64_t i = 0; i < size; ++i)
    storeFloat(type, target, i, loadFloat(DType::F32, source, i));
}

StatusOr<LtBias> LtBias::prepare(int operand, const TensorDesc &desc,
                                 DType type, CudaPrepareContext &context) {
  LtBias bias;
  bias.size = desc.numElements();
  if (desc.type == type)
    return bias;
  if (context.isConstant(operand)) {
    const auto pack = [&](ConstantReader &from, void *to) -> Status {
      WEIR_ASSIGN_OR_RETURN(const void *source, from.read(0, desc.spanBytes()));
      roundTo(type, bias.size, source, to);
      return Status::ok();
    };
    WEIR_ASSIGN_OR_RETURN(
        bias.rounded,
        context.packedOperand(
            operand, fmt::format("a bias of {}", toString(type)),
            static_cast<size_t>(bias.size) * byteSize(type), pack));
    return bias;
  }
  WEIR_ASSIGN_OR_RETURN(bias.module,
                        context.modules.get(context.context, codeBlob()));
  WEIR_ASSIGN_OR_RETURN(
      bias.function,
      bias.module->find(type == DType::BF16 ? roundsToBF16 : roundsToF16,
                        /*numBuffers=*/2, mostThreads, /*sharedBytes=*/0));
  return bias;
}

size_t LtBias::workspaceBytes() const {
  return function ? static_cast<size_t>(size) * byteSize(DType::F32) : 0;
}

StatusOr<const void *> LtBias::enqueue(const void *operand, void *workspace,
                                       CUstream stream) const {
  if (!function)
    return rounded ? rounded : operand;
  // Each number has a thread, and all blocks have the same size.
  unsigned threads = mostThreads;
  while (size % threads != 0)
    --threads;
  std::array<void *, 2> parameters = {&operand, &workspace};
  CudaContext &context = module->context();
  WEIR_RETURN_IF_ERROR(
      context.check(context.api.cuLaunchKernel(
                        function, static_cast<unsigned>(size / threads), 1, 1,
                        threads, 1, 1, 0, stream, parameters.data(), nullptr),
                    "cuLaunchKernel"));
  return static_cast<const void *>(workspace);
}
