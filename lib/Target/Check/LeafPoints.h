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

/// Makes an evaluator of the leaf `op`. It uses the index spec and the
/// expression of the op. The error is Unimplemented if it is not known which
/// points contribute to an element of the result.
StatusOr<std::unique_ptr<PointOp>> makeLeafPoints(PointEvaluator &evaluator,
                                                  WeirOpInterface op);

} // namespace weir::kernelcheck

#endif // WEIR_LIB_TARGET_CHECK_LEAFPOINTS_H
