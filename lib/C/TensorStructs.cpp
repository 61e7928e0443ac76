//===- TensorStructs.cpp - Tensors of the C API as views --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TensorStructs.h"

#include "weir/Support/HostTensor.h"
#include "weir/Support/ShapeLimits.h"

using namespace weir;

static_assert(sizeof(MemorySpace) == sizeof(const weir_space *));
static_assert(static_cast<int>(DType::U64) == WEIR_U64 &&
              numDTypes == WEIR_U64 + 1);

/// Whether `type` is the number of an element type.
static bool isDType(weir_dtype type) { return type >= 0 && type < numDTypes; }

Status c::checkTensor(const weir_tensor &tensor) {
  if (!isDType(tensor.dtype)) [[unlikely]]
    return invalidArgument(fmt::format(
        "the dtype is {}, which is no element type; use WEIR_F32 to WEIR_U64",
        tensor.dtype));
  if (tensor.rank < 0 || tensor.rank > maxTensorRank) [[unlikely]]
    return invalidArgument(fmt::format("the rank is {}; expected 0 to {}",
                                       tensor.rank, maxTensorRank));
  if (tensor.rank > 0 && !tensor.dims) [[unlikely]]
    return invalidArgument(
        fmt::format("dims is null; expected {} dims", tensor.rank));
  return rowMajorBytes(static_cast<DType>(tensor.dtype),
                       {tensor.dims, static_cast<size_t>(tensor.rank)})
      .status();
}

Status c::checkArray(const void *elements, size_t count, const char *what) {
  if (elements || count == 0) [[likely]]
    return Status::ok();
  return invalidArgument(fmt::format("{}s is null", what));
}

void c::writeTensor(const TensorView &view, weir_tensor *tensor) {
  *tensor = {static_cast<weir_dtype>(view.type),
             static_cast<int32_t>(view.dims.size()),
             view.dims.data(),
             view.data,
             view.bytes,
             handleOf(view.space)};
}

const char *weir_dtype_name(weir_dtype type) {
  return isDType(type) ? toString(static_cast<DType>(type)).data() : nullptr;
}

size_t weir_dtype_bytes(weir_dtype type) {
  return isDType(type) ? byteSize(static_cast<DType>(type)) : 0;
}
