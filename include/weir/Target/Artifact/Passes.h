//===- Passes.h - The pass that writes artifacts ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_PASSES_H
#define WEIR_TARGET_ARTIFACT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "weir/Target/Artifact/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "weir/Target/Artifact/Passes.h.inc"

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_PASSES_H
