//===- AdmissionTest.cpp - Tests of how runs begin and end ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Running/Admission.h"

#include "Runtime/Session/SessionState.h"
#include "SmallPlans.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

/// A queue whose submission the test carries out.
class HeldQueue final : public DeviceQueue {
public:
  void submit(Submission &submission) override { held = &submission; }
  void handOver() override { ++numHandOvers; }

  /// Ends the submission, before which `hasEntered` was the answer of `enter`.
  void complete(bool hasEntered) {
    held->hasEntered = hasEntered;
    held->onComplete(*held);
  }
  RunControl &run() const { return *held->run; }

  int numHandOvers = 0;

private:
  Submission *held = nullptr;
};

/// A run that notes its end.
struct NotedRun : RunRequest {
  RunOptions ownOptions;
  std::vector<Status> ends;

  NotedRun() {
    ownOptions.cancelToken.emplace();
    options = &ownOptions;
    onDone = [](RunRequest &request, Status status) {
      static_cast<NotedRun &>(request).ends.push_back(std::move(status));
    };
  }
};

// A run is cancelled while one queue tries to enter, another has left, and a
// third is far away. The caller learns of it when the one has given up.
TEST(Admission, TellsOfTheEndWhenAQueueCouldNotEnter) {
  PlanBuilder plan;
  for (uint16_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    plan.device("test:" + n);
    plan.on(d).fill("zero", plan.output("y" + n, 1, d));
  }
  auto model = loadModel(plan.build(), testOptions());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::vector<HeldQueue> queues(3);
  for (size_t i = 0; i < 3; ++i)
    (*model)->plans()[0]->programs[i].queue = &queues[i];
  auto admission = std::make_shared<Admission>(**model);
  float y = 0;
  const std::vector<int64_t> dims = {1};
  const std::vector<TensorView> outputs(3, {DType::F32, dims, &y, sizeof(y)});
  NotedRun run;
  run.claim.plan = (*model)->plans()[0].get();
  run.outputs = outputs;
  admission->enqueue(run);

  RunControl &control = queues[0].run();
  ASSERT_TRUE(control.enter());
  queues[0].complete(true);
  // `enter` counts the queue in and finds the run cancelled. Here the two
  // halves are calls of their own.
  ASSERT_TRUE(control.enter());
  run.ownOptions.cancelToken->cancel();
  EXPECT_TRUE(run.ends.empty());
  EXPECT_TRUE(control.exit());
  EXPECT_TRUE(run.ends.empty());
  queues[1].complete(false);
  ASSERT_EQ(run.ends.size(), 1u);
  EXPECT_EQ(run.ends[0].code(), StatusCode::Cancelled);
  EXPECT_FALSE(control.enter());
  queues[2].complete(false);
  EXPECT_EQ(run.ends.size(), 1u);
  EXPECT_EQ(admission->counts().failedRuns, 1u);
  admission->stop();
}

/// A device that does not begin the runs of a model, and its queue.
struct HeldModel {
  PlanBuilder plan;
  std::unique_ptr<LoadedModel> model;
  HeldQueue queue;
  float y = 0;
  const std::vector<int64_t> dims = {1};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
  NotedRun run;

  HeldModel() {
    plan.device("test:0");
    plan.on(0).fill("zero", plan.output("y", 1));
    auto loaded = loadModel(plan.build(), testOptions());
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    model = *std::move(loaded);
    model->plans()[0]->programs[0].queue = &queue;
    run.claim.plan = model->plans()[0].get();
    run.outputs = {&output, 1};
  }
};

constexpr std::chrono::milliseconds shortPatience{20};

// A stop does not wait for ever for a device that does not begin a run.
TEST(Admission, AStopLeavesWhatNoQueueBegins) {
  HeldModel held;
  auto admission = std::make_shared<Admission>(*held.model, shortPatience);
  admission->enqueue(held.run);
  admission->stop();
  ASSERT_EQ(held.run.ends.size(), 1u);
  EXPECT_EQ(held.run.ends[0].code(), StatusCode::Cancelled);
  EXPECT_FALSE(admission->isIdle());
  EXPECT_FALSE(held.queue.run().enter());
  held.queue.complete(false);
  EXPECT_TRUE(admission->isIdle());
}

// It does wait for a device that is inside of the run.
TEST(Admission, AStopWaitsForWhatAQueueHasBegun) {
  HeldModel held;
  auto admission = std::make_shared<Admission>(*held.model, shortPatience);
  admission->enqueue(held.run);
  ASSERT_TRUE(held.queue.run().enter());
  std::atomic<bool> isCompleted{false};
  std::thread device([&] {
    std::this_thread::sleep_for(3 * shortPatience);
    isCompleted = true;
    held.queue.complete(true);
  });
  admission->stop();
  EXPECT_TRUE(isCompleted);
  EXPECT_TRUE(admission->isIdle());
  device.join();
}

// Nor does the end of a session wait for ever. What the device may still use is
// kept until it answers.
TEST(Admission, TheEndOfASessionLeavesWhatNoQueueBegins) {
  HeldModel held;
  HeldQueue &queue = held.queue;
  auto state = std::make_unique<SessionState>(std::move(held.model), 0, true);
  state->admission = std::make_shared<Admission>(*state->model, shortPatience);
  const std::weak_ptr<Admission> admission = state->admission;
  state->admission->enqueue(held.run);
  state->admission->stop();
  SessionState::end(std::move(state));
  std::this_thread::sleep_for(3 * shortPatience);
  ASSERT_FALSE(admission.expired());
  queue.complete(false);
  for (int i = 0; i < 5000 && !admission.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(admission.expired());
}

// A caller who has to wait for another run gives back its team, which would
// disturb that run.
TEST(Admission, ACallerThatWaitsHandsOver) {
  PlanBuilder plan;
  plan.device("test:0");
  plan.on(0).launch("op", "affine", {plan.parameter({1})},
                    {plan.output("y", 1)});
  auto model = loadModel(plan.build(), testOptions());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  HeldQueue queue;
  (*model)->plans()[0]->programs[0].queue = &queue;
  auto admission = std::make_shared<Admission>(**model);
  float y = 0;
  const std::vector<int64_t> dims = {1};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
  NotedRun runs[2];
  for (NotedRun &run : runs) {
    EXPECT_EQ(queue.numHandOvers, 0);
    run.claim.plan = (*model)->plans()[0].get();
    run.outputs = {&output, 1};
    run.options = nullptr;
    Status outcome;
    EXPECT_FALSE(admission->runHere(run, outcome));
  }
  EXPECT_EQ(queue.numHandOvers, 1);
  for (NotedRun &run : runs) {
    EXPECT_TRUE(run.ends.empty());
    EXPECT_TRUE(queue.run().enter());
    queue.complete(true);
    EXPECT_EQ(run.ends.size(), 1u);
  }
  admission->stop();
}

} // namespace
