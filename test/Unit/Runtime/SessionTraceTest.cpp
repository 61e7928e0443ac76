//===- SessionTraceTest.cpp - Tests of what sessions show of a run --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/Trace.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;

namespace {

// A trace outlives the sessions that wrote it, and names that are no UTF-8 do
// no harm to it.
TEST(Session, LeavesATraceBehind) {
  PlanBuilder plan = diamond(false);
  plan.entry().names[0] = "left\xff";
  Trace trace;
  SessionOptions options = testOptions();
  options.trace = &trace;
  ASSERT_TRUE(run(*load(plan, options), {{1, 2, 3, 4}}).isOk());
  EXPECT_NE(trace.toChromeJson().find("left\xef\xbf\xbd"), std::string::npos);
}

// No name of an artifact reaches a message with its control characters.
TEST(Session, PrintsNamesWithoutControlCharacters) {
  PlanBuilder plan = diamond(false, "fail\x1b[31m");
  plan.entry().names[0] = "left\x1b]0;title\x07";
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "op 'left?]0;title?' on test:0: kernel 'fail?[31m' (4xf32 -> "
            "4xf32): test devices of this build have no kernel 'fail?[31m'");
  PlanBuilder other = diamond(false);
  other.entry().inputs[0]->name = "x\x1b[31m";
  EXPECT_EQ(run(*load(other), {}).status().message(),
            "expected 1 input ('x?[31m' 4xf32), found 0");
  EXPECT_EQ(run(*load(other), {{1}}).status().message(),
            "input 'x?[31m': expected 4xf32, found 1xf32");
  SessionOptions options = testOptions();
  options.entry = "none";
  other.entry().name = "main\x1b[31m";
  session = Session::load(other.bytes(), options);
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "there is no entry 'none'; the entries are 'main?[31m'");
}

// --check-numerics names the first op with a NaN, and where it stands.
TEST(Session, ChecksNumerics) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 3);
  const uint32_t y = plan.output("y", 3);
  const uint32_t between = plan.scratch(3);
  AttrMap at;
  at.set("at", std::vector<int64_t>{2});
  plan.on(0);
  plan.launch("bad", "nan", {x}, {between}, at);
  plan.launch("after", "affine", {between}, {y});
  EXPECT_TRUE(run(*load(plan), {{1, 2, 3}}).isOk());
  SessionOptions options = testOptions();
  options.checkNumerics = true;
  EXPECT_EQ(run(*load(plan, options), {{1, 2, 3}}).status().message(),
            "op 'bad' on test:0: kernel 'nan' (3xf32 -> 3xf32): result 0 "
            "holds nan at [2]");
}

/// The Chrome trace of a run of `plan`.
static nlohmann::json traceOf(PlanBuilder plan) {
  Trace trace;
  SessionOptions options = testOptions();
  options.trace = &trace;
  auto session = load(plan, options);
  EXPECT_TRUE(run(*session, {{1, 2, 3, 4}}).isOk());
  return nlohmann::json::parse(trace.toChromeJson());
}

// The trace has a row per queue, with launches, waits and copies by name.
TEST(Session, TracesEveryQueue) {
  const auto json = traceOf(diamond(true));
  std::vector<std::string> rows, spans;
  for (const auto &event : json["traceEvents"]) {
    if (event["name"] == "thread_name")
      rows.push_back(event["args"]["name"]);
    if (event["ph"] == "X")
      spans.push_back(event["cat"].get<std::string>() + " " +
                      event["name"].get<std::string>());
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"compute", "compute", "copy"}));
  EXPECT_EQ(spans, (std::vector<std::string>{
                       "copy x", "launch left", "wait wait", "launch join",
                       "copy y", "copy x", "launch right", "record record",
                       "wait wait", "crossing right", "record record"}));
}

// A trace has room for all steps of a run, however many.
TEST(Session, TracesLongPrograms) {
  constexpr int numLaunches = (1 << 18) + 100;
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0);
  for (int i = 0; i < numLaunches; ++i)
    plan.launch("op", "affine", {x}, {y});
  Trace trace;
  SessionOptions options = testOptions();
  options.trace = &trace;
  auto session = load(plan, options);
  ASSERT_TRUE(run(*session, {{1}}).isOk());
  EXPECT_EQ(trace.numLost(), 0u);
  EXPECT_EQ(trace.rows()[0]->held().size(), size_t{numLaunches});
  ASSERT_TRUE(run(*session, {{1}}).isOk());
  EXPECT_EQ(trace.numLost(), uint64_t{numLaunches});
}

// A launch in a trace has its kernel, shapes, flops, and the bytes that it
// touches.
TEST(Session, TracesWhatLaunchesAre) {
  PlanBuilder plan = diamond(false);
  for (auto &kernel : plan.variant().kernels)
    kernel->flops = kernel->name == "add" ? 4 : 0;
  const auto json = traceOf(std::move(plan));
  for (const auto &event : json["traceEvents"]) {
    if (event["name"] != "join")
      continue;
    EXPECT_EQ(event["args"]["kernel"], "add");
    EXPECT_EQ(event["args"]["shapes"], "4xf32, 4xf32 -> 4xf32");
    EXPECT_EQ(event["args"]["bytes"], 48);
    EXPECT_EQ(event["args"]["flops"], 4);
    return;
  }
  FAIL() << "no launch of 'join'";
}

