//===- Pointwise.h - Element-wise steps -------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_POINTWISE_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_POINTWISE_H

#include "KernelBuilder.h"

#include <functional>
#include <span>

namespace weir::cpu {

/// The algorithm called `name` ("eltwise_relu", "binary_add", ...). For an
/// unknown name, the error lists the known ones with the same prefix.
StatusOr<dnnl::algorithm> findAlgorithm(std::string_view name);

/// Checks that every post-op of `spec` is known and that its operand exists.
Status checkPostOps(const KernelSpec &spec);

/// Adds steps for `destination = algorithm(source)` and then `epilogues` in
/// place. The layouts may differ.
void addEltwise(KernelBuilder &builder, const PostOp &op, const Value &source,
                const Value &destination,
                std::span<const Epilogue> epilogues = {});

/// Adds steps for `destination = algorithm(lhs, rhs)`, both broadcast to the
/// destination's dims, and then `epilogues` in place.
void addBinary(KernelBuilder &builder, dnnl::algorithm algorithm,
               const Value &lhs, const Value &rhs, const Value &destination,
               std::span<const Epilogue> epilogues = {});

/// Adds `epilogues` as separate steps on `value`.
void addEpilogues(KernelBuilder &builder, const Value &value,
                  std::span<const Epilogue> epilogues);

/// Converts a value with the result's dims to the dims of a primitive; nothing
/// if the primitive cannot fuse it.
using EpilogueView = std::function<std::optional<Value>(const Value &)>;

/// Adds the primitive that `make` describes, with as many of `epilogues` as a
/// fast implementation can fuse. The other epilogues become steps on `result`.
/// `arguments` returns the arguments of the chosen descriptor.
Status addFused(KernelBuilder &builder, const DescMaker &make,
                const std::function<StatusOr<std::vector<Argument>>(
                    const dnnl::primitive_desc &)> &arguments,
                const Value &result, std::span<const Epilogue> epilogues,
                const EpilogueView &view);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_POINTWISE_H
