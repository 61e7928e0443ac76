//===- GuestTest.cpp - What sessions do not change in a process -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"
#include "TestKernels.h"
#include "weir/Runtime/Session.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace weir;
using namespace weir::test;

namespace {

/// A session with the one-element tensors for its calls.
class Caller {
public:
  explicit Caller(PlanBuilder &plan,
                  const SessionOptions &options = testOptions())
      : session(*Session::load(plan.build(), options)) {}

  Status run() { return session->run({&input, 1}, {&output, 1}); }
  Status runAsync() {
    return session->runAsync({&input, 1}, {&output, 1}).get();
  }

private:
  std::unique_ptr<Session> session;
  const std::vector<int64_t> dims = {1};
  float x = 1, y = 0;
  const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
};

/// A value that goes through `kernel`, and then through one that waits for it,
/// on that many devices.
PlanBuilder chain(const std::string &kernel, int numDevices) {
  PlanBuilder plan;
  uint16_t last = 0;
  for (int i = 0; i < numDevices; ++i)
    last = plan.device("test:" + std::to_string(i));
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1, last);
  const uint32_t between = plan.scratch(1);
  const uint32_t computed = plan.event();
  plan.on(0).launch("first", kernel, {x}, {between});
  plan.tensor("between", between);
  plan.record(computed);
  plan.on(last).wait(computed);
  plan.launch("second", "affine", {between}, {y});
  return plan;
}

// If a kernel throws, the run fails with the op's name. Nothing waits for the
// op's result, and later runs work.
TEST(Guest, SurvivesAKernelThatThrows) {
  for (int numDevices : {1, 2}) {
    PlanBuilder plan = chain("throw_in_run", numDevices);
    Caller caller(plan);
    for (int i = 0; i < 3; ++i)
      for (const Status &status : {caller.run(), caller.runAsync()})
        EXPECT_EQ(status.message(),
                  "op 'first' on test:0: kernel 'throw_in_run' (1xf32 -> "
                  "1xf32): an exception in the kernel: thrown");
  }
}

/// Throws something that is not a std::exception if `isOdd`.
class ThrowingObserver final : public TensorObserver {
public:
  explicit ThrowingObserver(bool isOdd) : isOdd(isOdd) {}
  Status observe(size_t, const void *) override {
    if (isOdd)
      throw 1;
    throw std::runtime_error("thrown");
  }

private:
  bool isOdd;
};

TEST(Guest, SurvivesAnObserverThatThrows) {
  for (bool isOdd : {false, true})
    for (int numDevices : {1, 2}) {
      PlanBuilder plan = chain("affine", numDevices);
      ThrowingObserver observer(isOdd);
      SessionOptions options = testOptions();
      options.observer = &observer;
      Caller caller(plan, options);
      for (int i = 0; i < 3; ++i)
        for (const Status &status : {caller.run(), caller.runAsync()})
          EXPECT_EQ(status.message(),
                    isOdd ? "an unknown exception in the observer of tensors"
                          : "an exception in the observer of tensors: thrown");
    }
}

// An invalid number of threads starts none.
TEST(Guest, RefusesNumbersOfThreads) {
  PlanBuilder plan = chain("affine", 1);
  for (int threads : {-3, -1, 1025, 100000}) {
    SessionOptions options = testOptions();
    options.threads = threads;
    auto session = Session::load(plan.build(), options);
    ASSERT_FALSE(session.isOk());
    EXPECT_EQ(session.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(session.status().message(),
              "expected SessionOptions::threads of 1 to 1024, or 0 for what "
              "the artifact says, found " +
                  std::to_string(threads));
  }
}

} // namespace
