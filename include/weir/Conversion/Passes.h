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

/// The pass with a cache, which it opens if there are clusters. Of clusters in
/// the cache it only declares the kernel functions. The module `weir_clusters`
/// then stays, in case that the code of a function is no longer in the cache.
std::unique_ptr<mlir::Pass>
createConvertClustersToLoops(ConvertClustersToLoopsOptions options,
                             OpenCacheFn openCache);

#define GEN_PASS_REGISTRATION
#include "weir/Conversion/Passes.h.inc"

} // namespace weir

#endif // WEIR_CONVERSION_PASSES_H
