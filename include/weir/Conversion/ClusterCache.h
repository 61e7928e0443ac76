//===- ClusterCache.h - Lowered clusters of earlier compilations ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most of the time of a compilation goes into clusters. What a plan must know
// of one, its launches and what these pass on, is kept by its contents. So a
// cluster that was compiled before is not lowered again.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_CLUSTERCACHE_H
#define WEIR_CONVERSION_CLUSTERCACHE_H

#include "weir/Cache/CacheFile.h"
#include "weir/Conversion/ClusterToLoops.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace weir {

/// The clusters in a cache, for one target.
class ClusterCache {
public:
  ClusterCache(CacheFile &file, const LoopTarget &target)
      : file(file), target(target) {}

  /// The key of all that the kernel functions of `cluster` follow from. Names
  /// and locations are no part of it.
  std::string keyOf(mlir::func::FuncOp cluster);

  /// Adds the kernel functions of `cluster` to `kernels` as declarations with
  /// all attributes, if the cluster is known. Their code is found by the
  /// attribute `weir.cache_key`.
  std::optional<LoweredCluster> find(const std::string &key,
                                     mlir::func::FuncOp cluster,
                                     mlir::ModuleOp kernels);

  /// Keeps `lowered`, whose functions get the attribute `weir.cache_key`.
  void add(const std::string &key, const LoweredCluster &lowered);

private:
  const std::string &digest(mlir::Attribute attribute);
  const std::string &digest(mlir::Type type);

  CacheFile &file;
  LoopTarget target;
  /// What identifies attributes and types, by their addresses.
  llvm::DenseMap<const void *, std::string> digests;
};

} // namespace weir

#endif // WEIR_CONVERSION_CLUSTERCACHE_H
