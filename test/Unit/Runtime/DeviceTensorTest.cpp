//===- DeviceTensorTest.cpp - Tests of tensors in memory of devices -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/DeviceTensor.h"

#include "Runtime/Session/PortCheck.h"
#include "SmallPlans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int64_t width = 4;

/// On the isolated device test:1: "step" has y = 2x + 1, with x and y in its
/// memory. "sum" has z = x + u, with z and u in the host's.
PlanBuilder steps() {
  PlanBuilder plan;
  plan.entry().name = "step";
  plan.device("test:0");
  const uint16_t far = plan.device("test:1", /*isolated=*/true);
  const uint32_t x = plan.input("x", width, far);
  const uint32_t y = plan.output("y", width, far);
  plan.on(far).launch("step", "affine", {x}, {y}, affine(2, 1));
  plan.beginEntry("sum");
  const uint32_t near = plan.input("x", width, far);
  const uint32_t u = plan.hostInput("u", width);
  const uint32_t z = plan.hostOutput("z", width);
  const uint32_t there = plan.scratch(width, far);
  const uint32_t sum = plan.scratch(width, far);
  plan.on(far).copy("u", u, there);
  plan.launch("sum", "add", {near, there}, {sum});
  plan.copy("z", sum, z);
  return plan;
}

SessionOptions stepOptions() {
  SessionOptions options = testOptions();
  options.entry = "step";
  return options;
}

HostTensor vectorOf(const Floats &values) {
  return *HostTensor::of<float>(DType::F32,
                                {static_cast<int64_t>(values.size())}, values);
}

Floats valuesOf(const DeviceTensor &tensor) {
  auto values = tensor.copyToHost();
  EXPECT_TRUE(values.isOk()) << values.status().message();
  if (!values)
    return {};
  return {values->values<float>().begin(), values->values<float>().end()};
}

Status runStep(Session &session, const ConstTensorView &x,
               const TensorView &y) {
  return session.entry("step")->run({&x, 1}, {&y, 1});
}

/// A vector of the host.
struct HostVector {
  std::vector<int64_t> dims = {width};
  Floats values = Floats(width, 7);
  ConstTensorView in() const {
    return {DType::F32, dims, values.data(), values.size() * 4};
  }
  TensorView out() {
    return {DType::F32, dims, values.data(), values.size() * 4};
  }
};

// A session says where its inputs and outputs lie.
TEST(DeviceTensor, SessionsNameTheSpaces) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  EXPECT_EQ(session->inputs()[0].space.deviceName(), "test:1");
  EXPECT_EQ(session->outputs()[0].space, session->inputs()[0].space);
  const SessionEntry sum = *session->entry("sum");
  EXPECT_EQ(sum.inputs()[0].space, session->inputs()[0].space);
  EXPECT_TRUE(sum.inputs()[1].space.isHost());
  EXPECT_EQ(sum.outputs()[0].space.deviceName(), "");
}

// The output of one run is the input of the next one, and of another entry.
// Nothing crosses.
TEST(DeviceTensor, AnOutputFeedsTheNextRun) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  auto y = session->allocate(session->outputs()[0]);
  ASSERT_TRUE(x.isOk() && y.isOk());
  EXPECT_EQ(valuesOf(*x), Floats(width, 0));
  ASSERT_TRUE(x->copyFromHost(vectorOf({1, 2, 3, 4})).isOk());
  Floats expected = {1, 2, 3, 4};
  for (int i = 0; i < 5; ++i) {
    const Status status = runStep(*session, x->asInput(), y->asOutput());
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(session->stats().devices[1].crossings, 0u);
    EXPECT_EQ(session->stats().devices[1].bytesCrossed, 0u);
    for (float &value : expected)
      value = 2 * value + 1;
    EXPECT_EQ(valuesOf(*y), expected);
    std::swap(*x, *y);
  }
  HostVector u, z;
  const ConstTensorView inputs[] = {x->asInput(), u.in()};
  const TensorView outputs[] = {z.out()};
  ASSERT_TRUE(session->entry("sum")->run(inputs, outputs).isOk());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(z.values[i], expected[i] + 7);
}

