//===- IndexFlags.h - Indices that are out of range on GPUs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_INDEXFLAGS_H
#define WEIR_LIB_PLUGINS_CUDA_INDEXFLAGS_H

#include "CudaContext.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/IndexCheckAttrs.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir {

/// The flags of a kernel that reads indices (weir/Artifact/GpuCode.h). They lie
/// in memory of the host, which GPUs reach, so that a run without wrong indices
/// costs nothing. Each run in flight has flags of its own. Thread-safe.
class IndexFlags {
public:
  /// The flags of a kernel of `spec`; null if it reads no indices.
  static StatusOr<std::unique_ptr<IndexFlags>>
  make(const KernelSpec &spec, std::shared_ptr<CudaContext> context);
  ~IndexFlags();

  /// The address of the flags for launches with the list `buffers`, whose
  /// address tells runs in flight apart. The first call for a list allocates.
  StatusOr<void *> of(void *const *buffers);
  /// Once the launch has ended: ok, or the error for the first index that was
  /// out of range. Clears the flags.
  Status take(void *const *buffers);

private:
  /// The op and the range of indices for which a flag stands.
  struct Flag {
    std::string op;
    IndexRange range;
  };

  explicit IndexFlags(std::shared_ptr<CudaContext> context)
      : context(std::move(context)) {}

  const std::shared_ptr<CudaContext> context;
  std::vector<Flag> flags;
  std::mutex mutex;
  std::map<void *const *, int32_t *> words;
};

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_INDEXFLAGS_H
