//===- Loader.cpp - Batches of a dataset, read ahead ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Batches are numbered. A thread takes the next number, unless it is `ahead` or
// more numbers ahead of the program. It puts the batch into a ring, in the slot
// of that number. The program takes the batches from the ring in order.
//
//===----------------------------------------------------------------------===//

#include "weir/Data/Loader.h"

#include "BatchAssembler.h"
#include "weir/Support/BlockedSignals.h"
#include "weir/Support/ShapeLimits.h"
#include "weir/Support/Trace.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

using namespace weir;

namespace weir {
class LoaderState {
public:
  LoaderState(BatchAssembler assembler, const LoaderOptions &options)
      : assembler(std::move(assembler)), options(options),
        ring(static_cast<size_t>(options.ahead)) {
    end = options.epochs
              ? saturatingMultiply(*options.epochs, batchesPerEpoch())
              : std::numeric_limits<int64_t>::max();
  }
  ~LoaderState();

  Status startThreads();
  StatusOr<std::optional<Batch>> next();
  Status seek(BatchPosition position);
  BatchPosition position();
  LoaderStats stats();
  const std::vector<ColumnInfo> &columns() const { return assembler.columns(); }
  int64_t batchesPerEpoch() const { return assembler.batchesPerEpoch(); }
  std::string describe(BatchPosition position, size_t column,
                       int64_t row) const {
    return assembler.describe(position, column, row);
  }

private:
  using Result = StatusOr<std::unique_ptr<BatchMemory>>;

  StatusOr<int64_t> numberOf(BatchPosition position) const;
  BatchPosition positionOf(int64_t number) const {
    return {number / batchesPerEpoch(), number % batchesPerEpoch()};
  }
  std::optional<Result> &place(int64_t number) {
    return ring[static_cast<size_t>(number) % ring.size()];
  }
  Result assemble(int64_t number, AssemblerScratch &scratch, uint64_t wanted);
  void work();
  void waitForNext(std::unique_lock<std::mutex> &lock);

  BatchAssembler assembler;
  const LoaderOptions options;
  /// The number behind the last batch.
  int64_t end;

  std::mutex mutex;
  std::condition_variable mayWork, isReady;
  /// A number that changes when the batches made so far are no longer wanted.
  /// It changes only under the lock.
  std::atomic<uint64_t> generation = 0;
  bool isStopping = false;
  /// The number of the next batch that the program takes. `nextIn` is the
  /// number of the next batch that a thread makes.
  int64_t nextOut = 0, nextIn = 0;
  std::vector<std::optional<Result>> ring;
  LoaderStats counts;
  /// The scratch that `next` uses if there are no threads.
  AssemblerScratch ownScratch;
  std::vector<std::thread> threads;
};
} // namespace weir

