//===- StateTest.cpp - Variables while runs are in flight -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SharedModel.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

using namespace weir;

/// In every state all elements of both variables are equal. `sum` adds up the
/// variables of one state.
static constexpr const char *counters = R"(
  weir.parameter @left : tensor<4096xf32> = dense<1.0> : tensor<4096xf32>
  weir.parameter @right : tensor<4096xf32> = dense<1.0> : tensor<4096xf32>
  func.func @step() {
    %one = weir.constant dense<1.0> : tensor<1xf32>
    %left = weir.read @left : tensor<4096xf32>
    %right = weir.read @right : tensor<4096xf32>
    %a = weir.add %left, %one on "cpu:0" : tensor<4096xf32>, tensor<1xf32>
    %b = weir.add %right, %one on "cpu:1" : tensor<4096xf32>, tensor<1xf32>
    weir.assign @left, %a : tensor<4096xf32>
    weir.assign @right, %b : tensor<4096xf32>
    return
  }
  func.func @difference() -> tensor<4096xf32> {
    %left = weir.read @left : tensor<4096xf32>
    %right = weir.read @right : tensor<4096xf32>
    %d = weir.sub %left, %right on "cpu:0"
      : tensor<4096xf32>, tensor<4096xf32>
    return %d : tensor<4096xf32>
  }
)";

static std::unique_ptr<Session> loadCounters() {
  CompileOptions options;
  options.devices = "cpu:0-1";
  options.threads = 1;
  options.inFlight = 3;
  return loadText(counters, "step", options);
}

static bool areAll(const HostTensor &tensor, float value) {
  const auto values = tensor.values<float>();
  return std::ranges::all_of(values, [&](float each) { return each == value; });
}

/// Calls `function` on four threads until `isDone`.
template <typename Function>
static std::vector<std::thread> startCallers(std::atomic<bool> &isDone,
                                             Function function) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&isDone, function, i] {
      while (!isDone)
        function(i);
    });
  return threads;
}

TEST(State, NoRunSeesAMixture) {
  auto session = loadCounters();
  ASSERT_TRUE(session);
  std::atomic<bool> isDone = false;
  std::atomic<int> mixtures = 0, steps = 0;
  auto threads = startCallers(isDone, [&](int caller) {
    if (caller < 2) {
      call(*session, "step", {});
      ++steps;
    } else if (!std::ranges::all_of(valuesOf(*session, "difference", {}),
                                    [](float d) { return d == 0; })) {
      ++mixtures;
    }
  });
  const std::string path =
      (std::filesystem::temp_directory_path() / "weir-state.safetensors")
          .string();
  for (int i = 0; i < 100; ++i) {
    // One variable in one state; both in one state.
    auto left = session->getVariable("left");
    ASSERT_TRUE(left.isOk()) << left.status().message();
    EXPECT_TRUE(areAll(*left, left->values<float>()[0]));
    Status saved = session->saveVariables(path);
    ASSERT_TRUE(saved.isOk()) << saved.message();
    if (i % 10 == 0) {
      Status loaded = session->loadVariables(path);
      ASSERT_TRUE(loaded.isOk()) << loaded.message();
    }
  }
  isDone = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mixtures, 0);
  EXPECT_GT(steps, 0);
  auto left = session->getVariable("left"),
       right = session->getVariable("right");
  ASSERT_TRUE(left.isOk() && right.isOk());
  EXPECT_TRUE(areAll(*left, right->values<float>()[0]));
  std::filesystem::remove(path);
}

TEST(State, IsSetSavedAndLoaded) {
  auto session = loadCounters();
  ASSERT_TRUE(session);
  const std::string path =
      (std::filesystem::temp_directory_path() / "weir-saved.safetensors")
          .string();
  ASSERT_TRUE(session->saveVariables(path).isOk());
  call(*session, "step", {});
  EXPECT_TRUE(areAll(*session->getVariable("left"), 2));
  ASSERT_TRUE(session->loadVariables(path).isOk());
  EXPECT_TRUE(areAll(*session->getVariable("left"), 1));
  const HostTensor seven = floats({4096}, std::vector<float>(4096, 7));
  const int64_t dims[] = {4096};
  ASSERT_TRUE(session
                  ->setVariable("left", {DType::F32, dims, seven.data(),
                                         seven.bytes().size()})
                  .isOk());
  EXPECT_THAT(valuesOf(*session, "difference", {}), testing::Each(6));
  std::filesystem::remove(path);
}
