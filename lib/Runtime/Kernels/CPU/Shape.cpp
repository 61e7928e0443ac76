//===- Shape.cpp - The kernel reorder ---------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// One kernel moves data: transpose, expand, slice, the parts of concat and
// split, relayout and cast are all copies between two strided views.
//
//===----------------------------------------------------------------------===//

#include "Cast.h"
#include "KernelBuilder.h"
#include "Widened.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;
using namespace weir::cpu;

/// Whether oneDNN's copy has the semantics of a cast. oneDNN lacks most
/// integers and is slow on f16. It rounds floats to the nearest integer and
/// saturates, where a cast truncates.
static bool isLibraryCopy(DType from, DType to) {
  if (from == to)
    return from != DType::I16 && from != DType::F16 &&
           (!isUnsigned(from) || byteSize(from) == 1);
  auto isNarrow = [](DType type) {
    return type == DType::F32 || type == DType::BF16;
  };
  if (isNarrow(from) && isNarrow(to))
    return true;
  bool isSmallInteger =
      from == DType::I8 || from == DType::U8 || from == DType::I1;
  return isSmallInteger && isNarrow(to);
}

/// Whether elements of one row lie between elements of another row, as in a
/// slice with steps. oneDNN cannot describe such tensors.
static bool isInterleaved(const TensorDesc &desc) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < desc.dims.size(); ++d)
    if (desc.dims[d] > 1 && desc.strides[d] != 0)
      dims.emplace_back(desc.strides[d], desc.dims[d]);
  std::sort(dims.begin(), dims.end());
  for (size_t d = 1; d < dims.size(); ++d)
    if (dims[d].first / dims[d - 1].second < dims[d - 1].first)
      return true;
  return false;
}

static Status buildReorder(KernelBuilder &builder) {
  builder.copy(builder.operand(0), builder.result());
  return Status::ok();
}

namespace weir::cpu {

Status checkReorder(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  if (!spec.postOps.empty())
    return unimplemented(fmt::format("expected no post-op on a copy, found "
                                     "'{}'",
                                     spec.postOps.front().algorithm));
  if (spec.operands[0].dims != spec.results[0].dims)
    return invalidArgument("expected operand and result of one shape");
  return Status::ok();
}

StatusOr<std::unique_ptr<Kernel>> prepareReorder(const KernelSpec &spec,
                                                 PrepareContext &context) {
  if (Status status = checkReorder(spec); !status.isOk())
    return std::move(status).withContext(describe(spec));
  if (!mustWiden(spec) &&
      isLibraryCopy(spec.operands[0].type, spec.results[0].type) &&
      !isInterleaved(spec.operands[0]) && !isInterleaved(spec.results[0]))
    return prepareWith(spec, context, checkReorder, buildReorder);
  return prepareCast(spec);
}

} // namespace weir::cpu
