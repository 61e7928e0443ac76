//===- ClusterOutliner.h - Moves ops into functions of kernels -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CLUSTEROUTLINER_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CLUSTEROUTLINER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <unordered_map>
#include <vector>

namespace weir {

/// Makes ops that one generated kernel computes a function of their own, in the
/// nested module of clusters. Ops that compute the same share one.
class ClusterOutliner {
public:
  explicit ClusterOutliner(mlir::ModuleOp module) : module(module) {}

  /// Puts a launch in the place of `ops`, which stand in one block in this
  /// order; the last one names it.
  void outline(llvm::ArrayRef<mlir::Operation *> ops);

private:
  /// What a cluster computes, whatever it is called.
  using Key = std::vector<const void *>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };

  mlir::StringAttr getCluster(llvm::ArrayRef<mlir::Operation *> ops,
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
  std::unordered_map<Key, mlir::StringAttr, KeyHash> known;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_CLUSTEROUTLINER_H
