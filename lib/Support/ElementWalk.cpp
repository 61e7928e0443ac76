//===- ElementWalk.cpp - Elements of a tensor in row-major order ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ElementWalk.h"

#include <algorithm>

using namespace weir;

ElementWalk::ElementWalk(std::span<const int64_t> dims,
                         std::span<const int64_t> strides)
    : dims(dims), strides(strides), position(dims.size()) {
  for (int64_t dim : dims)
    left *= dim;
}

void ElementWalk::next() {
  --left;
  for (size_t d = dims.size(); d-- > 0;) {
    current += strides[d];
    if (++position[d] < dims[d])
      return;
    current -= strides[d] * dims[d];
    position[d] = 0;
  }
}

std::vector<int64_t> weir::unravelIndex(int64_t element,
                                        std::span<const int64_t> dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(dims[d], 1);
    index[d] = element % size;
    element /= size;
  }
  return index;
}

int64_t weir::stridedOffset(int64_t element, std::span<const int64_t> dims,
                            std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(dims[d], 1);
    offset += element % size * strides[d];
    element /= size;
  }
  return offset;
}
