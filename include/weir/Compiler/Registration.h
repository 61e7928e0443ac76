//===- Registration.h - Registers Weir's dialects and passes --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_REGISTRATION_H
#define WEIR_COMPILER_REGISTRATION_H

#include "weir/Support/Status.h"

#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace weir {

/// Adds the dialects of Weir's IR.
void registerWeirDialects(mlir::DialectRegistry &registry);

/// Registers all passes and named pipelines. Further calls do nothing.
void registerWeirPasses();

/// Parses `text`, a value of --pass-pipeline, into a pass manager.
StatusOr<mlir::OpPassManager> parsePassPipelineOption(const std::string &text);

} // namespace weir

#endif // WEIR_COMPILER_REGISTRATION_H
