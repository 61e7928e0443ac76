//===- VerifyKernels.cpp - Checks the kernels of a variant ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/GpuCode.h"

#include <algorithm>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The most operands and results of a kernel. The compiler splits larger
/// concats. The limit keeps the check of a launch cheap.
constexpr uint32_t maxKernelTensors = 1024;

using TypeVector = flatbuffers::Vector<flatbuffers::Offset<TensorType>>;

class KernelVerifier {
public:
  KernelVerifier(const Model &model, VisitBudget &budget)
      : model(model), budget(budget) {}

  StatusOr<KernelFacts> verify(const Kernel &kernel);

private:
  Status verifyAttribute(const Attribute &attribute, UniqueNames &names);
  Status verifyPostOp(const PostOp &postOp, uint32_t numOperands);
  Status verifyTypes(const TypeVector *types, bool isResult,
                     KernelFacts &facts);
  Status verifySizes(const Kernel &kernel, const KernelFacts &facts);
  Status verifyCode(const Kernel &kernel);
  Status verifyOverwrites(const Kernel &kernel);

  const Model &model;
  VisitBudget &budget;
};
} // namespace

Status KernelVerifier::verifyAttribute(const Attribute &attribute,
                                       UniqueNames &names) {
  WEIR_RETURN_IF_ERROR(names.add(attribute.name(), budget));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.ints()));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.floats()));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.text()));
  AttributeKind kind = attribute.kind();
  if (kind > AttributeKind::MAX)
    return violation("{} is of the unknown kind {}", quoted(attribute.name()),
                     static_cast<int>(kind));
  if ((attribute.ints() && kind != AttributeKind::Ints) ||
      (attribute.floats() && kind != AttributeKind::Floats) ||
      (attribute.text() && kind != AttributeKind::Text))
    return violation("{} has a value that is not of its kind",
                     quoted(attribute.name()));
  return Status::ok();
}

Status KernelVerifier::verifyPostOp(const PostOp &postOp,
                                    uint32_t numOperands) {
  WEIR_RETURN_IF_ERROR(budget.visit(postOp.algorithm()));
  if (postOp.algorithm()->size() == 0)
    return violation("its algorithm is empty");
  if (postOp.operand() < -1 ||
      postOp.operand() >= static_cast<int64_t>(numOperands))
    return violation("it reads operand {}; the kernel has {}", postOp.operand(),
                     numOperands);
  return Status::ok();
}

/// Visits the dims from the smallest stride to the largest. Each stride must be
/// larger than the span of the dims with smaller strides.
Status weir::artifact::verifyDistinct(const TensorType &type) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < sizeOf(type.dims()); ++i) {
    if (type.dims()->Get(i) == 0)
      return Status::ok();
    if (type.dims()->Get(i) > 1)
      order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return type.strides()->Get(a) < type.strides()->Get(b);
  });
  int64_t inner = 1;
  for (uint32_t i : order) {
    const int64_t dim = type.dims()->Get(i), stride = type.strides()->Get(i);
    if (stride < inner)
      return violation("elements overlap: dim {} of size {} has stride {}, the "
                       "dims inside it span {} elements",
                       i, dim, stride, inner);
    inner += (dim - 1) * stride;
  }
  return Status::ok();
}

Status KernelVerifier::verifyTypes(const TypeVector *types, bool isResult,
                                   KernelFacts &kernel) {
  return forEach(types, isResult ? "result" : "operand", budget,
                 [&](uint32_t, const TensorType &type) -> Status {
                   WEIR_ASSIGN_OR_RETURN(uint64_t span,
                                         verifyTensorType(&type, budget));
                   kernel.spanBytes.push_back(span);
                   kernel.elementBytes.push_back(
                       byteSize(static_cast<DType>(type.element_type())));
                   return isResult ? verifyDistinct(type) : Status::ok();
                 });
}

/// Checks the operands that repeat elements. A kernel may copy such an operand
/// to memory in which no element is repeated.
Status KernelVerifier::verifySizes(const Kernel &kernel,
                                   const KernelFacts &facts) {
  const auto typeOf = [&](uint32_t i) -> const TensorType & {
    return i < facts.numOperands
               ? *kernel.operands()->Get(i)
               : *kernel.results()->Get(i - facts.numOperands);
  };
  const auto count = static_cast<uint32_t>(facts.spanBytes.size());
  uint64_t most = maxRepeatedElements;
  for (uint32_t i = 0; i < count; ++i)
    if (!repeatsElements(typeOf(i), facts.spanBytes[i]))
      most = std::max(most, countElements(typeOf(i)));
  for (uint32_t i = 0; i < facts.numOperands; ++i)
    WEIR_RETURN_IF_ERROR(verifyRepeated(typeOf(i), facts.spanBytes[i], most)
                             .withContext(fmt::format("operand {}", i)));
  return Status::ok();
}

