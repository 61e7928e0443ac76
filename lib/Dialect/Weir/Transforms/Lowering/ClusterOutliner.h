//===- ClusterOutliner.h - Outlines generated ops into functions ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_CLUSTEROUTLINER_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_CLUSTEROUTLINER_H

#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <unordered_map>

namespace weir {

/// Outlines the ops of a generated kernel as a function in the nested module of
/// clusters. Equal ops with equal index checks share one function.
class ClusterOutliner {
public:
  explicit ClusterOutliner(mlir::ModuleOp module) : module(module) {}

  /// Replaces `ops`, which are in one block in this order, by a launch. The
  /// last op gives the launch its name.
  void outline(llvm::ArrayRef<mlir::Operation *> ops);

private:
  struct Cluster {
    mlir::StringAttr name;
    int64_t flops = 0;
  };
  const Cluster &getCluster(llvm::ArrayRef<mlir::Operation *> ops,
                            llvm::ArrayRef<mlir::Value> inputs,
                            llvm::ArrayRef<mlir::Value> results);
  mlir::func::FuncOp makeFunction(llvm::ArrayRef<mlir::Operation *> ops,
                                  llvm::ArrayRef<mlir::Value> inputs,
                                  llvm::ArrayRef<mlir::Value> results);
  std::string makeName(mlir::Operation *op);
  mlir::ModuleOp getClusters();

  mlir::ModuleOp module;
  mlir::ModuleOp clusters;
  llvm::StringMap<unsigned> names;
  /// The clusters by their meaning, which does not include names.
  std::unordered_map<OpMeaning, Cluster, OpMeaningHash> known;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LOWERING_CLUSTEROUTLINER_H
