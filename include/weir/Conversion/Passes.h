//===- Passes.h - Conversions between dialects ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_PASSES_H
#define WEIR_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace weir {

#define GEN_PASS_DECL
#include "weir/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "weir/Conversion/Passes.h.inc"

} // namespace weir

#endif // WEIR_CONVERSION_PASSES_H
