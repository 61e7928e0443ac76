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

  /// The cache, or null if there is none. The first call opens it.
  CacheFile *open();
  /// The cache, or null if it was not opened.
  CacheFile *get() { return file ? &*file : nullptr; }
  /// Writes the new entries and returns a report. `numFound` of `numKernels`
  /// kernels were in the cache.
  KernelCacheReport close(size_t numKernels, size_t numFound);
  /// Whether the note of the report should be shown to the user as a warning.
  bool hasWarning() const { return !warning.isOk(); }

private:
  std::string option;
  bool isOpened = false;
  std::optional<CacheFile> file;
  Status note, warning;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_CACHEDKERNELS_H
