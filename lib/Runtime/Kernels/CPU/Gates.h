//===- Gates.h - Steps that let elements pass or not ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A gate keeps an element if another tensor has a value within limits in the
// same place. Otherwise the element becomes 0. The gradients of relu and clip
// are gates. oneDNN has gates neither as binary primitives nor as post-ops.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_GATES_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_GATES_H

#include "KernelBuilder.h"

#include <string_view>

namespace weir::cpu {

/// Whether `algorithm` names a gate.
bool isGate(std::string_view algorithm);

/// Checks that a gate can write the first result of `spec`.
Status checkGate(const KernelSpec &spec);

/// Adds a step for `destination = source where by is within the limits of op,
/// else 0`. `source` may be `destination`. Operands are broadcast to the dims
/// of the destination, and layouts may differ.
void addGate(KernelBuilder &builder, const PostOp &op, const Value &source,
             const Value &by, const Value &destination);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_GATES_H
