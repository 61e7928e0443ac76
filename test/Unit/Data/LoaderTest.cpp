//===- LoaderTest.cpp - Batches, read ahead -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DataFixture.h"

#include <atomic>
#include <chrono>
#include <new>
#include <random>
#include <stdexcept>
#include <thread>

using namespace weir;
using namespace std::chrono_literals;

namespace {
/// The elements of the batches that `loader` gives until its end.
std::vector<std::vector<int64_t>> drain(Loader &loader) {
  std::vector<std::vector<int64_t>> batches;
  while (auto batch = take(loader.next())) {
    const auto values = batch->tensors()[0].values<int64_t>();
    batches.push_back({values.begin(), values.end()});
  }
  return batches;
}

std::vector<std::vector<int64_t>> batchesOf(const Dataset &data,
                                            const LoaderOptions &options) {
  Loader loader = take(Loader::create(data, options));
  return drain(loader);
}

/// `data` with a step on "x" that calls `visit` with each number.
Dataset visited(const Dataset &data, std::function<Status(int64_t)> visit) {
  return take(data.map(
      "x", {CustomStep{DType::I64, {}, [visit](auto from, auto to) {
                         std::memcpy(to.data(), from.data(), to.size());
                         return visit(loadInt(DType::I64, from.data(), 0));
                       }}}));
}

using Batches = std::vector<std::vector<int64_t>>;
} // namespace

// What a step throws on a reader's thread is the error of that batch.
TEST(LoaderTest, StepsMayThrow) {
  for (const int threads : {0, 2}) {
    LoaderOptions options;
    options.batchSize = 1;
    options.threads = threads;
    const auto errorOf = [&](std::function<void()> fail) {
      Loader loader = take(Loader::create(visited(numbers(10),
                                                  [=](int64_t number) {
                                                    if (number == 1)
                                                      fail();
                                                    return Status::ok();
                                                  }),
                                          options));
      take(loader.next());
      return std::string(loader.next().status().message());
    };
    EXPECT_EQ(errorOf([] { throw std::bad_alloc(); }), "out of memory");
    EXPECT_EQ(errorOf([] { throw std::runtime_error("no folder"); }),
              "an exception in reading a batch: no folder");
    EXPECT_EQ(errorOf([] { throw 1; }),
              "an exception in reading a batch: of an unknown type");
  }
}

