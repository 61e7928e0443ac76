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

/// Describes the first element of `found` that is too far from `expected`;
/// empty if there is none. Floats may differ by a few units in the last place
/// of the tensor's largest element. Everything else must be equal.
std::string findDifference(const HostTensor &expected, const HostTensor &found);

} // namespace weir::opcheck

#endif // WEIR_TEST_ARTIFACTCHECK_COMPARE_H
