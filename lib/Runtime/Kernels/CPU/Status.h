//===- Status.h - oneDNN failures as Weir errors -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The one place where a failure of the library becomes a Status. Inside a
// prepare function oneDNN's C++ interface may throw; nothing leaves it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_STATUS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_STATUS_H

#include "weir/Runtime/Kernel.h"

#include <dnnl.hpp>

namespace weir::cpu {

/// "kernel 'conv' of (1x3x8x8xf32, 4x3x3x3xf32) to (1x4x6x6xf32)".
std::string describe(const KernelSpec &spec);

/// What oneDNN's `status` means for Weir; `action` says what was tried.
Status translate(dnnl_status_t status, std::string_view action);

/// What an exception of oneDNN's C++ interface, or one of our own, means.
Status translate(const dnnl::error &error);

/// An error unless the kernel itself reads `min` to `max` operands, post-ops
/// read all that are behind those, and there is one result.
Status expectOperands(const KernelSpec &spec, size_t min, size_t max);

/// An error unless the operands and the result are floats of a type that some
/// CPU computes with fast.
Status expectFastFloats(const KernelSpec &spec);

/// An error unless this CPU computes with the types of `spec` fast.
Status checkMachine(const KernelSpec &spec);

/// Whether operand `index` is there and belongs to the kernel itself, not to a
/// post-op.
bool hasOwnOperand(const KernelSpec &spec, int index);

/// Whether oneDNN computes with bf16 on this CPU: by instructions, or from
/// AVX-512 on with f32 in registers.
bool hasBFloat16();

/// Whether code beside oneDNN may use these instructions: the CPU has them, and
/// oneDNN has not been told to do without (ONEDNN_MAX_CPU_ISA). AVX2 is meant
/// with FMA.
bool hasAVX2();
bool hasAVX512();

/// An error unless operand `index` has the dims `expected`.
Status expectDims(const KernelSpec &spec, int index,
                  const std::vector<int64_t> &expected);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_STATUS_H
