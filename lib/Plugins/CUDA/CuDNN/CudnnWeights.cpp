//===- CudnnWeights.cpp - Weights of convolutions ------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnWeights.h"

#include "weir/Artifact/GpuCode.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

using namespace weir;

/// The numbers of the PTX functions below.
static constexpr uint32_t movesFourBytes = 1002, movesTwoBytes = 1003;

/// The most threads of a block.
static constexpr uint32_t mostThreads = 256;

//===----------------------------------------------------------------------===//
// In runs
//===----------------------------------------------------------------------===//

/// PTX in which each thread writes one element, which has `width` bytes. The
/// element is channel c of cell x of weight o:
///   in the operand, its index is (o * channels + c) * cells + x
///   in the result, its index is (o * cells + x) * channels + c
/// The last parameter has the number of channels in its low half, and the
/// number of cells in its high half.
static std::string entryText(uint32_t number, int width) {
  constexpr std::string_view body = R"(
  .reg .b32 %v;
  .reg .b32 %i<12>;
  .reg .b64 %a<8>;
  ld.param.u64 %a0, [from];
  ld.param.u64 %a1, [to];
  ld.param.u64 %a2, [sizes];
  cvta.to.global.u64 %a0, %a0;
  cvta.to.global.u64 %a1, %a1;
  mov.b64 {%i0, %i1}, %a2;
  mov.u32 %i2, %ctaid.x;
  mov.u32 %i3, %ntid.x;
  mov.u32 %i4, %tid.x;
  mad.lo.u32 %i5, %i2, %i3, %i4;
  div.u32 %i6, %i5, %i0;
  mul.lo.u32 %i7, %i6, %i0;
  sub.u32 %i7, %i5, %i7;
  div.u32 %i8, %i6, %i1;
  mul.lo.u32 %i9, %i8, %i1;
  sub.u32 %i9, %i6, %i9;
  mad.lo.u32 %i10, %i8, %i0, %i7;
  mad.lo.u32 %i11, %i10, %i1, %i9;)";
  const int bits = 8 * width;
  return fmt::format(
      ".visible .entry {}(.param .u64 from, .param .u64 to, .param .u64 sizes)"
      "\n{{{}\n  mul.wide.u32 %a3, %i11, {};\n  mul.wide.u32 %a4, %i5, {};\n"
      "  add.s64 %a5, %a0, %a3;\n  add.s64 %a6, %a1, %a4;\n"
      "  ld.global.u{} %v, [%a5];\n  st.global.u{} [%a6], %v;\n  ret;\n}}\n",
      artifact::gpuEntryName(number), body, width, width, bits, bits);
}

/// The PTX functions as a blob of GPU code.
static std::span<const std::byte> codeBlob() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static const auto &blob = *new auto([] {
    const std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n" +
                             entryText(movesFourBytes, 4) +
                             entryText(movesTwoBytes, 2);
    const artifact::GpuImage image{
        artifact::GpuImage::Kind::Ptx, 80,
        std::as_bytes(std::span(text.c_str(), text.size() + 1))};
    return artifact::packGpuCode({&image, 1});
  }());
  return blob;
}

//===----------------------------------------------------------------------===//
// At load
//===----------------------------------------------------------------------===//

/// Copies row-major weights to weights whose channels are last in memory.
template <typename Element>
static void moveChannels(const TensorDesc &weights, const void *from,
                         void *to) {
  const auto outer = static_cast<size_t>(weights.dims[0]);
  const auto channels = static_cast<size_t>(weights.dims[1]);
  const size_t cells =
      static_cast<size_t>(weights.numElements()) / (outer * channels);
  const auto *source = static_cast<const Element *>(from);
  auto *target = static_cast<Element *>(to);
  for (size_t o = 0; o < outer; ++o)
    for (size_t cell = 0; cell < cells; ++cell)
      for (size_t c = 0; c < channels; ++c)
        *target++ = source[(o * channels + c) * cells + cell];
}

static StatusOr<const void *> pack(int operand, const TensorDesc &weights,
                                   CudaPrepareContext &context) {
  const size_t bytes = weights.spanBytes();
  const auto move = [&](ConstantReader &from, void *to) -> Status {
    WEIR_ASSIGN_OR_RETURN(const void *source, from.read(0, bytes));
    if (weights.type == DType::F32)
      moveChannels<uint32_t>(weights, source, to);
    else
      moveChannels<uint16_t>(weights, source, to);
    return Status::ok();
  };
  return context.packedOperand(
      operand, "channels last of " + weights.toString(), bytes, move);
}

StatusOr<CudnnWeights> CudnnWeights::prepare(int operand,
                                             const TensorDesc &desc,
                                             CudaPrepareContext &context) {
  CudnnWeights weights;
  if (context.isConstant(operand)) {
    WEIR_ASSIGN_OR_RETURN(weights.packed, pack(operand, desc, context));
    return weights;
  }
  weights.size = static_cast<uint32_t>(desc.numElements());
  weights.channels = static_cast<uint32_t>(desc.dims[1]);
  weights.cells =
      static_cast<uint32_t>(desc.numElements() / (desc.dims[0] * desc.dims[1]));
  weights.bytes = desc.spanBytes();
  WEIR_ASSIGN_OR_RETURN(weights.module,
                        context.modules.get(context.context, codeBlob()));
  WEIR_ASSIGN_OR_RETURN(
      weights.function,
      weights.module->find(desc.type == DType::F32 ? movesFourBytes
                                                   : movesTwoBytes,
                           /*numBuffers=*/3, mostThreads, /*sharedBytes=*/0));
  return weights;
}

size_t CudnnWeights::workspaceBytes() const { return bytes; }

StatusOr<const void *> CudnnWeights::enqueue(const void *operand,
                                             void *workspace,
                                             CUstream stream) const {
  if (!function)
    return packed;
  // Each element has a thread, and all blocks have the same size.
  uint32_t threads = mostThreads;
  while (size % threads != 0)
    --threads;
  uint64_t sizes = uint64_t(cells) << 32 | channels;
  std::array<void *, 3> parameters = {&operand, &workspace, &sizes};
  CudaContext &context = module->context();
  WEIR_RETURN_IF_ERROR(context.check(
      context.api.cuLaunchKernel(function, size / threads, 1, 1, threads, 1, 1,
                                 0, stream, parameters.data(), nullptr),
      "cuLaunchKernel"));
  return static_cast<const void *>(workspace);
}
