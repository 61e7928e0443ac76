//===- ImportFuzzer.h - Contexts of importers under test -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_FUZZ_IMPORTFUZZER_H
#define WEIR_TEST_FUZZ_IMPORTFUZZER_H

#include "weir/Dialect/Weir/IR/WeirDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace weir {

/// A context as graph-compile has it while it imports; messages are dropped.
class ImportContext {
public:
  ImportContext()
      : context(mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [](mlir::Diagnostic &) { return mlir::success(); }) {
    context.loadDialect<mlir::func::FuncDialect, WeirDialect>();
  }
  mlir::MLIRContext *get() { return &context; }

private:
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace weir

#endif // WEIR_TEST_FUZZ_IMPORTFUZZER_H
