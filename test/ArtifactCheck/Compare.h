//===- Compare.h - Compares values with expected ones -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_ARTIFACTCHECK_COMPARE_H
#define WEIR_TEST_ARTIFACTCHECK_COMPARE_H

#include "weir/Support/HostTensor.h"

#include <string>

namespace weir::opcheck {

/// How much floats of `type` may differ, in units of the tensor's largest
/// element: a few units in the last place.
double getTolerance(DType type);

/// Describes the element of `found` that is farthest from `expected`, if that
/// is too far; otherwise empty. Floats may differ by `tolerance` times the
/// tensor's largest element. Everything else must be equal.
std::string findDifference(const HostTensor &expected, const HostTensor &found,
                           double tolerance);
inline std::string findDifference(const HostTensor &expected,
                                  const HostTensor &found) {
  return findDifference(expected, found, getTolerance(expected.type()));
}

} // namespace weir::opcheck

#endif // WEIR_TEST_ARTIFACTCHECK_COMPARE_H
