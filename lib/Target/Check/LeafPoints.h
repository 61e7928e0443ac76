//===- LeafPoints.h - Single elements of leaf ops ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CHECK_LEAFPOINTS_H
#define WEIR_LIB_TARGET_CHECK_LEAFPOINTS_H

#include "PointEvaluator.h"

#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

namespace weir::kernelcheck {

/// Evaluates the leaf `op` by its index spec and its expression. The error is
/// Unimplemented if the points that contribute to an element of the result are
/// unknown.
StatusOr<std::unique_ptr<PointOp>> makeLeafPoints(PointEvaluator &evaluator,
                                                  WeirOpInterface op);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_LEAFPOINTS_H
