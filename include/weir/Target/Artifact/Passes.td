//===- Passes.td - The pass that writes artifacts ----------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_PASSES_TD
#define WEIR_TARGET_ARTIFACT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExecWriteArtifact : Pass<"exec-write-artifact", "::mlir::ModuleOp"> {
  let summary = "Writes the module as an artifact";
  let description = [{
    All entries and the parameters that they use become one variant. The module
    is not changed. docs/artifact.md describes the file.
  }];
  let options = [
    Option<"output", "output", "std::string", "\"-\"",
           "The file, which appears whole or not at all; - is standard output">,
  ];
}

#endif // WEIR_TARGET_ARTIFACT_PASSES_TD