TEST(LoaderTest, LastBatch) {
  LoaderOptions options;
  options.batchSize = 4;
  EXPECT_EQ(batchesOf(numbers(10), options),
            (Batches{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
  options.last = LastBatch::Drop;
  EXPECT_EQ(batchesOf(numbers(10), options),
            (Batches{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  options.last = LastBatch::Pad;
  options.maskColumn = "mask";
  Loader loader = take(Loader::create(numbers(10), options));
  EXPECT_EQ(loader.columns()[1], (ColumnInfo{"mask", DType::F32, {}, {}}));
  for (int64_t count : {4, 4, 2}) {
    const auto batch = take(loader.next());
    EXPECT_EQ(batch->count(), count);
    EXPECT_EQ(batch->tensors()[1].values<float>()[1], 1);
    EXPECT_EQ(batch->tensors()[1].values<float>()[2], count > 2);
    EXPECT_EQ(batch->tensors()[0].values<int64_t>()[2],
              count > 2 ? 4 * batch->position().batch + 2 : 0);
  }
  EXPECT_FALSE(take(loader.next()).has_value());
  EXPECT_FALSE(take(loader.next()).has_value());
}

// Whatever the threads, batches come in the same order, and each epoch has
// another one.
TEST(LoaderTest, OrderDoesNotDependOnThreads) {
  LoaderOptions options;
  options.batchSize = 7;
  options.shuffle = true;
  options.epochs = 3;
  options.threads = 0;
  const Batches expected = batchesOf(numbers(100), options);
  ASSERT_EQ(expected.size(), 45u);
  EXPECT_NE(expected[0], expected[15]);
  for (int threads : {1, 2, 5})
    for (int ahead : {1, 3, 16}) {
      options.threads = threads;
      options.ahead = ahead;
      EXPECT_EQ(batchesOf(numbers(100), options), expected)
          << threads << " threads, " << ahead << " ahead";
    }
  std::vector<int64_t> epoch;
  for (size_t i = 15; i < 30; ++i)
    epoch.insert(epoch.end(), expected[i].begin(), expected[i].end());
  std::sort(epoch.begin(), epoch.end());
  EXPECT_EQ(epoch, allOf(numbers(100)));
}

// A run that starts at the position of another sees what the other sees next.
TEST(LoaderTest, Resume) {
  LoaderOptions options;
  options.batchSize = 8;
  options.shuffle = true;
  options.epochs = 4;
  options.threads = 2;
  const Batches all = batchesOf(numbers(50), options);
  for (int64_t done : {0, 1, 6, 7, 13, 27, 28}) {
    Loader loader = take(Loader::create(numbers(50), options));
    for (int64_t i = 0; i < done; ++i)
      ASSERT_TRUE(take(loader.next()).has_value());
    LoaderOptions rest = options;
    rest.start = loader.position();
    EXPECT_EQ(rest.start, (BatchPosition{done / 7, done % 7}));
    EXPECT_EQ(batchesOf(numbers(50), rest),
              Batches(all.begin() + done, all.end()));
  }
}

TEST(LoaderTest, Seek) {
  LoaderOptions options;
  options.batchSize = 5;
  options.epochs.reset();
  options.threads = 3;
  // Threads are in the middle of batches when they are no longer wanted.
  const Dataset slow = visited(numbers(20), [](int64_t) {
    std::this_thread::sleep_for(50us);
    return Status::ok();
  });
  Loader loader = take(Loader::create(slow, options));
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const BatchPosition position{static_cast<int64_t>(random() % 1000),
                                 static_cast<int64_t>(random() % 4)};
    ASSERT_TRUE(loader.seek(position).isOk());
    const auto batch = take(loader.next());
    EXPECT_EQ(batch->position(), position);
    EXPECT_EQ(batch->tensors()[0].values<int64_t>()[0], 5 * position.batch);
  }
  EXPECT_EQ(loader.seek({0, 4}).message(),
            "there is no batch 4 of epoch 0: an epoch has 4 batches");
  EXPECT_FALSE(loader.seek({-1, 0}).isOk());
  EXPECT_FALSE(loader.seek({int64_t{1} << 62, 0}).isOk());
}

// Batches in front of a bad example come first; then there is its error, in
// every call, until the loader is moved.
TEST(LoaderTest, ErrorsInTheirPlace) {
  const Dataset data = visited(numbers(100), [](int64_t number) {
    if (number == 37 || number == 90)
      return Status(StatusCode::DataLoss, "bad");
    // The bad one is found before those in front of it are ready.
    std::this_thread::sleep_for(number < 35 ? 1ms : 0ms);
    return Status::ok();
  });
  for (int threads : {0, 1, 4}) {
    LoaderOptions options;
    options.batchSize = 5;
    options.threads = threads;
    options.ahead = 8;
    Loader loader = take(Loader::create(data, options));
    for (int64_t i = 0; i < 7; ++i)
      ASSERT_EQ(take(loader.next())->position().batch, i);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(errorOf(loader.next()),
                "batch 7 of epoch 0 cannot be read: column 'x', row 37: bad");
    ASSERT_TRUE(loader.seek({0, 8}).isOk());
    EXPECT_EQ(take(loader.next())->position().batch, 8);
  }
}

// Threads stop when as many batches are ready as they may read ahead.
TEST(LoaderTest, BackPressure) {
  std::atomic<int64_t> read = 0;
  const Dataset data = visited(numbers(1000), [&](int64_t) {
    ++read;
    return Status::ok();
  });
  LoaderOptions options;
  options.batchSize = 10;
  options.threads = 3;
  options.ahead = 5;
  Loader loader = take(Loader::create(data, options));
  for (int64_t taken = 0; taken < 20; ++taken) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (read < 10 * (taken + 5) &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(read, 10 * (taken + 5));
    take(loader.next());
  }
}

// Destroyed at any moment, a loader ends its threads. What it gave stays.
TEST(LoaderTest, EndsAtAnyMoment) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    LoaderOptions options;
    options.batchSize = 16;
    options.threads = 1 + static_cast<int>(random() % 4);
    options.ahead = 1 + static_cast<int>(random() % 6);
    options.epochs.reset();
    std::optional<Batch> last;
    {
      Loader loader = take(Loader::create(numbers(1000), options));
      for (int i = static_cast<int>(random() % 8); i-- > 0;)
        last = take(loader.next());
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    }
    if (last) {
      EXPECT_EQ(last->tensors()[0].values<int64_t>()[3],
                16 * last->position().batch + 3);
    }
  }
}

// It does not wait for the rest of a batch.
TEST(LoaderTest, EndsInTheMiddleOfABatch) {
  std::atomic<bool> hasBegun = false;
  const Dataset slow = visited(numbers(100000), [&](int64_t) {
    hasBegun = true;
    std::this_thread::sleep_for(1ms);
    return Status::ok();
  });
  LoaderOptions options;
  options.batchSize = 100000;
  const auto begin = std::chrono::steady_clock::now();
  {
    Loader loader = take(Loader::create(slow, options));
    while (!hasBegun)
      std::this_thread::yield();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

// A reader that alone delivers twice as fast as batches are needed is hardly
// waited for. Both are sleeps, so a busy machine delays them alike; a wait for
// a whole batch would show as 50 of them.
TEST(LoaderTest, FastReaderIsNotWaitedFor) {
  const Dataset data = visited(numbers(51), [](int64_t) {
    std::this_thread::sleep_for(5ms);
    return Status::ok();
  });
  LoaderOptions options;
  options.batchSize = 1;
  options.ahead = 8;
  Loader loader = take(Loader::create(data, options));
  while (take(loader.next()))
    std::this_thread::sleep_for(10ms);
  const LoaderStats stats = loader.stats();
  EXPECT_EQ(stats.batches, 51u);
  // There is nothing yet for the first call.
  EXPECT_LE(stats.waits, 25u);
}

// A slow reader is the only bound: four threads sleep at the same time.
TEST(LoaderTest, ThreadsReadAtTheSameTime) {
  const Dataset data = visited(numbers(40), [](int64_t) {
    std::this_thread::sleep_for(20ms);
    return Status::ok();
  });
  LoaderOptions options;
  options.batchSize = 1;
  options.threads = 4;
  options.ahead = 8;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(batchesOf(data, options).size(), 40u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 600ms);
}

// Memory of batches is used again, also that of smaller last ones.
TEST(LoaderTest, ReusesMemory) {
  LoaderOptions options;
  options.batchSize = 8;
  options.epochs = 100;
  options.ahead = 3;
  Loader loader = take(Loader::create(numbers(20), options));
  EXPECT_EQ(drain(loader).size(), 300u);
  EXPECT_LE(loader.stats().allocations, 8u);
}

TEST(LoaderTest, BadOptions) {
  auto error = [](auto change, int64_t size = 10) {
    LoaderOptions options;
    change(options);
    return errorOf(Loader::create(numbers(size), options));
  };
  EXPECT_EQ(error([](auto &o) { o.batchSize = 0; }),
            "the batch size is 0; expected at least 1");
  EXPECT_EQ(error([](auto &o) { o.epochs = 0; }),
            "the number of epochs is 0; expected at least 1");
  EXPECT_EQ(error([](auto &o) { o.threads = -1; }),
            "the number of threads is -1; expected 0 to 1024");
  EXPECT_EQ(error([](auto &o) { o.ahead = 0; }),
            "the number of batches to read ahead is 0; expected 1 to 65536");
  EXPECT_EQ(
      error([](auto &o) { o.last = LastBatch::Drop; }),
      "the dataset has 10 examples, fewer than a batch of 32, and a smaller "
      "batch is dropped; keep it with LastBatch::Keep, pad it with "
      "LastBatch::Pad, or, if the graph leaves the number of examples open, "
      "compile the entry for smaller batches with graph-compile --shape");
  EXPECT_EQ(error([](auto &) {}, 0),
            "the dataset has no examples, so it makes no batch");
  EXPECT_EQ(error([](auto &o) { o.maskColumn = "x"; }),
            "the dataset has a column 'x' already; give the mask another name");
  EXPECT_EQ(error([](auto &o) {
              o.start = {2, 0};
            }),
            "cannot start there: there is no batch 0 of epoch 2: an epoch has "
            "1 batches, and there are 1 epochs");
  EXPECT_NE(error([](auto &o) {
              o.batchSize = int64_t{1} << 46;
            }).find("a batch of column 'x'"),
            std::string::npos);
}