/// Keeps what it is shown; fails at tensor `refused`.
class Recorder final : public TensorObserver {
public:
  Status observe(size_t index, const void *data) override {
    std::lock_guard<std::mutex> lock(mutex);
    const auto *values = static_cast<const float *>(data);
    seen[index].assign(values, values + 4);
    return index == refused ? internalError("refused") : Status::ok();
  }
  std::map<size_t, Floats> seen;
  size_t refused = SIZE_MAX;

private:
  std::mutex mutex;
};

/// The diamond with names for what its launches leave and hold.
PlanBuilder namedDiamond(bool isolated) {
  PlanBuilder plan = diamond(isolated);
  plan.on(0);
  std::vector<artifact::Command> &one = plan.entry().programs[0]->commands;
  const artifact::Command last = one.back();
  // Behind the launch comes a copy to the host.
  if (isolated)
    one.pop_back();
  plan.tensor("sum", isolated ? 5 : 1);
  plan.inside("product");
  if (isolated)
    one.push_back(last);
  plan.on(1);
  plan.entry().programs[1]->commands.pop_back();
  plan.tensor("tripled", 3);
  plan.record(0);
  return plan;
}

// Tensors are observed when their commands have completed, in memory that the
// next command may reuse, on every device.
TEST(Session, ShowsTensors) {
  for (bool isolated : {false, true}) {
    PlanBuilder plan = namedDiamond(isolated);
    Recorder recorder;
    SessionOptions options = testOptions();
    options.observer = &recorder;
    auto session = load(plan, options);
    const std::span<const PlanTensor> tensors = session->tensors();
    ASSERT_EQ(tensors.size(), 3u);
    EXPECT_EQ(tensors[0].name, "sum");
    EXPECT_EQ(tensors[0].op, "join");
    EXPECT_EQ(tensors[0].kernel, "add");
    EXPECT_EQ(tensors[0].device, "test:0");
    EXPECT_EQ(tensors[1].place, PlanTensor::Place::Inside);
    EXPECT_EQ(tensors[2].device, "test:1");
    for (float scale : {1.0f, 2.0f}) {
      ASSERT_TRUE(run(*session, {Floats(4, scale)}).isOk());
      EXPECT_EQ(recorder.seen,
                (std::map<size_t, Floats>{{0, Floats(4, 5 * scale)},
                                          {2, Floats(4, 3 * scale)}}));
    }
  }
}

// What an observer refuses fails the run, and nothing hangs.
TEST(Session, FailsWithItsObserver) {
  PlanBuilder plan = namedDiamond(false);
  Recorder recorder;
  recorder.refused = 2;
  SessionOptions options = testOptions();
  options.observer = &recorder;
  auto session = load(plan, options);
  EXPECT_EQ(run(*session, {Floats(4, 1)}).status().message(), "refused");
}

/// A chain of two launches, both with visible results.
PlanBuilder visibleChain() {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  const uint32_t between = plan.scratch(1);
  plan.on(0).launch("first", "affine", {x}, {between});
  plan.tensor("between", between);
  plan.launch("second", "affine", {between}, {y});
  plan.tensor("last", y);
  return plan;
}

/// Notes when it is called.
class Clock final : public TensorObserver {
public:
  Status observe(size_t, const void *) override {
    calls.push_back(monotonicNs());
    return Status::ok();
  }
  std::vector<uint64_t> calls;
};

// The time of a launch ends before its results are shown, and that of the next
// one begins after it.
TEST(Session, TracesLaunchesWithoutTheirObserver) {
  PlanBuilder plan = visibleChain();
  Trace trace;
  Clock clock;
  SessionOptions options = testOptions();
  options.trace = &trace;
  options.observer = &clock;
  options.checkNumerics = true;
  ASSERT_TRUE(run(*load(plan, options), {{1}}).isOk());
  const std::vector<TraceSpan> spans = trace.rows()[0]->held();
  ASSERT_EQ(spans.size(), 2u);
  ASSERT_EQ(clock.calls.size(), 2u);
  EXPECT_LE(spans[0].endNs, clock.calls[0]);
  EXPECT_GE(spans[1].beginNs, clock.calls[0]);
  EXPECT_LE(spans[1].endNs, clock.calls[1]);
}

/// Calls its own session, and another one.
class Nested final : public TensorObserver {
public:
  Status observe(size_t, const void *) override {
    innerStatus = run(*other, {{1}}).status();
    if (stops)
      own->stop();
    return run(*own, {{1}}).status();
  }
  Session *own = nullptr, *other = nullptr;
  bool stops = false;
  Status innerStatus;
};

// An observer can run another session. A run of its own would wait for itself,
// so it is an error; a stop ends the run.
TEST(Session, RefusesRunsInItsObserver) {
  for (bool onCaller : {true, false}) {
    PlanBuilder plan = visibleChain(), otherPlan = visibleChain();
    Nested observer;
    SessionOptions options = testOptions();
    options.runOnCaller = onCaller;
    const auto other = load(otherPlan, options);
    options.observer = &observer;
    const auto session = load(plan, options);
    observer.own = session.get();
    observer.other = other.get();
    EXPECT_EQ(run(*session, {{1}}).status().message(),
              "cannot run in the session's own observer, since the run waits "
              "for it; start a run in the background there, or run elsewhere");
    EXPECT_TRUE(observer.innerStatus.isOk());
    observer.stops = true;
    EXPECT_EQ(run(*session, {{1}}).status().code(), StatusCode::Cancelled);
    session->stop();
    EXPECT_TRUE(observer.innerStatus.isOk());
  }
}

} // namespace
