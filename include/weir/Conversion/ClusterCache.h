//===- ClusterCache.h - Lowered clusters of earlier compilations ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most of the time of a compilation goes into clusters. So the cache keeps what
// a plan has to know about a cluster: its launches, and the values that they
// pass on. The contents of the cluster are the key. A cluster that was compiled
// before is therefore not lowered again.
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

  /// The key of `cluster`: a hash of everything that determines its kernel
  /// functions. Names and locations are not part of it.
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
  /// The digests of attributes and types, by their addresses.
  llvm::DenseMap<const void *, std::string> digests;
};

} // namespace weir

#endif // WEIR_CONVERSION_CLUSTERCACHE_H
