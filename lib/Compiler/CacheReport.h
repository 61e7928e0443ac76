//===- CacheReport.h - Reports what the kernel cache did --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CACHEREPORT_H
#define WEIR_LIB_COMPILER_CACHEREPORT_H

#include "weir/Compiler/Compiler.h"

#include "llvm/Support/JSON.h"

namespace weir {

/// What the cache did: a line of --stats, and the same as JSON.
std::string describeCache(const KernelCacheReport &report);
llvm::json::Object describeCacheJson(const KernelCacheReport &report);

} // namespace weir

#endif // WEIR_LIB_COMPILER_CACHEREPORT_H
