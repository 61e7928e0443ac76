//===- CachedKernels.h - The kernel cache of one compilation ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_CACHEDKERNELS_H
#define WEIR_LIB_COMPILER_CACHEDKERNELS_H

#include "weir/Cache/CacheFile.h"
#include "weir/Compiler/Compiler.h"

#include <optional>
#include <string>

namespace weir {

/// The cache that CompileOptions::kernelCache names. A problem with the cache
/// is never an error.
class CachedKernels {
public:
  explicit CachedKernels(std::string option) : option(std::move(option)) {}

  /// The cache, which the first call opens, or null.
  CacheFile *open();
  /// The cache if it was opened.
  CacheFile *get() { return file ? &*file : nullptr; }
  /// Writes the new entries and returns a report. `numFound` of `numKernels`
  /// kernels were in the cache.
  KernelCacheReport close(size_t numKernels, size_t numFound);
  /// Whether the user should know of the report's note.
  bool hasWarning() const { return !warning.isOk(); }

private:
  std::string option;
  bool isOpened = false;
  std::optional<CacheFile> file;
  Status note, warning;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_CACHEDKERNELS_H
