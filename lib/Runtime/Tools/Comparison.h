//===- Comparison.h - Is a result what was expected? ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_COMPARISON_H
#define WEIR_LIB_RUNTIME_TOOLS_COMPARISON_H

#include "weir/Support/HostTensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The condition under which two elements are equal, as in
/// numpy.testing.assert_allclose: |found - expected| <= atol + rtol *
/// |expected|. Infinities of one sign are equal, and NaN equals NaN.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

struct Comparison {
  int64_t numElements = 0;
  int64_t numDifferent = 0;
  /// The elements furthest apart, the worst first.
  struct Element {
    int64_t index;
    double found;
    double expected;
    double error;
  };
  std::vector<Element> worst;
};

/// Compares element by element, whatever the element types. Tensors of
/// different shape are an error.
StatusOr<Comparison> compareTensors(const HostTensor &found,
                                    const HostTensor &expected,
                                    const Tolerance &tolerance);

/// The index of element number `element`: "[0, 2, 1]".
std::string indexText(int64_t element, const std::vector<int64_t> &dims);

/// The worst elements as a table; `subject` names the tensor ("output 'y'").
std::string toTable(const Comparison &comparison,
                    const std::vector<int64_t> &dims, std::string_view subject);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_COMPARISON_H
