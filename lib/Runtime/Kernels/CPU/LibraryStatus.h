//===- LibraryStatus.h - oneDNN failures as Weir errors ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The only place where a failure of the library becomes a Status. Inside of a
// prepare function oneDNN's C++ interface may throw, but no exception leaves
// the function.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_LIBRARYSTATUS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_LIBRARYSTATUS_H

#include "weir/Runtime/Kernel.h"

#include <dnnl.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace weir::cpu {

/// The text "kernel 'conv' of (1x3x8x8xf32, 4x3x3x3xf32) to (1x4x6x6xf32)".
std::string describe(const KernelSpec &spec);

/// The Status for oneDNN's `status`. `action` says what was tried.
Status translate(dnnl_status_t status, std::string_view action);

/// The Status for an exception of oneDNN's C++ interface, or of Weir's own.
Status translate(const dnnl::error &error);

/// Checks the tensors of `spec`:
/// - the library can count the elements of each tensor,
/// - the kernel itself reads `min` to `max` operands,
/// - post-ops read all operands after these,
/// - there are `results` results.
Status expectOperands(const KernelSpec &spec, size_t min, size_t max,
                      size_t results = 1);

/// Checks that the library can count the elements of `what`, which has these
/// dims. The library keeps some products of dims in numbers of 32 bits.
Status checkElements(std::span<const int64_t> dims, std::string_view what);

/// Checks that operand 0 and the result have the same number of dims.
Status expectSameRank(const KernelSpec &spec);

/// The dim of operand 0 that `axis` names. A negative `axis` counts from the
/// end. An error if the operand has no such dim.
StatusOr<int64_t> resolveAxis(const KernelSpec &spec, int64_t axis);

/// The dim of operand 0 that the attribute 'axis' names. Without the attribute,
/// `byDefault` names it.
StatusOr<int64_t> readAxis(const KernelSpec &spec, int64_t byDefault);

/// Checks that the operands and the result are floats of a type with fast
/// instructions on some CPU.
Status expectFastFloats(const KernelSpec &spec);

/// Checks that this CPU has fast instructions for the types of `spec`.
Status checkMachine(const KernelSpec &spec);

/// Whether operand `index` exists and belongs to the kernel itself, not to a
/// post-op.
bool hasOwnOperand(const KernelSpec &spec, int index);

/// Whether oneDNN computes bf16 on this CPU: with bf16 instructions or, from
/// AVX-512 on, with f32 in registers.
bool hasBFloat16();

/// Whether Weir's own kernels may use these instructions: the CPU has them, and
/// oneDNN is not restricted to older ones (ONEDNN_MAX_CPU_ISA). AVX2 includes
/// FMA.
bool hasAVX2();
bool hasAVX512();

/// Checks that operand `index` has the dims `expected`.
Status expectDims(const KernelSpec &spec, int index,
                  const std::vector<int64_t> &expected);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_LIBRARYSTATUS_H
