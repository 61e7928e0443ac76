//===- H100Plans.h - Plans of cuDNN without a GPU ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_CUDNNPLANS_H100PLANS_H
#define WEIR_TEST_CUDNNPLANS_H100PLANS_H

#include "CudnnPlan.h"

namespace weir::test {

/// Ok, or why this machine cannot make plans. Comes before all that opens
/// CUDA's driver.
Status openForPlans();

/// The plan of `graph` for an H100.
StatusOr<std::unique_ptr<CudnnPlan>> planForH100(const CudnnGraph &graph,
                                                 CacheFile *store = nullptr);

} // namespace weir::test

#endif // WEIR_TEST_CUDNNPLANS_H100PLANS_H