// Sessions that share a device share its tensors, which outlive the session
// that allocated them.
TEST(DeviceTensor, GoesFromSessionToSession) {
  PlanBuilder plan = steps();
  auto first = load(plan, stepOptions()), second = load(plan, stepOptions());
  auto x = first->allocate(first->inputs()[0]);
  auto y = second->allocate(second->outputs()[0]);
  ASSERT_TRUE(x->copyFromHost(vectorOf(Floats(width, 3))).isOk());
  ASSERT_TRUE(runStep(*first, x->asInput(), y->asOutput()).isOk());
  first.reset();
  ASSERT_TRUE(runStep(*second, y->asInput(), x->asOutput()).isOk());
  second.reset();
  EXPECT_EQ(valuesOf(*x), Floats(width, 15));
  EXPECT_EQ(x->space().deviceName(), "test:1");
  // The tensors keep the device open for a third session.
  auto third = load(plan, stepOptions());
  ASSERT_TRUE(runStep(*third, x->asInput(), y->asOutput()).isOk());
  EXPECT_EQ(valuesOf(*y), Floats(width, 31));
}

// The last tensor closes its device.
TEST(DeviceTensor, KeepsOnlyItsDevicesOpen) {
  const int before = countSettledThreads();
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  {
    auto x = session->allocate(session->inputs()[0]);
    session.reset();
    EXPECT_GT(countThreads(), before);
  }
  expectThreads(before);
}

// Memory of another space is refused, and the message says which one, where it
// should be, and what to do.
TEST(DeviceTensor, RunsRefuseOtherSpaces) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  auto y = session->allocate(session->outputs()[0]);
  HostVector host;
  EXPECT_EQ(runStep(*session, host.in(), y->asOutput()).message(),
            "input 'x': expected a tensor in the memory of test:1, found one "
            "in the host's memory; pass a tensor that was allocated with this "
            "session, and copy to or from it");
  EXPECT_EQ(runStep(*session, x->asInput(), host.out()).message(),
            "output 'y': expected a tensor in the memory of test:1, found one "
            "in the host's memory; pass a tensor that was allocated with this "
            "session, and copy to or from it");
  const ConstTensorView inputs[] = {x->asInput(), x->asInput()};
  const TensorView outputs[] = {host.out()};
  EXPECT_EQ(session->entry("sum")->run(inputs, outputs).message(),
            "input 'u': expected a tensor in the host's memory, found one in "
            "the memory of test:1; copy the tensor to a buffer of the host, "
            "and pass that; or, for an input or output, compile the model with "
            "it in the memory of that device");
  const HostTensor tensors[] = {vectorOf(host.values)};
  EXPECT_EQ(session->run(tensors).status().code(), StatusCode::InvalidArgument);
}

// A tensor that was moved to another one has no memory any more.
TEST(DeviceTensor, RunsRefuseWhatWasMoved) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  auto y = session->allocate(session->outputs()[0]);
  const DeviceTensor taken = std::move(*x);
  EXPECT_EQ(
      runStep(*session, x->asInput(), y->asOutput()).message(),
      "input 'x': expected 4xf32, found a view without memory, such as "
      "that of a tensor which was moved to another one; pass that one, or "
      "a new tensor");
  EXPECT_TRUE(runStep(*session, taken.asInput(), y->asOutput()).isOk());
}

// A device that another session has opened for itself has other memory.
TEST(DeviceTensor, SessionsWithOtherThreadsShareNothing) {
  PlanBuilder plan = steps();
  SessionOptions options = stepOptions();
  auto session = load(plan, options);
  options.threads = 2;
  auto other = load(plan, options);
  auto x = other->allocate(other->inputs()[0]);
  auto y = session->allocate(session->outputs()[0]);
  EXPECT_EQ(runStep(*session, x->asInput(), y->asOutput()).message(),
            "input 'x': expected a tensor in the memory of test:1 as this "
            "session has it open, found one of a session that has opened the "
            "device for itself; allocate the tensor with this session, or load "
            "both sessions with the same devices and options and without "
            "observers");
  EXPECT_EQ(session->allocate(other->inputs()[0]).status().message(),
            "'x' lies in the memory of test:1, but this session has another "
            "device of that name or none; allocate it with the session of that "
            "input or output");
}

