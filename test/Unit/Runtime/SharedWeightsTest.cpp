//===- SharedWeightsTest.cpp - Weights that sessions share ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Loading/SharedWeights.h"
#include "SmallPlans.h"
#include "weir/Runtime/HeldMemory.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace weir;
using namespace weir::test;

namespace {

/// 256 bytes, to which all memory is rounded.
constexpr int64_t floats = 64;

/// Computes x + 2 * packed + read, the second of which is packed and the third
/// read in place. `name` is in the model, so that files with different names
/// differ in more than their weights.
PlanBuilder model(float packed, float read, const std::string &name = "y",
                  bool isolated = false) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", isolated);
  const uint32_t x = plan.input("x", floats, device);
  const uint32_t y = plan.output(name, floats, device);
  const uint32_t sum = plan.scratch(floats, device);
  const uint32_t weights = plan.parameter(Floats(floats, packed), device);
  const uint32_t bias = plan.parameter(Floats(floats, read), device);
  plan.on(device);
  plan.launch("product", "packed", {x, weights}, {sum});
  plan.launch("sum", "add", {sum, bias}, {y});
  return plan;
}

float answerOf(Session &session) {
  auto results = run(session, {Floats(floats, 1)});
  EXPECT_TRUE(results.isOk()) << results.status().message();
  return results.isOk() ? (*results)[0][0] : 0;
}

struct Counts {
  uint64_t packed, inPlace, shared;
  bool operator==(const Counts &) const = default;
};
Counts countsOf(const Session &session) {
  const DeviceStats device = session.stats().devices[0];
  return {device.packedBytes, device.inPlaceBytes, device.sharedBytes};
}
constexpr Counts all{256, 256, 0}, none{0, 0, 512};

/// Adds up x and parameters of `size` elements, which are the values.
std::vector<std::byte> sumOf(const Floats &values, int64_t size) {
  PlanBuilder plan;
  plan.device("test:0");
  uint32_t sum = plan.input("x", size);
  for (const float value : values) {
    const uint32_t next =
        value == values.back() ? plan.output("y", size) : plan.scratch(size);
    plan.on(0).launch("sum", "add", {sum, plan.parameter(Floats(size, value))},
                      {next});
    sum = next;
  }
  return plan.bytes();
}

} // namespace

// What two models have in common is packed, read and counted once. When the
// first session ends, the second one keeps and counts it.
TEST(SharedWeights, AreOnceInAProcess) {
  PlanBuilder one = model(3, 5), other = model(3, 5, "another");
  numPacked = 0;
  auto first = load(one), second = load(other);
  EXPECT_EQ(numPacked, 1);
  EXPECT_EQ(countsOf(*first), all);
  EXPECT_EQ(countsOf(*second), none);
  EXPECT_EQ(answerOf(*first), 12);
  EXPECT_EQ(answerOf(*second), 12);
  first.reset();
  EXPECT_EQ(countsOf(*second), all);
  EXPECT_EQ(answerOf(*second), 12);
  auto third = load(one);
  EXPECT_EQ(countsOf(*third), none);
  second.reset();
  third.reset();
  load(one);
  EXPECT_EQ(numPacked, 2);
}

// Each weight is shared on its own, and by its values.
TEST(SharedWeights, AreSharedByContent) {
  PlanBuilder one = model(3, 5), otherPacked = model(4, 5),
              otherRead = model(3, 6);
  auto first = load(one), second = load(otherPacked), third = load(otherRead);
  EXPECT_EQ(countsOf(*second), (Counts{256, 0, 256}));
  EXPECT_EQ(countsOf(*third), (Counts{0, 256, 256}));
  EXPECT_EQ(answerOf(*first), 12);
  EXPECT_EQ(answerOf(*second), 14);
  EXPECT_EQ(answerOf(*third), 13);
}

// Parameters of one model with the same values are packed once, and each read
// where it is; as it was counted.
TEST(SharedWeights, AreSharedInAModel) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", floats), y = plan.output("y", floats);
  const uint32_t a = plan.scratch(floats), b = plan.scratch(floats),
                 c = plan.scratch(floats);
  plan.on(0);
  plan.launch("one", "packed", {x, plan.parameter(Floats(floats, 3))}, {a});
  plan.launch("two", "packed", {a, plan.parameter(Floats(floats, 3))}, {b});
  plan.launch("three", "add", {b, plan.parameter(Floats(floats, 3))}, {c});
  plan.launch("four", "add", {c, plan.parameter(Floats(floats, 3))}, {y});
  auto counted = countHeldMemory(plan.build(), testOptions());
  ASSERT_TRUE(counted.isOk()) << counted.status().message();
  numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(numPacked, 1);
  EXPECT_EQ(countsOf(*session), (Counts{256, 512, 0}));
  EXPECT_EQ(counted->devices[0].heldBytes(),
            session->stats().devices[0].heldBytes());
  EXPECT_EQ(answerOf(*session), 1 + 6 + 6 + 3 + 3);
}

