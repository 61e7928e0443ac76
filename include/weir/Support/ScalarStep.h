//===- ScalarStep.h - One step of a scalar expression -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SCALARSTEP_H
#define WEIR_SUPPORT_SCALARSTEP_H

#include "weir/Support/ScalarExpr.h"

namespace weir {

/// The result of `op` for floats. `op` takes one or two arguments. If it takes
/// one, `y` is ignored.
double evaluateStep(ScalarExpr::Op op, double x, double y = 0);

} // namespace weir

#endif // WEIR_SUPPORT_SCALARSTEP_H
