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

/// The user's cache folder: weir/kernels in $XDG_CACHE_HOME, else in ~/.cache.
StatusOr<std::string> findUserCache();

/// Identifies the code generator by the bytes of this compiler and of the
/// libraries of Weir, MLIR, LLVM and C that the process has loaded. Two builds
/// of the compiler have different identities, even if they have the same
/// version.
StatusOr<std::string> identifyBuild();

/// Identifies the contents of a file by its path, its size, and the time at
/// which it was last written.
StatusOr<std::string> identifyFile(const std::string &path);

} // namespace weir

#endif // WEIR_CACHE_USERCACHE_H
