//===- Registration.h - Which dialects and passes Weir's tools know -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_COMPILER_REGISTRATION_H
#define WEIR_COMPILER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace weir {

/// Adds the dialects that Weir's IR is made of.
void registerWeirDialects(mlir::DialectRegistry &registry);

/// Registers all passes and named pipelines.
void registerWeirPasses();

} // namespace weir

#endif // WEIR_COMPILER_REGISTRATION_H