// An isolated device has copies of its own, and a session that does not trust
// its model takes and gives nothing.
TEST(SharedWeights, AreNotSharedByAll) {
  PlanBuilder one = model(3, 5), isolated = model(3, 5, "y", true);
  SessionOptions options = testOptions();
  options.allowCode = false;
  auto careful = load(one, options);
  auto first = load(one);
  EXPECT_EQ(countsOf(*first), all);
  EXPECT_EQ(countsOf(*load(one, options)), all);
  EXPECT_EQ(countsOf(*load(isolated)), (Counts{256, 0, 0}));
}

// Memory that only has the hash of a parameter is not taken for it.
TEST(SharedWeights, AreComparedIfReadInPlace) {
  PlanBuilder plan = model(3, 5);
  const artifact::Artifact artifact = plan.build();
  const artifact::Blob &blob = *artifact.model().blobs()->Get(1);
  std::vector<std::byte> other(blob.bytes());
  const auto weight =
      std::make_shared<SharedWeight>(WeightPlace{other.data(), nullptr});
  SharedWeights::ofProcess().add(
      {blob.hash(), blob.bytes(), 0, "", blob.bytes()}, weight);
  auto session = load(plan);
  EXPECT_EQ(countsOf(*session), all);
  EXPECT_EQ(answerOf(*session), 12);
}

// A second session needs no memory for what the first one has. What only the
// first one uses is returned to the system when that ends.
TEST(SharedWeights, TakeNoMemoryTwice) {
  constexpr int64_t size = 4 << 20, bytes = size * 4;
  const auto both = sumOf({3, 5}, size), one = sumOf({5}, size);
  Floats x(size, 1), y(size);
  const auto answer = [&](Session &session) {
    const std::vector<int64_t> dims = {size};
    const ConstTensorView input{DType::F32, dims, x.data(), bytes};
    const TensorView output{DType::F32, dims, y.data(), bytes};
    const Status status = session.run({&input, 1}, {&output, 1});
    EXPECT_TRUE(status.isOk()) << status.message();
    return y.back();
  };
  auto first = *Session::load(both, testOptions());
  EXPECT_EQ(answer(*first), 9);
  const int64_t before = residentBytes();
  auto second = *Session::load(one, testOptions());
  EXPECT_EQ(answer(*second), 6);
  EXPECT_LT(residentBytes() - before, bytes / 2);
  first.reset();
  // Its scratch, and the parameter that the second one does not have.
  EXPECT_GT(before - residentBytes(), bytes * 3 / 2);
  EXPECT_EQ(answer(*second), 6);
  EXPECT_EQ(second->stats().devices[0].inPlaceBytes, uint64_t(bytes));
}

// Sessions that are loaded at the same time share as well.
TEST(SharedWeights, MayBeLoadedAtOnce) {
  constexpr int numThreads = 4;
  for (int trial = 0; trial < 20; ++trial) {
    PlanBuilder plan = model(3, 5);
    const std::vector<std::byte> bytes = plan.bytes();
    std::vector<std::unique_ptr<Session>> sessions(numThreads);
    numPacked = 0;
    std::latch start(numThreads);
    std::vector<std::jthread> threads;
    for (auto &session : sessions)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        auto loaded = Session::load(bytes, testOptions());
        ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
        session = *std::move(loaded);
        EXPECT_EQ(answerOf(*session), 12);
      });
    threads.clear();
    EXPECT_EQ(numPacked, 1);
    uint64_t sum = 0;
    for (const auto &session : sessions)
      sum += countsOf(*session).packed + countsOf(*session).inPlace;
    EXPECT_EQ(sum, 512u);
  }
}

// Who asks for a weight that another thread is making waits for it. If it
// cannot be made there, one of those that wait makes it. It is not kept without
// users.
TEST(SharedWeights, AreMadeOnce) {
  constexpr int numThreads = 8;
  SharedWeights weights;
  const WeightContent content{1, 2, 3, "format", 4};
  std::byte data{};
  std::atomic<int> numCalls{0}, numFailed{0};
  const auto make = [&]() -> StatusOr<WeightPlace> {
    const bool isFirst = numCalls++ == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (isFirst)
      return internalError("no memory");
    return WeightPlace{&data, nullptr};
  };
  std::vector<std::shared_ptr<SharedWeight>> got(numThreads);
  std::latch start(numThreads);
  std::vector<std::jthread> threads;
  for (auto &each : got)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      auto weight = weights.get(content, make);
      numFailed += !weight;
      if (weight) {
        each = *std::move(weight);
        EXPECT_EQ(each->data(), &data);
      }
    });
  threads.clear();
  EXPECT_EQ(numCalls, 2);
  EXPECT_EQ(numFailed, 1);
  const auto user = weights.find(content);
  EXPECT_EQ(std::ranges::count(got, user), numThreads - 1);
  got.clear();
  EXPECT_EQ(user.use_count(), 1);
}