Status KernelVerifier::verifyCode(const Kernel &kernel) {
  if (kernel.code() == -1) {
    if (kernel.function() || kernel.tasks() || kernel.grain() ||
        kernel.scratch() || kernel.threads())
      return violation("it describes generated code, but names no code");
    return Status::ok();
  }
  if (kernel.code() < 0 ||
      static_cast<uint32_t>(kernel.code()) >= sizeOf(model.blobs()))
    return violation("its code is blob {}; the artifact has {}", kernel.code(),
                     sizeOf(model.blobs()));
  const Blob &blob = *model.blobs()->Get(static_cast<uint32_t>(kernel.code()));
  if (blob.type())
    return violation("its code is blob {} ({}), which is a tensor",
                     kernel.code(), quoted(blob.name()));
  if (kernel.tasks() > maxBytes || kernel.grain() == 0 ||
      kernel.grain() > maxBytes || kernel.scratch() > maxBytes)
    return violation("it has {} tasks, grain {} and {} bytes of scratch; "
                     "expected a grain of at least 1, and no number above {}",
                     kernel.tasks(), kernel.grain(), kernel.scratch(),
                     maxBytes);
  if (kernel.threads() > maxBlockThreads)
    return violation("its blocks have {} threads; expected at most {}",
                     kernel.threads(), maxBlockThreads);
  return Status::ok();
}

/// Whether two tensors have the same elements in the same places. This is
/// required if one overwrites the other.
static bool areAlike(const TensorType &a, const TensorType &b) {
  return toTensorDesc(a) == toTensorDesc(b);
}

Status KernelVerifier::verifyOverwrites(const Kernel &kernel) {
  WEIR_RETURN_IF_ERROR(budget.visit(kernel.overwrites()));
  const uint32_t numOperands = sizeOf(kernel.operands());
  const uint32_t numResults = sizeOf(kernel.results());
  const uint32_t count = sizeOf(kernel.overwrites());
  if (count != 0 && count != numResults)
    return violation("it says for {} results what they overwrite; it has {}",
                     count, numResults);
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t operand = kernel.overwrites()->Get(i);
    if (operand < -1 || operand >= static_cast<int64_t>(numOperands))
      return violation("result {} overwrites operand {}; the kernel has {}", i,
                       operand, numOperands);
    if (operand >= 0 &&
        !areAlike(*kernel.results()->Get(i),
                  *kernel.operands()->Get(static_cast<uint32_t>(operand))))
      return violation("result {} overwrites operand {}, which has another "
                       "type or other strides",
                       i, operand);
  }
  return Status::ok();
}

StatusOr<KernelFacts> KernelVerifier::verify(const Kernel &kernel) {
  UniqueNames kernelName;
  WEIR_RETURN_IF_ERROR(kernelName.add(kernel.name(), budget));
  UniqueNames attributeNames;
  WEIR_RETURN_IF_ERROR(forEach(kernel.attributes(), "attribute", budget,
                               [&](uint32_t, const Attribute &attribute) {
                                 return verifyAttribute(attribute,
                                                        attributeNames);
                               }));
  WEIR_RETURN_IF_ERROR(verifyCode(kernel));
  uint32_t numOperands = sizeOf(kernel.operands());
  uint32_t numResults = sizeOf(kernel.results());
  if (numResults == 0 || numOperands > maxKernelTensors ||
      numResults > maxKernelTensors)
    return violation("it has {} operands and {} results; expected at most {} "
                     "of either and at least one result",
                     numOperands, numResults, maxKernelTensors);
  KernelFacts facts{&kernel, numOperands, {}, {}};
  WEIR_RETURN_IF_ERROR(verifyTypes(kernel.operands(), false, facts));
  WEIR_RETURN_IF_ERROR(verifyTypes(kernel.results(), true, facts));
  WEIR_RETURN_IF_ERROR(verifySizes(kernel, facts));
  WEIR_RETURN_IF_ERROR(forEach(kernel.post_ops(), "post-op", budget,
                               [&](uint32_t, const PostOp &postOp) {
                                 return verifyPostOp(postOp, numOperands);
                               }));
  WEIR_RETURN_IF_ERROR(verifyOverwrites(kernel));
  return facts;
}

Status weir::artifact::verifyKernels(VariantFacts &facts, VisitBudget &budget) {
  return forEach(
      facts.variant.kernels(), "kernel", budget,
      [&](uint32_t, const Kernel &kernel) -> Status {
        auto known = KernelVerifier(facts.model, budget).verify(kernel);
        if (!known)
          return std::move(known).status().withContext(quoted(kernel.name()));
        facts.kernels.push_back(*std::move(known));
        return Status::ok();
      });
}
