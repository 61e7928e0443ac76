//===- Loader.h - Batches of a dataset, read ahead --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Threads read and assemble whole batches ahead of the program, up to a limit.
// The position of a batch determines its examples. So the number of threads
// affects only the speed, and a loader can go to any position at once.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DATA_LOADER_H
#define WEIR_DATA_LOADER_H

#include "weir/Data/Dataset.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

class BatchMemory;
class LoaderState;

/// The position of a batch. Both numbers count from 0.
struct BatchPosition {
  int64_t epoch = 0;
  int64_t batch = 0;

  friend auto operator<=>(const BatchPosition &,
                          const BatchPosition &) = default;
};

/// What happens to the last examples of an epoch if they are fewer than a
/// batch.
enum class LastBatch {
  /// They are a smaller batch.
  Keep,
  /// They are left out of this epoch.
  Drop,
  /// Rows of zeros fill the batch.
  Pad,
};

struct LoaderOptions {
  int64_t batchSize = 32;
  LastBatch last = LastBatch::Keep;
  /// The name of an additional column; empty: none. It has an f32 for each row:
  /// 1 for an example, and 0 for padding.
  std::string maskColumn;
  /// Whether each epoch has a new random order of all examples.
  bool shuffle = false;
  /// The seed of the order and of the random steps of maps.
  uint64_t seed = 0;
  /// Whether random steps of maps choose at random. Set this to false for
  /// validation.
  bool augment = true;
  /// The number of epochs; nothing: no limit.
  std::optional<int64_t> epochs = 1;
  /// The number of threads that read ahead. 0: `next` reads by itself.
  int threads = 1;
  /// The number of batches that may be ready or in progress; at least
  /// `threads`.
  int ahead = 4;
  /// The first batch.
  BatchPosition start;
};

/// A batch, whose memory goes back to its loader when it is destroyed. It may
/// outlive the loader.
class Batch {
public:
  Batch(Batch &&other) noexcept;
  Batch &operator=(Batch &&other) noexcept;
  ~Batch();

  /// A tensor for each column, in the order of `Loader::columns()`. The first
  /// dim counts the rows.
  std::span<const HostTensor> tensors() const;
  /// The number of rows that are examples. The rows after them are padding.
  int64_t count() const;
  BatchPosition position() const;

private:
  friend class LoaderState;
  explicit Batch(std::unique_ptr<BatchMemory> memory);
  std::unique_ptr<BatchMemory> memory;
};

/// Counts since the loader was made.
struct LoaderStats {
  /// The number of batches that `next` returned.
  uint64_t batches = 0;
  /// How often `next` had to wait for a batch or read it itself, and the total
  /// time.
  uint64_t waits = 0;
  uint64_t waitNs = 0;
  /// The number of batches for which memory was allocated. Other batches reuse
  /// this memory.
  uint64_t allocations = 0;
};

/// Gives the batches of a dataset one after another. Only one thread may use a
/// loader at a time. It can be destroyed at any moment; it then waits only for
/// the examples that are being read.
class Loader {
public:
  /// A loader for `dataset`. It is an error if an option is out of range, the
  /// start is after the end, or the dataset makes no batch.
  static StatusOr<Loader> create(Dataset dataset, LoaderOptions options);

  Loader(Loader &&other) noexcept;
  Loader &operator=(Loader &&other) noexcept;
  ~Loader();

  /// The columns of the dataset, and the mask.
  const std::vector<ColumnInfo> &columns() const;
  int64_t batchesPerEpoch() const;

  /// The next batch; nothing at the end. An error names the file and the row
  /// that cannot be read. It comes after all batches before that row. Further
  /// calls return the same error.
  StatusOr<std::optional<Batch>> next();

  /// The position of the batch that `next` returns. A loader that starts at
  /// this position, with the same dataset and options, gives the same batches.
  /// At the end, the position is (epochs, 0), which is after the last batch.
  BatchPosition position() const;
  /// Makes `position` the position of the next batch. Nothing is read on the
  /// way.
  Status seek(BatchPosition position);

  LoaderStats stats() const;

  /// Where example `row` of `batch` is from, for errors about the value of a
  /// column: "'t.csv', line 4".
  std::string placeOf(const Batch &batch, size_t column, int64_t row) const;

private:
  explicit Loader(std::unique_ptr<LoaderState> state);
  std::unique_ptr<LoaderState> state;
};

} // namespace weir

#endif // WEIR_DATA_LOADER_H
