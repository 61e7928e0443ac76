//===- LaunchRecorder.h - Keeps the ops of library launches ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHRECORDER_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHRECORDER_H

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <optional>
#include <unordered_set>

namespace weir {

/// Records the ops of launches as functions in the nested module of launches,
/// so that their kernels can be checked. Equal launches share one function.
class LaunchRecorder {
public:
  explicit LaunchRecorder(mlir::ModuleOp module) : module(module) {}

  /// Records that `launch` computes `chain`. The chain is an op followed by
  /// epilogues, each of which reads the first result of the op before it.
  void record(llvm::ArrayRef<WeirOpInterface> chain, LaunchOp launch);

private:
  mlir::func::FuncOp makeFunction(llvm::ArrayRef<WeirOpInterface> chain,
                                  LaunchOp launch);
  mlir::SymbolTable &getFunctions();

  mlir::ModuleOp module;
  std::optional<mlir::SymbolTable> functions;
  std::unordered_set<OpMeaning, OpMeaningHash> known;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_LAUNCHRECORDER_H
