//===- BatchAssembler.h - Makes the batch at any position -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_BATCHASSEMBLER_H
#define WEIR_LIB_DATA_BATCHASSEMBLER_H

#include "BatchMemory.h"
#include "ColumnSource.h"
#include "DatasetState.h"
#include "Permutation.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace weir {

/// Memory that one thread reuses for each batch.
struct AssemblerScratch {
  ReadScratch read;
  /// The order of the examples in the epoch `orderEpoch`.
  std::optional<Permutation> order;
  int64_t orderEpoch = 0;
};

/// Shows a thread whether its batch is still wanted. The batch is wanted as
/// long as `current` has the value `value`.
struct Wanted {
  const std::atomic<uint64_t> *current;
  uint64_t value;

  bool isStill() const {
    return current->load(std::memory_order_relaxed) == value;
  }
};

/// Makes batches. A batch depends only on the dataset, the options and the
/// position. Thread-safe.
class BatchAssembler {
public:
  static StatusOr<BatchAssembler> create(Dataset dataset,
                                         const LoaderOptions &options);

  const std::vector<ColumnInfo> &columns() const { return infos; }
  int64_t batchesPerEpoch() const { return numBatches; }
  uint64_t numAllocations() const { return pool->numAllocations(); }

  StatusOr<std::unique_ptr<BatchMemory>> assemble(BatchPosition position,
                                                  AssemblerScratch &scratch,
                                                  Wanted wanted) const;

  /// The origin of row `row` of the batch at `position`, for errors.
  std::string describe(BatchPosition position, size_t column,
                       int64_t row) const;

private:
  BatchAssembler(Dataset dataset, const LoaderOptions &options,
                 std::vector<ColumnInfo> infos, int64_t numBatches)
      : dataset(std::move(dataset)), options(options), infos(infos),
        numBatches(numBatches),
        pool(std::make_shared<BatchPool>(std::move(infos))) {}
  Status fill(BatchMemory &batch, int64_t first, AssemblerScratch &scratch,
              Wanted wanted) const;

  Dataset dataset;
  LoaderOptions options;
  std::vector<ColumnInfo> infos;
  int64_t numBatches;
  std::shared_ptr<BatchPool> pool;
};

} // namespace weir

#endif // WEIR_LIB_DATA_BATCHASSEMBLER_H
