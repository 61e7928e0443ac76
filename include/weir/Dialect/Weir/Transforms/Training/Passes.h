//===- Passes.h - Passes that build training steps ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace weir {

namespace attrs {
/// weir.gradient: its results update parameters, so that it is an error if all
/// of them are 0.
inline constexpr llvm::StringLiteral trains = "weir.trains";
} // namespace attrs

#define GEN_PASS_DECL
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_H
