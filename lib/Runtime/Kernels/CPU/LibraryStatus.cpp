//===- LibraryStatus.cpp - oneDNN failures as Weir errors -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LibraryStatus.h"

#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

using namespace weir;

static std::string joinDescs(const std::vector<TensorDesc> &descs) {
  std::vector<std::string> texts;
  for (const TensorDesc &desc : descs)
    texts.push_back(desc.toString());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string cpu::describe(const KernelSpec &spec) {
  return fmt::format("kernel '{}' of ({}) to ({})", spec.name,
                     joinDescs(spec.operands), joinDescs(spec.results));
}

Status cpu::translate(dnnl_status_t status, std::string_view action) {
  switch (status) {
  case dnnl_success:
    return Status::ok();
  case dnnl_out_of_memory:
    return resourceExhausted(
        fmt::format("out of memory while oneDNN tried to {}", action));
  case dnnl_invalid_arguments:
    return invalidArgument(fmt::format(
        "oneDNN refused the shapes or attributes when it tried to {}; expected "
        "operand, result and attributes that agree",
        action));
  case dnnl_unimplemented:
    return unimplemented(fmt::format(
        "oneDNN cannot {} for these types, shapes and layouts on this CPU",
        action));
  default:
    return internalError(fmt::format("oneDNN failed to {} (status {})", action,
                                     static_cast<int>(status)));
  }
}

Status cpu::translate(const dnnl::error &error) {
  constexpr std::string_view failed = "could not ";
  std::string_view what = error.what();
  if (what.starts_with(failed))
    return translate(error.status, what.substr(failed.size()));
  return error.status == dnnl_unimplemented
             ? unimplemented(std::string(what))
             : invalidArgument(std::string(what));
}

/// The largest dim that the library gets. The library rounds dims up to blocks
/// in numbers of 32 bits. It also tries out divisions of a dim one after the
/// other.
static constexpr int64_t mostInLibrary = int64_t(1) << 28;

/// Checks that no dim is larger than the library can count, and that no tensor
/// is larger than a part of an artifact may be.
static Status checkSizes(const std::vector<TensorDesc> &descs) {
  for (const TensorDesc &desc : descs) {
    uint64_t bytes = byteSize(desc.type);
    for (int64_t dim : desc.dims) {
      if (dim > mostInLibrary)
        return unimplemented(fmt::format(
            "expected dims of at most {}, found {}", mostInLibrary, dim));
      // The product is at most 2^47 times 2^28, so it does not overflow.
      bytes = std::min(bytes * static_cast<uint64_t>(dim), maxTensorBytes + 1);
    }
    if (bytes > maxTensorBytes)
      return unimplemented(
          fmt::format("expected tensors of at most {} bytes, found {}",
                      maxTensorBytes, desc.toString()));
  }
  return Status::ok();
}

Status cpu::checkElements(std::span<const int64_t> dims,
                          std::string_view what) {
  constexpr int64_t mostElements = std::numeric_limits<int32_t>::max();
  int64_t elements = 1;
  for (int64_t dim : dims)
    elements = saturatingMultiply(elements, dim);
  if (elements <= mostElements)
    return Status::ok();
  return unimplemented(fmt::format("expected {} of at most {} elements, found "
                                   "{}",
                                   what, mostElements, elements));
}

Status cpu::expectOperands(const KernelSpec &spec, size_t min, size_t max,
                           size_t results) {
  WEIR_RETURN_IF_ERROR(checkSizes(spec.operands));
  WEIR_RETURN_IF_ERROR(checkSizes(spec.results));
  size_t found = spec.operands.size();
  if (found < min)
    return invalidArgument(
        fmt::format("expected at least {} operands, found {}", min, found));
  for (size_t i = max; i < found; ++i)
    if (std::none_of(spec.postOps.begin(), spec.postOps.end(),
                     [&](const PostOp &op) {
                       return op.operand == static_cast<int>(i);
                     }))
      return invalidArgument(
          fmt::format("operand {} is read neither by the kernel, which takes "
                      "up to {}, nor by a post-op",
                      i, max));
  if (spec.results.size() != results)
    return invalidArgument(fmt::format("expected {} result{}, found {}",
                                       results, results == 1 ? "" : "s",
                                       spec.results.size()));
  return Status::ok();
}

Status cpu::expectSameRank(const KernelSpec &spec) {
  if (spec.results[0].rank() == spec.operands[0].rank())
    return Status::ok();
  return invalidArgument(fmt::format("expected a result of {} dims, found {}",
                                     spec.operands[0].rank(),
                                     spec.results[0].rank()));
}

StatusOr<int64_t> cpu::resolveAxis(const KernelSpec &spec, int64_t axis) {
  int64_t rank = spec.operands[0].rank();
  if (axis < -rank || axis >= rank)
    return invalidArgument(
        rank == 0
            ? fmt::format("operand 0 is a scalar, which has no axis {}", axis)
            : fmt::format("expected an axis from {} to {}, found {}", -rank,
                          rank - 1, axis));
  return axis < 0 ? axis + rank : axis;
}

StatusOr<int64_t> cpu::readAxis(const KernelSpec &spec, int64_t byDefault) {
  return resolveAxis(spec, spec.attrs.intOr("axis", byDefault));
}

static bool hasInstructions(dnnl_cpu_isa_t wanted) {
  // Each value is a bit mask that includes the masks of the instruction sets it
  // extends.
  return (dnnl_get_effective_cpu_isa() & wanted) == wanted;
}

bool cpu::hasBFloat16() { return hasAVX512(); }

bool cpu::hasAVX2() {
  return hasInstructions(dnnl_cpu_isa_avx2) && __builtin_cpu_supports("fma");
}

bool cpu::hasAVX512() { return hasInstructions(dnnl_cpu_isa_avx512_core); }

bool cpu::hasOwnOperand(const KernelSpec &spec, int index) {
  for (const PostOp &op : spec.postOps)
    if (op.operand == index)
      return false;
  return index < static_cast<int>(spec.operands.size());
}

Status cpu::checkMachine(const KernelSpec &spec) {
  auto isHalf = [](const TensorDesc &desc) { return desc.type == DType::F16; };
  bool hasHalf =
      std::any_of(spec.operands.begin(), spec.operands.end(), isHalf) ||
      std::any_of(spec.results.begin(), spec.results.end(), isHalf);
  if (!hasHalf || hasInstructions(dnnl_cpu_isa_avx512_core_fp16))
    return Status::ok();
  return unimplemented("this CPU computes slowly with f16 (it lacks "
                       "avx512_fp16); cast to bf16 or f32");
}

static Status checkFastFloat(DType type) {
  if (type == DType::F32 || type == DType::BF16 || type == DType::F16)
    return Status::ok();
  return unimplemented(fmt::format(
      "expected operands and result of type f32, bf16 or f16, found {}",
      toString(type)));
}

Status cpu::expectFastFloats(const KernelSpec &spec) {
  for (const TensorDesc &desc : spec.operands)
    WEIR_RETURN_IF_ERROR(checkFastFloat(desc.type));
  for (const TensorDesc &desc : spec.results)
    WEIR_RETURN_IF_ERROR(checkFastFloat(desc.type));
  return Status::ok();
}

Status cpu::expectDims(const KernelSpec &spec, int index,
                       const std::vector<int64_t> &expected) {
  if (spec.operands[index].dims == expected)
    return Status::ok();
  return invalidArgument(
      fmt::format("expected operand {} of shape [{}], found "
                  "[{}]",
                  index, fmt::join(expected, ", "),
                  fmt::join(spec.operands[index].dims, ", ")));
}
