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
/// Mark of a weir.gradient whose results update parameters. It is then an error
/// if all results are 0.
inline constexpr llvm::StringLiteral trains = "weir.trains";
} // namespace attrs

#define GEN_PASS_DECL
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "weir/Dialect/Weir/Transforms/Training/Passes.h.inc"

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_H
