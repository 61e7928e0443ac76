//===- NumericCheck.cpp - Finds NaN and infinity in results -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NumericCheck.h"

#include "weir/Support/ElementWalk.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

static Status checkResult(const TensorDesc &desc, const void *data,
                          size_t number) {
  if (!isFloat(desc.type))
    return Status::ok();
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    const double value = loadFloat(desc.type, data, walk.offset());
    if (!std::isfinite(value))
      return internalError(fmt::format("result {} holds {} at [{}]", number,
                                       std::isnan(value) ? "nan" : "inf",
                                       fmt::join(walk.index(), ", ")));
  }
  return Status::ok();
}

Status weir::checkResults(const KernelSpec &spec, void *const *slots) {
  for (size_t i = 0; i < spec.results.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        checkResult(spec.results[i], slots[spec.operands.size() + i], i));
  return Status::ok();
}
