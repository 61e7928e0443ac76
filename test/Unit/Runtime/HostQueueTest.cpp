//===- HostQueueTest.cpp - When a queue uses its team ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Host/HostQueue.h"
#include "Runtime/Devices/Host/QueueTeam.h"
#include "Runtime/Devices/Host/TeamUse.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace weir;

namespace {

using Calls = std::vector<std::string>;

/// Writes down what it is asked for. Says that runs are alone if `alone` is
/// set.
class TeamUseLog final : public TeamUse {
public:
  explicit TeamUseLog(Calls &calls) : calls(calls) {}
  bool isAlone(const CommandList &) override { return alone; }
  void begin(const CommandList &) override { calls.push_back("begin"); }
  void end(const CommandList &, std::optional<uint64_t> ns) override {
    calls.push_back(ns ? "end" : "end without a time");
  }

  bool alone = false;

private:
  Calls &calls;
};

/// Writes down what its queue does on its own thread. No caller gets a turn.
class QueueTeamLog final : public QueueTeam {
public:
  explicit QueueTeamLog(Calls &calls) : calls(calls) {}
  Turn beginTurn(bool) override { return Turn::Refused; }
  void endTurn() override {}
  void rest() override {}
  void beginAlone() override { calls.push_back("alone"); }
  void handOver() override {}

private:
  Calls &calls;
};

/// A kernel that calls a function.
class Function final : public Kernel {
public:
  Status run(const KernelArgs &) override { return function(); }

  std::function<Status()> function = [] { return Status::ok(); };
};

/// A queue that writes down the calls of its options and of its kernel.
class HostQueueTest : public testing::Test {
protected:
  void SetUp() override {
    HostQueueOptions options;
    options.deviceName = "host:0";
    options.onWork = [&] {
      calls.push_back("work");
      return workStatus;
    };
    options.team = team;
    options.teamUse = use;
    queue = *HostQueue::create(std::move(options));
    kernel.function = [&] {
      calls.push_back("kernel");
      return kernelStatus;
    };
    step.kernel = &kernel;
    spec.name = "sum";
    info.op = "total";
    info.spec = &spec;
    list.steps = {&step, 1};
    list.infos = {&info, 1};
    list.needsTeam = true;
  }

  /// Runs the list on the queue's thread. Returns how the run ended.
  Status run(bool isCancelled = false) {
    RunControl control;
    control.reset(0);
    if (isCancelled)
      control.fail(Status(StatusCode::Cancelled, "stop"));
    Completion done;
    void *noSlots = nullptr;
    Submission submission;
    submission.list = &list;
    submission.run = &control;
    submission.slots = &noSlots;
    submission.context = &done;
    submission.onComplete = [](Submission &ended) {
      static_cast<Completion *>(ended.context)->notify();
    };
    queue->submit(submission);
    done.wait();
    return control.status();
  }

  Calls calls;
  std::shared_ptr<QueueTeamLog> team = std::make_shared<QueueTeamLog>(calls);
  std::shared_ptr<TeamUseLog> use = std::make_shared<TeamUseLog>(calls);
  Status workStatus, kernelStatus;
  Function kernel;
  Step step;
  KernelSpec spec;
  StepInfo info;
  CommandList list;
  /// Destroyed before what it calls.
  std::unique_ptr<HostQueue> queue;
};

// The thread's team is there before a run that uses it, and the choice learns
// when the run begins and ends.
TEST_F(HostQueueTest, PreparesItsTeam) {
  EXPECT_TRUE(run().isOk());
  EXPECT_EQ(calls, (Calls{"work", "begin", "kernel", "end"}));
}

TEST_F(HostQueueTest, LeavesItsTeamForARunAlone) {
  use->alone = true;
  EXPECT_TRUE(run().isOk());
  EXPECT_EQ(calls, (Calls{"alone", "begin", "kernel", "end"}));
}

TEST_F(HostQueueTest, DoesNotAskForASerialList) {
  list.needsTeam = false;
  use->alone = true;
  EXPECT_TRUE(run().isOk());
  EXPECT_EQ(calls, (Calls{"kernel"}));
}

// The time of a run that lacks steps says nothing about the team.
TEST_F(HostQueueTest, DoesNotMeasureAFailedRun) {
  kernelStatus = internalError("broken");
  const Status status = run();
  EXPECT_TRUE(status.message().starts_with("op 'total' on host:0: kernel"))
      << status.message();
  EXPECT_EQ(calls, (Calls{"work", "begin", "kernel", "end without a time"}));
}

TEST_F(HostQueueTest, DoesNotMeasureARunWithoutATeam) {
  workStatus = resourceExhausted("no threads");
  EXPECT_EQ(run().message(), "host:0: no threads");
  EXPECT_EQ(calls, (Calls{"work", "begin", "end without a time"}));
}

// A run that was cancelled before it began touches nothing.
TEST_F(HostQueueTest, DoesNotBeginACancelledRun) {
  EXPECT_EQ(run(/*isCancelled=*/true).code(), StatusCode::Cancelled);
  EXPECT_EQ(calls, Calls{});
}

} // namespace