// Host memory can be allocated in the same way.
TEST(DeviceTensor, MayLieOnTheHost) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  const SessionEntry sum = *session->entry("sum");
  auto u = session->allocate(sum.inputs()[1]);
  ASSERT_TRUE(u.isOk());
  EXPECT_TRUE(u->space().isHost());
  ASSERT_TRUE(u->copyFromHost(vectorOf({5, 6, 7, 8})).isOk());
  EXPECT_EQ(valuesOf(*u), (Floats{5, 6, 7, 8}));
  EXPECT_EQ(runAnywhere(*session, sum, {{1, 2, 3, 4}, {5, 6, 7, 8}})->front(),
            (Floats{6, 8, 10, 12}));
}

// Copies need host memory of the right shape, and a tensor that was not moved.
TEST(DeviceTensor, CopiesAreChecked) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  EXPECT_EQ(x->copyFromHost(vectorOf({1, 2})).message(),
            "expected 4xf32, found 2xf32");
  EXPECT_EQ(x->copyFromHost(x->asInput()).message(),
            "expected a tensor in the host's memory, found one in the memory "
            "of test:1; copy the tensor to a buffer of the host, and pass "
            "that; or, for an input or output, compile the model with it in "
            "the memory of that device");
  const DeviceTensor moved = std::move(*x);
  EXPECT_EQ(x->copyToHost().status().message(),
            "the DeviceTensor has no memory, since it was moved to another "
            "one; use that one, or allocate a new one");
  EXPECT_EQ(x->copyFromHost(vectorOf({1, 2, 3, 4})).message(),
            x->copyToHost().status().message());
  EXPECT_EQ(valuesOf(moved), Floats(width, 0));
}

// Outputs that a run by name drops get memory in their space.
TEST(DeviceTensor, OutputsOfDevicesCanBeDropped) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  const NamedInput inputs[] = {{"x", x->asInput()}};
  const Status status = session->run(std::span<const NamedInput>(inputs), {});
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(DeviceTensor, CallbacksMayAllocate) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  auto y = session->allocate(session->outputs()[0]);
  const ConstTensorView inputs[] = {x->asInput()};
  const TensorView outputs[] = {y->asOutput()};
  std::promise<Status> allocated;
  session->entry().runAsync(inputs, outputs, [&](const Status &) {
    allocated.set_value(session->allocate(session->inputs()[0]).status());
  });
  EXPECT_TRUE(allocated.get_future().get().isOk());
}

// Equal addresses in two spaces are two places.
TEST(DeviceTensor, OverlapsAreFoundPerSpace) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  auto x = session->allocate(session->inputs()[0]);
  const ConstTensorView input = x->asInput();
  const TensorView same = x->asOutput();
  TensorInfo output = session->outputs()[0];
  auto check = [&] {
    return checkOverlaps(session->inputs(), {&input, 1}, {&output, 1},
                         {&same, 1});
  };
  EXPECT_EQ(check().message(), "output 'y' overlaps input 'x' in memory; give "
                               "each a buffer of its own");
  output.space = MemorySpace();
  EXPECT_TRUE(check().isOk());
}

// Threads allocate while others run.
TEST(DeviceTensor, IsAllocatedDuringRuns) {
  PlanBuilder plan = steps();
  auto session = load(plan, stepOptions());
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(t * 100 + i);
        auto found =
            runAnywhere(*session, session->entry(), {Floats(width, value)});
        numWrong +=
            !found.isOk() || found->front() != Floats(width, 2 * value + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
}

} // namespace
