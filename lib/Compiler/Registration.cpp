//===- Registration.cpp - Which dialects and passes Weir's tools know -----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Registration.h"

#include "weir/Compiler/Pipelines.h"
#include "weir/Conversion/Passes.h"
#include "weir/Dialect/Exec/IR/ExecDialect.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/Passes.h"
#include "weir/Target/Artifact/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

void weir::registerWeirDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, WeirDialect, exec::ExecDialect>();
}

void weir::registerWeirPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  registerArtifactTargetPasses();
  registerWeirConversionPasses();
  registerWeirRewritingPasses();
  registerWeirTransformsPasses();
  exec::registerExecPasses();
  registerPipelines();
}
