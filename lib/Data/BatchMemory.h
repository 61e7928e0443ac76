//===- BatchMemory.h - The memory of batches, used again --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_BATCHMEMORY_H
#define WEIR_LIB_DATA_BATCHMEMORY_H

#include "weir/Data/Loader.h"

#include <memory>
#include <mutex>
#include <vector>

namespace weir {

/// The tensors of one batch, and what they contain.
class BatchMemory {
public:
  std::vector<HostTensor> tensors;
  int64_t rows = 0;
  int64_t count = 0;
  BatchPosition position;
  /// The pool that takes the memory when the batch is destroyed.
  std::shared_ptr<class BatchPool> pool;
};

/// Memory for batches of a dataset's columns. Memory that is given back is
/// reused for a batch with the same number of rows. Thread-safe.
class BatchPool {
public:
  explicit BatchPool(std::vector<ColumnInfo> columns)
      : columns(std::move(columns)) {}

  /// Memory for `rows` examples, with any contents. `pool` is the pool that
  /// provides the memory.
  static StatusOr<std::unique_ptr<BatchMemory>>
  take(const std::shared_ptr<BatchPool> &pool, int64_t rows);
  /// Takes memory back. The caller must keep the pool alive.
  void give(std::unique_ptr<BatchMemory> memory);

  uint64_t numAllocations();

private:
  StatusOr<std::unique_ptr<BatchMemory>> allocate(int64_t rows) const;

  const std::vector<ColumnInfo> columns;
  std::mutex mutex;
  /// The memory of batches that is not in use. There are at most two different
  /// numbers of rows, because only the last batch of an epoch may be smaller.
  std::vector<std::unique_ptr<BatchMemory>> unused;
  uint64_t allocations = 0;
};

} // namespace weir

#endif // WEIR_LIB_DATA_BATCHMEMORY_H
