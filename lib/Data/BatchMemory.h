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

/// The tensors of one batch and what is in them.
class BatchMemory {
public:
  std::vector<HostTensor> tensors;
  int64_t rows = 0;
  int64_t count = 0;
  BatchPosition position;
  /// Where it goes when the batch is destroyed.
  std::shared_ptr<class BatchPool> pool;
};

/// Memory for batches of a dataset's columns. What is given back is used again
/// for a batch of as many rows. Thread-safe.
class BatchPool {
public:
  explicit BatchPool(std::vector<ColumnInfo> columns)
      : columns(std::move(columns)) {}

  /// Memory for `rows` examples, which holds anything. `pool` is this pool.
  static StatusOr<std::unique_ptr<BatchMemory>>
  take(const std::shared_ptr<BatchPool> &pool, int64_t rows);
  /// The caller holds the pool.
  void give(std::unique_ptr<BatchMemory> memory);

  uint64_t numAllocations();

private:
  StatusOr<std::unique_ptr<BatchMemory>> allocate(int64_t rows) const;

  const std::vector<ColumnInfo> columns;
  std::mutex mutex;
  /// Kept apart by their numbers of rows, of which there are at most two: the
  /// last batch of an epoch may be smaller.
  std::vector<std::unique_ptr<BatchMemory>> unused;
  uint64_t allocations = 0;
};

} // namespace weir

#endif // WEIR_LIB_DATA_BATCHMEMORY_H
