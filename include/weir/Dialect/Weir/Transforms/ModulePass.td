//===- ModulePass.td - The class of passes over graphs -----*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_MODULEPASS_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_MODULEPASS_TD

include "mlir/Pass/PassBase.td"

class Weir_ModulePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::weir::WeirDialect", "::mlir::func::FuncDialect"];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_MODULEPASS_TD
