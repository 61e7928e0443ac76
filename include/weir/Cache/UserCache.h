//===- UserCache.h - Where a user's kernels are cached ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CACHE_USERCACHE_H
#define WEIR_CACHE_USERCACHE_H

#include "weir/Support/Status.h"

#include <string>

namespace weir {

/// weir/kernels in $XDG_CACHE_HOME, else in ~/.cache.
StatusOr<std::string> findUserCache();

/// Identifies the bytes of what generates code: this compiler, and the
/// libraries of Weir, MLIR, LLVM and C that the process has loaded. Code that
/// another build of the compiler has generated differs in it, even if both have
/// the same version.
StatusOr<std::string> identifyBuild();

/// Identifies the bytes of a file by where it lies, its size, and when it was
/// last written.
StatusOr<std::string> identifyFile(const std::string &path);

} // namespace weir

#endif // WEIR_CACHE_USERCACHE_H
