//===- Reference.h - Leaf ops computed from their records -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// One kernel computes every leaf op from its index spec and its scalar
// expression. Tests compare other kernels with it, and it serves
// --allow-reference. It is exact rather than fast: floats are computed in
// double and rounded once.
//
// The attributes of the kernel spec hold the op's own attributes and these:
//
//   spec        the index spec as text
//   expression  the scalar expression as text
//   combiner    "none", "sum", "product", "maximum" or "minimum"
//   fill        optional: the attribute that holds the initial value
//
// Each result element starts as the operand marked "+", else as the fill value,
// else as the combiner's identity. A point of the iteration space takes part if
// all its indices are inside of the tensors. Its value of the expression is
// then combined into the element; combiner "none" assigns it. The arithmetic is
// in double, int64_t or uint64_t, depending on the first operand that is not
// i1. u64 is computed as signed if the result is signed. Integers wrap, and NaN
// wins in a maximum.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_REFERENCE_H
#define WEIR_RUNTIME_REFERENCE_H

#include "weir/Runtime/Kernel.h"

#include <span>

namespace weir {

/// Computes the op that `spec` describes. `operands` holds one pointer per
/// operand of the spec. `result` points to the first element of the result.
Status evaluateReference(const KernelSpec &spec,
                         std::span<const void *const> operands, void *result);

/// Says why the kernel "reference" does not support `spec`, if it does not.
Status checkReference(const KernelSpec &spec);

/// Prepares the kernel "reference" of every CPU device.
StatusOr<std::unique_ptr<Kernel>> prepareReference(const KernelSpec &spec,
                                                   PrepareContext &context);

} // namespace weir

#endif // WEIR_RUNTIME_REFERENCE_H
