//===- Elementwise.cpp - The kernels eltwise and binary ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Gates.h"
#include "Pointwise.h"

#include <fmt/format.h>

using namespace weir;
using namespace weir::cpu;

static bool isComparison(dnnl::algorithm kind) {
  return kind == dnnl::algorithm::binary_eq ||
         kind == dnnl::algorithm::binary_ne ||
         kind == dnnl::algorithm::binary_lt ||
         kind == dnnl::algorithm::binary_le ||
         kind == dnnl::algorithm::binary_gt ||
         kind == dnnl::algorithm::binary_ge;
}

static bool isSelection(dnnl::algorithm kind) {
  return kind == dnnl::algorithm::binary_max ||
         kind == dnnl::algorithm::binary_min;
}

static bool isByte(DType type) {
  return type == DType::I8 || type == DType::U8 || type == DType::I1;
}

/// Checks the types of a binary op. oneDNN computes integers in f32 and
/// saturates. For bytes this is correct if no result is out of range.
static Status checkBinaryTypes(const KernelSpec &spec, dnnl::algorithm kind) {
  DType operand = spec.operands[0].type, result = spec.results[0].type;
  if (spec.operands[1].type != operand)
    return invalidArgument(
        fmt::format("expected operands of one type, found {} and {}",
                    toString(operand), toString(spec.operands[1].type)));
  DType expected = isComparison(kind) ? DType::I1 : operand;
  if (result != expected)
    return invalidArgument(fmt::format("expected a result of type {}, found {}",
                                       toString(expected), toString(result)));
  if (isByte(operand) && (isComparison(kind) || isSelection(kind)))
    return Status::ok();
  if (isComparison(kind)) {
    KernelSpec operandsOnly = spec;
    operandsOnly.results.clear();
    return expectFastFloats(operandsOnly);
  }
  return expectFastFloats(spec);
}

/// The step that the attributes of the op itself describe. `operand` is the
/// number of the second operand of the step, or -1.
static PostOp readOwnStep(const KernelSpec &spec, int operand) {
  return {std::string(spec.attrs.textOr("algorithm", "")),
          spec.attrs.floatOr("alpha", 0), spec.attrs.floatOr("beta", 0),
          operand};
}

static Status buildEltwise(KernelBuilder &builder) {
  addEltwise(builder, readOwnStep(builder.spec, -1), builder.operand(0),
             builder.result(), builder.epilogues());
  return Status::ok();
}

static StatusOr<dnnl::algorithm> readAlgorithm(const KernelSpec &spec) {
  return findAlgorithm(spec.attrs.textOr("algorithm", ""));
}

static Status buildBinary(KernelBuilder &builder) {
  if (const PostOp own = readOwnStep(builder.spec, 1); isGate(own.algorithm)) {
    addGate(builder, own, builder.operand(0), builder.operand(1),
            builder.result());
    addEpilogues(builder, builder.result(), builder.epilogues());
    return Status::ok();
  }
  WEIR_ASSIGN_OR_RETURN(dnnl::algorithm kind, readAlgorithm(builder.spec));
  addBinary(builder, kind, builder.operand(0), builder.operand(1),
            builder.result(), builder.epilogues());
  return Status::ok();
}

namespace weir::cpu {

Status checkEltwise(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  return readAlgorithm(spec).status();
}

Status checkBinary(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, 2));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  if (isGate(spec.attrs.textOr("algorithm", ""))) {
    WEIR_RETURN_IF_ERROR(checkGate(spec));
    return checkBinaryTypes(spec, dnnl::algorithm::binary_mul);
  }
  WEIR_ASSIGN_OR_RETURN(dnnl::algorithm kind, readAlgorithm(spec));
  return checkBinaryTypes(spec, kind);
}

StatusOr<std::unique_ptr<Kernel>> prepareEltwise(const KernelSpec &spec,
                                                 PrepareContext &context) {
  return prepareWith(spec, context, checkEltwise, buildEltwise);
}

StatusOr<std::unique_ptr<Kernel>> prepareBinary(const KernelSpec &spec,
                                                PrepareContext &context) {
  return prepareWith(spec, context, checkBinary, buildBinary);
}

} // namespace weir::cpu
