//===- Passes.h - Conversions between dialects ----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_PASSES_H
#define WEIR_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <functional>
#include <memory>

namespace weir {

#define GEN_PASS_DECL
#include "weir/Conversion/Passes.h.inc"

class CacheFile;

/// Opens a cache, or returns null.
using OpenCacheFn = std::function<CacheFile *()>;

/// The pass with a cache, which it opens if there are clusters. It only
/// declares the kernel functions of clusters that are in the cache. The module
/// `weir_clusters` then stays, in case the cache no longer has the code of a
/// function.
std::unique_ptr<mlir::Pass>
createConvertClustersToLoops(ConvertClustersToLoopsOptions options,
                             OpenCacheFn openCache);

#define GEN_PASS_REGISTRATION
#include "weir/Conversion/Passes.h.inc"

} // namespace weir

#endif // WEIR_CONVERSION_PASSES_H
