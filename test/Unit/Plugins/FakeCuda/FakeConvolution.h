//===- FakeConvolution.h - What graphs of cuDNN compute ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKECONVOLUTION_H
#define WEIR_TEST_UNIT_PLUGINS_FAKECONVOLUTION_H

#include "FakeDescriptor.h"

#include <cstdint>
#include <string>

namespace weir::test {

/// A tensor of a graph.
struct FakeTensor {
  explicit FakeTensor(const FakeDescriptor &descriptor);

  int64_t uid;
  std::vector<int64_t> dims, strides;
  cudnnDataType_t type;
  /// It is a value between operations, or a number of the host.
  bool isVirtual, isByValue;
  int64_t alignment;

  size_t numElements() const;
  size_t elementBytes() const;
  /// How many bytes its elements span.
  size_t bytes() const;
};

/// The tensors of an operation. The last one is its result.
std::vector<FakeTensor> tensorsOf(const FakeDescriptor &operation);

/// Why cuDNN would not take an operation, or "".
std::string whyNot(const FakeDescriptor &operation);

/// Computes the operations one after the other, with plain loops. `memory` has
/// the address of each tensor that is not virtual, by number.
void computeGraph(const std::vector<FakeDescriptorRef> &operations,
                  const std::map<int64_t, char *> &memory);

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKECONVOLUTION_H
