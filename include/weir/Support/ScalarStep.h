//===- ScalarStep.h - One step of a scalar expression -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SCALARSTEP_H
#define WEIR_SUPPORT_SCALARSTEP_H

#include "weir/Support/ScalarExpr.h"

namespace weir {

/// What `op`, which takes one or two arguments, gives for floats. The second
/// one is ignored if there is only one.
double evaluateStep(ScalarExpr::Op op, double x, double y = 0);

} // namespace weir

#endif // WEIR_SUPPORT_SCALARSTEP_H