LoaderState::~LoaderState() {
  {
    std::lock_guard lock(mutex);
    isStopping = true;
    ++generation;
  }
  mayWork.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

Status LoaderState::startThreads() {
  const BlockedSignals blocked;
  try {
    for (int i = 0; i < options.threads; ++i)
      threads.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    return resourceExhausted(
        fmt::format("cannot start thread {} of the {} that read ahead; ask for "
                    "fewer",
                    threads.size() + 1, options.threads));
  }
  return Status::ok();
}

/// The error about an exception that a step has thrown.
static Status describeException(const char *what) noexcept {
  try {
    return internalError(
        fmt::format("an exception in reading a batch: {}", what));
  } catch (...) {
    return Status::outOfMemory();
  }
}

LoaderState::Result LoaderState::assemble(int64_t number,
                                          AssemblerScratch &scratch,
                                          uint64_t wanted) {
  try {
    return assembler.assemble(positionOf(number), scratch,
                              {&generation, wanted});
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  } catch (const std::exception &error) {
    return describeException(error.what());
  } catch (...) {
    return describeException("of an unknown type");
  }
}

void LoaderState::work() {
  AssemblerScratch scratch;
  std::unique_lock lock(mutex);
  while (true) {
    // After an error, the program takes no more batches. So `nextOut` stays,
    // and the threads stop.
    mayWork.wait(lock, [&] {
      return isStopping || (nextIn < end && nextIn - nextOut < options.ahead);
    });
    if (isStopping)
      return;
    const int64_t number = nextIn++;
    const uint64_t wanted = generation;
    lock.unlock();
    Result result = assemble(number, scratch, wanted);
    lock.lock();
    if (generation != wanted) {
      // An unwanted batch is destroyed, which gives its memory back to the
      // pool.
      if (result)
        const Batch unwanted(*std::move(result));
      continue;
    }
    place(number) = std::move(result);
    if (number == nextOut)
      isReady.notify_one();
  }
}

void LoaderState::waitForNext(std::unique_lock<std::mutex> &lock) {
  std::optional<Result> &result = place(nextOut);
  if (result)
    return;
  const uint64_t begin = monotonicNs();
  if (threads.empty())
    result = assemble(nextOut, ownScratch, generation);
  else
    isReady.wait(lock, [&] { return result.has_value(); });
  ++counts.waits;
  counts.waitNs += monotonicNs() - begin;
}

StatusOr<std::optional<Batch>> LoaderState::next() {
  std::unique_lock lock(mutex);
  if (nextOut == end)
    return std::optional<Batch>();
  waitForNext(lock);
  std::optional<Result> &result = place(nextOut);
  if (!*result)
    return Status(result->status());
  Batch batch(**std::move(result));
  result.reset();
  ++nextOut;
  ++counts.batches;
  lock.unlock();
  mayWork.notify_one();
  return std::optional<Batch>(std::move(batch));
}

StatusOr<int64_t> LoaderState::numberOf(BatchPosition position) const {
  const int64_t number = saturatingAdd(
      saturatingMultiply(position.epoch, batchesPerEpoch()), position.batch);
  if (position.epoch < 0 || position.batch < 0 ||
      position.batch >= batchesPerEpoch() || number > end ||
      number == std::numeric_limits<int64_t>::max())
    return invalidArgument(fmt::format(
        "there is no batch {} of epoch {}: an epoch has {} batches{}",
        position.batch, position.epoch, batchesPerEpoch(),
        options.epochs
            ? fmt::format(", and there are {} epochs", *options.epochs)
            : ""));
  return number;
}

Status LoaderState::seek(BatchPosition position) {
  WEIR_ASSIGN_OR_RETURN(const int64_t number, numberOf(position));
  {
    std::lock_guard lock(mutex);
    ++generation;
    for (std::optional<Result> &result : ring) {
      if (result && *result)
        const Batch unwanted(**std::move(result));
      result.reset();
    }
    nextOut = nextIn = number;
  }
  mayWork.notify_all();
  return Status::ok();
}

BatchPosition LoaderState::position() {
  std::lock_guard lock(mutex);
  return positionOf(nextOut);
}

LoaderStats LoaderState::stats() {
  std::lock_guard lock(mutex);
  LoaderStats stats = counts;
  stats.allocations = assembler.numAllocations();
  return stats;
}

StatusOr<Loader> Loader::create(Dataset dataset, LoaderOptions options) {
  WEIR_ASSIGN_OR_RETURN(BatchAssembler assembler,
                        BatchAssembler::create(std::move(dataset), options));
  auto state = std::make_unique<LoaderState>(std::move(assembler), options);
  Status status = state->seek(options.start);
  if (!status.isOk())
    return std::move(status).withContext("cannot start there");
  WEIR_RETURN_IF_ERROR(state->startThreads());
  return Loader(std::move(state));
}

Loader::Loader(std::unique_ptr<LoaderState> state) : state(std::move(state)) {}
Loader::Loader(Loader &&other) noexcept = default;
Loader &Loader::operator=(Loader &&other) noexcept = default;
Loader::~Loader() = default;

const std::vector<ColumnInfo> &Loader::columns() const {
  return state->columns();
}
int64_t Loader::batchesPerEpoch() const { return state->batchesPerEpoch(); }
StatusOr<std::optional<Batch>> Loader::next() { return state->next(); }
BatchPosition Loader::position() const { return state->position(); }
Status Loader::seek(BatchPosition position) { return state->seek(position); }
LoaderStats Loader::stats() const { return state->stats(); }
std::string Loader::placeOf(const Batch &batch, size_t column,
                            int64_t row) const {
  return state->describe(batch.position(), column, row);
}
