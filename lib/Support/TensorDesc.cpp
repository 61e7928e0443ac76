//===- TensorDesc.cpp - Element type, shape and strides of a tensor -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TensorDesc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

TensorDesc TensorDesc::rowMajor(DType type, std::vector<int64_t> dims) {
  TensorDesc desc{type, std::move(dims), {}};
  desc.strides.resize(desc.dims.size());
  int64_t stride = 1;
  for (size_t i = desc.dims.size(); i-- > 0;) {
    desc.strides[i] = stride;
    stride *= desc.dims[i];
  }
  return desc;
}

int64_t TensorDesc::numElements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

size_t TensorDesc::spanBytes() const {
  int64_t last = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0)
      return 0;
    last += (dims[i] - 1) * strides[i];
  }
  return static_cast<size_t>(last + 1) * byteSize(type);
}

bool TensorDesc::isRowMajor() const {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] != 1 && strides[i] != stride)
      return false;
    stride *= dims[i];
  }
  return true;
}

std::string TensorDesc::toString() const {
  std::string text;
  for (int64_t dim : dims)
    text += fmt::format("{}x", dim);
  text += weir::toString(type);
  if (!isRowMajor())
    text += fmt::format(" strides [{}]", fmt::join(strides, ", "));
  return text;
}
