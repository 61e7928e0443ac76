//===- NumericCheck.cpp - Finds NaN and infinity in results -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NumericCheck.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

/// Steps `index` to the next element in row-major order; false at the end.
static bool advance(std::vector<int64_t> &index,
                    const std::vector<int64_t> &dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d])
      return true;
    index[d] = 0;
  }
  return false;
}

static Status checkResult(const TensorDesc &desc, const void *data,
                          size_t number) {
  if (!isFloat(desc.type) || desc.numElements() == 0)
    return Status::ok();
  std::vector<int64_t> index(desc.dims.size());
  do {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * desc.strides[d];
    const double value = loadFloat(desc.type, data, at);
    if (!std::isfinite(value))
      return internalError(fmt::format("result {} holds {} at [{}]", number,
                                       std::isnan(value) ? "nan" : "inf",
                                       fmt::join(index, ", ")));
  } while (advance(index, desc.dims));
  return Status::ok();
}

Status weir::checkResults(const KernelSpec &spec, void *const *slots) {
  for (size_t i = 0; i < spec.results.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        checkResult(spec.results[i], slots[spec.operands.size() + i], i));
  return Status::ok();
}
