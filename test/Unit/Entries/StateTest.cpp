//===- StateTest.cpp - Variables while runs are in flight -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../Support/Trials.h"
#include "SharedModel.h"
#include "weir/Support/SafeTensors.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unistd.h>

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

static std::string temporaryPath() {
  return (std::filesystem::temp_directory_path() /
          ("weir-state-" + std::to_string(getpid()) + ".safetensors"))
      .string();
}

/// The elements of a variable in a file.
static std::vector<float> savedValues(const std::string &path,
                                      std::string_view name) {
  auto file = SafeTensors::open(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  if (!file)
    return {};
  const auto bytes = file->tensor(name)->bytes;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

static bool areEqual(const std::vector<float> &values) {
  return !values.empty() &&
         std::ranges::count(values, values[0]) == std::ssize(values);
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
  const std::string path = temporaryPath();
  for (int i = 0, count = countTrials(100); i < count; ++i) {
    // One variable in one state; both in one state.
    auto left = session->getVariable("left");
    ASSERT_TRUE(left.isOk()) << left.status().message();
    EXPECT_TRUE(areAll(*left, left->values<float>()[0]));
    Status saved = session->saveVariables(path);
    ASSERT_TRUE(saved.isOk()) << saved.message();
    const std::vector<float> values = savedValues(path, "left");
    EXPECT_TRUE(areEqual(values));
    EXPECT_EQ(values, savedValues(path, "right"));
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

static Status setLeft(Session &session, float value) {
  const std::vector<float> values(4096, value);
  const int64_t dims[] = {4096};
  return session.setVariable(
      "left", {DType::F32, dims, values.data(), values.size() * sizeof(float)});
}

// A variable that is set while runs use it is seen with its old elements or
// with its new ones.
TEST(State, NoRunSeesHalfASet) {
  auto session = loadCounters();
  ASSERT_TRUE(session);
  std::atomic<bool> isDone = false;
  std::atomic<int> mixtures = 0;
  auto threads = startCallers(isDone, [&](int caller) {
    if (caller < 2)
      call(*session, "step", {});
    else
      mixtures += !areEqual(valuesOf(*session, "difference", {}));
  });
  const std::string path = temporaryPath();
  for (int i = 0, count = countTrials(100); i < count; ++i) {
    ASSERT_TRUE(setLeft(*session, static_cast<float>(1000 * i)).isOk());
    auto left = session->getVariable("left");
    ASSERT_TRUE(left.isOk()) << left.status().message();
    EXPECT_TRUE(areAll(*left, left->values<float>()[0]));
    EXPECT_GE(left->values<float>()[0], static_cast<float>(1000 * i));
    ASSERT_TRUE(session->saveVariables(path).isOk());
    EXPECT_TRUE(areEqual(savedValues(path, "left")));
    EXPECT_TRUE(areEqual(savedValues(path, "right")));
    if (i % 10 == 0) {
      ASSERT_TRUE(session->loadVariables(path).isOk());
    }
  }
  isDone = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mixtures, 0);
  std::filesystem::remove(path);
}

TEST(State, IsSetSavedAndLoaded) {
  auto session = loadCounters();
  ASSERT_TRUE(session);
  const std::string path = temporaryPath();
  ASSERT_TRUE(session->saveVariables(path).isOk());
  call(*session, "step", {});
  EXPECT_TRUE(areAll(*session->getVariable("left"), 2));
  ASSERT_TRUE(session->loadVariables(path).isOk());
  EXPECT_TRUE(areAll(*session->getVariable("left"), 1));
  ASSERT_TRUE(setLeft(*session, 7).isOk());
  EXPECT_THAT(valuesOf(*session, "difference", {}), testing::Each(6));
  std::filesystem::remove(path);
}
