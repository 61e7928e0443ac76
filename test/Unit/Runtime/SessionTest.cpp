//===- SessionTest.cpp - Tests of sessions on hand-written plans ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "PlanBuilder.h"
#include "TestKernels.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Trace.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <thread>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

using namespace weir;
using namespace weir::test;

namespace {

using Floats = std::vector<float>;

std::unique_ptr<Session> load(PlanBuilder &plan,
                              const SessionOptions &options = testOptions()) {
  auto session = Session::load(plan.build(), options);
  EXPECT_TRUE(session.isOk()) << session.status().message();
  return session.isOk() ? *std::move(session) : nullptr;
}

/// Runs on vectors; the outputs get the sizes that the session states.
StatusOr<std::vector<Floats>> run(Session &session,
                                  const std::vector<Floats> &inputs) {
  std::vector<HostTensor> tensors;
  for (const Floats &input : inputs)
    tensors.push_back(*HostTensor::of<float>(
        DType::F32, {static_cast<int64_t>(input.size())}, input));
  auto results = session.run(tensors);
  if (!results)
    return results.status();
  std::vector<Floats> values;
  for (const HostTensor &result : *results)
    values.emplace_back(result.values<float>().begin(),
                        result.values<float>().end());
  return values;
}

AttrMap affine(double scale, double shift = 0) {
  AttrMap attrs;
  attrs.set("scale", std::vector<double>{scale});
  attrs.set("shift", std::vector<double>{shift});
  return attrs;
}

/// y = 2x + 3x on two devices: x is doubled on the first and tripled on the
/// second, and the results are added on the first. With isolated devices the
/// second result is copied by the second device's copy queue.
PlanBuilder diamond(bool isolated, const std::string &left = "affine",
                    const std::string &right = "affine") {
  PlanBuilder plan;
  const uint16_t one = plan.device("test:0", isolated);
  const uint16_t two = plan.device("test:1", isolated);
  const uint32_t x = plan.input("x", 4, one);
  const uint32_t xOnTwo = plan.inputOn(0, 4, two);
  const uint32_t y = plan.output("y", 4, one);
  const uint32_t doubled = plan.scratch(4, one);
  const uint32_t tripled = plan.scratch(4, two);
  const uint32_t arrived = isolated ? plan.scratch(4, one) : tripled;
  const uint32_t computed = plan.event(), crossed = plan.event();
  plan.on(one);
  plan.launch("left", left, {x}, {doubled}, affine(2));
  plan.wait(crossed);
  plan.launch("join", "add", {doubled, arrived}, {y});
  plan.on(two);
  plan.launch("right", right, {xOnTwo}, {tripled}, affine(3));
  plan.record(computed);
  plan.on(two, 1);
  plan.wait(computed);
  plan.copy("right", tripled, arrived, true, !isolated);
  plan.record(crossed);
  return plan;
}

// A value that crosses between devices which share memory costs no bytes.
TEST(Session, RunsADiamondOnTwoDevices) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
  const SessionStats stats = session->stats();
  ASSERT_EQ(stats.devices.size(), 2u);
  EXPECT_EQ(stats.devices[0].launches, 2u);
  EXPECT_EQ(stats.devices[1].launches, 1u);
  EXPECT_EQ(stats.devices[1].crossings, 1u);
  EXPECT_EQ(stats.devices[1].bytesCrossed, 0u);
  EXPECT_EQ(stats.devices[0].groups, 2u);
  EXPECT_EQ(stats.runs, 1u);
}

// An isolated device's value crosses as bytes, and they are counted.
TEST(Session, CountsTheBytesThatCrossIsolatedDevices) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
  EXPECT_EQ(session->stats().devices[1].bytesCrossed, 16u);
}

// What is allocated for arenas is what was planned, to the byte.
TEST(Session, AllocatesWhatWasPlanned) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  for (const DeviceStats &device : session->stats().devices) {
    EXPECT_GT(device.plannedBytes, 0u);
    EXPECT_EQ(device.allocatedBytes, device.plannedBytes);
  }
}

// Callers on eight threads each get the answer to their own input.
TEST(Session, AnswersEightThreads) {
  PlanBuilder plan = diamond(true);
  auto session = load(plan);
  std::vector<std::thread> threads;
  std::atomic<int> numWrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(t * 100 + i);
        auto result = run(*session, {Floats(4, value)});
        numWrong += !result.isOk() ||
                    *result != std::vector<Floats>{Floats(4, 5 * value)};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
  EXPECT_EQ(session->stats().runs, 400u);
}

/// y = x / 4, by a kernel that tells its thread.
PlanBuilder quarter(uint16_t threads = 1) {
  PlanBuilder plan;
  plan.device("test:0", false, threads);
  const uint32_t x = plan.input("x", 4);
  const uint32_t y = plan.output("y", 4);
  plan.on(0).launch("quarter", "thread", {x}, {y}, affine(0.25));
  return plan;
}

// A run of one device needs no other thread, unless the caller forbids it.
TEST(Session, RunsOnTheCaller) {
  PlanBuilder plan = quarter();
  SessionOptions options = testOptions();
  for (bool isAllowed : {true, false}) {
    options.runOnCaller = isAllowed;
    auto session = load(plan, options);
    EXPECT_EQ((*run(*session, {Floats(4, 4)}))[0], Floats(4, 1));
    EXPECT_EQ(lastThread.load() == std::this_thread::get_id(), isAllowed);
    EXPECT_EQ(session->stats().devices[0].launches, 1u);
  }
}

// Queues that wait for each other have a thread each. So do asynchronous runs.
TEST(Session, RunsOnItsOwnThreads) {
  PlanBuilder two = diamond(false, "thread");
  EXPECT_TRUE(run(*load(two), {Floats(4, 1)}).isOk());
  EXPECT_NE(lastThread.load(), std::this_thread::get_id());
  PlanBuilder plan = quarter();
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4, 8), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  EXPECT_TRUE(session->runAsync({&input, 1}, {&output, 1}).get().isOk());
  EXPECT_EQ(out, Floats(4, 2));
  EXPECT_NE(lastThread.load(), std::this_thread::get_id());
}

// Callers of one device take turns with its own thread, with or without a team.
TEST(Session, AnswersEightThreadsOfOneDevice) {
  for (uint16_t numThreads : {1, 2}) {
    PlanBuilder plan = quarter(numThreads);
    auto session = load(plan);
    std::vector<std::thread> threads;
    std::atomic<int> numWrong{0};
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const auto value = static_cast<float>(t * 1000 + i * 4);
          auto result = run(*session, {Floats(4, value)});
          numWrong += !result.isOk() ||
                      *result != std::vector<Floats>{Floats(4, value / 4)};
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(numWrong, 0);
    EXPECT_EQ(session->stats().runs, 1600u);
  }
}

#if defined(__SSE__)
// A caller that flushes subnormal numbers to zero does not change results.
TEST(Session, KeepsItsFloatModes) {
  PlanBuilder plan = quarter();
  auto session = load(plan);
  const float least = std::numeric_limits<float>::min();
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON | 0x40);
  auto results = run(*session, {Floats(4, least)});
  const bool isKept = (_mm_getcsr() & _MM_FLUSH_ZERO_ON) != 0;
  _mm_setcsr(before);
  EXPECT_TRUE(isKept);
  EXPECT_EQ((*results)[0], Floats(4, least / 4));
}
#endif

// Asynchronous runs end in the order in which they were queued, with their own
// results.
TEST(Session, RunsAsynchronously) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  constexpr size_t numRuns = 20;
  std::vector<Floats> inputs, outputs;
  std::vector<std::future<Status>> futures;
  const std::vector<int64_t> dims = {4};
  for (size_t i = 0; i < numRuns; ++i) {
    inputs.emplace_back(4, static_cast<float>(i));
    outputs.emplace_back(4);
  }
  for (size_t i = 0; i < numRuns; ++i) {
    const ConstTensorView in{DType::F32, dims, inputs[i].data(), 16};
    const TensorView out{DType::F32, dims, outputs[i].data(), 16};
    futures.push_back(session->runAsync({&in, 1}, {&out, 1}));
  }
  for (size_t i = 0; i < numRuns; ++i) {
    EXPECT_TRUE(futures[i].get().isOk());
    EXPECT_EQ(outputs[i], Floats(4, 5 * static_cast<float>(i)));
  }
}

// Stopping cancels the run in flight and those behind it; none is lost.
TEST(Session, StopsWithRunsInTheLine) {
  PlanBuilder plan = diamond(false, "gate");
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  std::vector<std::future<Status>> futures;
  std::thread stopper;
  {
    numAtGate = 0;
    GateCloser closer;
    for (int i = 0; i < 5; ++i)
      futures.push_back(session->runAsync({&input, 1}, {&output, 1}));
    while (numAtGate == 0)
      std::this_thread::yield();
    stopper = std::thread([&] { session->stop(); });
    // The stop is under way once new runs are refused.
    while (true) {
      auto late = session->runAsync({&input, 1}, {&output, 1});
      const bool refused = late.wait_for(std::chrono::milliseconds(1)) ==
                           std::future_status::ready;
      futures.push_back(std::move(late));
      if (refused)
        break;
    }
  }
  stopper.join();
  for (std::future<Status> &future : futures)
    EXPECT_EQ(future.get().code(), StatusCode::Cancelled);
}

// Destroying a session with queued runs neither hangs nor drops a future.
TEST(Session, IsDestroyedWithRunsInTheLine) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  std::vector<std::future<Status>> futures;
  for (int i = 0; i < 50; ++i)
    futures.push_back(session->runAsync({&input, 1}, {&output, 1}));
  session.reset();
  for (std::future<Status> &future : futures)
    (void)future.get();
}

// An error names op, device, kernel and shapes, and cancels the rest of the
// run. The session stays usable.
TEST(Session, ReportsTheOpThatFailed) {
  PlanBuilder plan = diamond(false, "affine", "fail");
  auto session = load(plan);
  for (int i = 0; i < 3; ++i) {
    auto result = run(*session, {{1, 2, 3, 4}});
    ASSERT_FALSE(result.isOk());
    EXPECT_EQ(result.status().message(),
              "op 'right' on test:1: kernel 'fail' (4xf32 -> 4xf32): broken");
  }
  EXPECT_EQ(session->stats().failedRuns, 3u);
}

// Kernels are shared if they are prepared from equal specs, not if specs print
// alike: the second one's only attribute has a strange name.
TEST(Session, TellsKernelsApartThatReadAlike) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 2);
  const uint32_t y = plan.output("y", 2), z = plan.output("z", 2);
  AttrMap strange;
  strange.set("scale=f2;shift", std::vector<double>{1});
  plan.on(0);
  plan.launch("first", "affine", {x}, {y}, affine(2, 1));
  plan.launch("second", "affine", {x}, {z}, strange);
  EXPECT_EQ(*run(*load(plan), {{1, 2}}), (std::vector<Floats>{{3, 5}, {1, 2}}));
}

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
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "op 'left?]0;title?' on test:0: kernel 'fail?[31m' (4xf32 -> "
            "4xf32): test devices of this build have no kernel 'fail?[31m'");
  PlanBuilder other = diamond(false);
  other.entry().inputs[0]->name = "x\x1b[31m";
  EXPECT_EQ(run(*load(other), {}).status().message(),
            "expected 1 inputs ('x?[31m' 4xf32), found 0");
  EXPECT_EQ(run(*load(other), {{1}}).status().message(),
            "input 'x?[31m': expected 4xf32, found 1xf32");
  SessionOptions options = testOptions();
  options.entry = "none";
  other.entry().name = "main\x1b[31m";
  session = Session::load(other.build(), options);
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "there is no entry 'none'; there are 'main?[31m'");
}

// An unknown kernel is refused at load, with the op that wants it.
TEST(Session, RefusesAnUnknownKernel) {
  PlanBuilder plan = diamond(false, "no_such_kernel");
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::Unimplemented);
  EXPECT_EQ(session.status().message(),
            "op 'left' on test:0: kernel 'no_such_kernel' (4xf32 -> 4xf32): "
            "test devices of this build have no kernel 'no_such_kernel'");
}

// Wrong inputs are refused with what was expected and what was found.
TEST(Session, RefusesWrongInputs) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  EXPECT_EQ(run(*session, {{1, 2}}).status().message(),
            "input 'x': expected 4xf32, found 2xf32");
  EXPECT_EQ(run(*session, {}).status().message(),
            "expected 1 inputs ('x' 4xf32), found 0");
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const ConstTensorView wrongType{DType::I32, dims, in.data(), 16};
  const ConstTensorView tooSmall{DType::F32, dims, in.data(), 12};
  const TensorView output{DType::F32, dims, out.data(), 16};
  const TensorView nowhere{DType::F32, dims, nullptr, 16};
  alignas(16) std::byte bytes[20];
  const ConstTensorView unaligned{DType::F32, dims, bytes + 2, 16};
  EXPECT_EQ(session->run({&wrongType, 1}, {&output, 1}).message(),
            "input 'x': expected 4xf32, found 4xi32");
  EXPECT_EQ(session->run({&tooSmall, 1}, {&output, 1}).message(),
            "input 'x': expected a buffer of 16 bytes, found 12 bytes");
  EXPECT_EQ(session->run({&unaligned, 1}, {&output, 1})
                .message()
                .find("input 'x': expected a buffer at a multiple of 4 bytes"),
            0u);
  EXPECT_EQ(session->run({&input, 1}, {&nowhere, 1}).message(),
            "output 'y': expected a buffer, found a null pointer");
  EXPECT_TRUE(session->run({&input, 1}, {&output, 1}).isOk());
}

// A variable starts as its blob and keeps what a run assigns to it.
TEST(Session, KeepsVariablesBetweenRuns) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 2);
  const uint32_t y = plan.output("y", 2);
  const uint32_t state = plan.parameter({10, 20}, 0, true);
  plan.on(0);
  plan.launch("sum", "add", {x, state}, {y});
  plan.copy("assign", y, state);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2}}), (std::vector<Floats>{{11, 22}}));
  EXPECT_EQ(*run(*session, {{1, 2}}), (std::vector<Floats>{{12, 24}}));
  // Another session of the same plan starts afresh.
  EXPECT_EQ(*run(*load(plan), {{1, 2}}), (std::vector<Floats>{{11, 22}}));
}

/// y = x + 2p on both of two devices, with p packed.
PlanBuilder packedTwice(bool isolated) {
  PlanBuilder plan;
  for (uint16_t d = 0; d < 2; ++d)
    plan.device("test:" + std::to_string(d), isolated);
  for (uint16_t d = 0; d < 2; ++d) {
    const std::string n = std::to_string(d);
    const uint32_t x = plan.input("x" + n, 2, d);
    const uint32_t y = plan.output("y" + n, 2, d);
    const uint32_t p = d ? plan.parameterOn(0, d) : plan.parameter({10, 20}, d);
    const uint32_t between = plan.scratch(2, d);
    plan.on(d);
    plan.launch("first", "packed", {x, p}, {between});
    plan.launch("second", "packed", {between, p}, {y});
  }
  return plan;
}

// Equal launches share a kernel. Devices that pack in the same way share packed
// operands.
TEST(Session, SharesKernelsAndPackedOperands) {
  PlanBuilder plan = packedTwice(false);
  numPrepared = numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2}, {3, 4}}),
            (std::vector<Floats>{{41, 82}, {43, 84}}));
  EXPECT_EQ(numPrepared, 2);
  EXPECT_EQ(numPacked, 1);
  const SessionStats stats = session->stats();
  EXPECT_EQ(stats.devices[0].kernels, 1u);
  EXPECT_EQ(stats.devices[0].packedBytes, 8u);
  EXPECT_EQ(stats.devices[1].packedBytes, 0u);
  EXPECT_EQ(stats.devices[0].parameterBytes, 0u);
}

// Isolated devices load and pack parameters once each.
TEST(Session, IsolatedDevicesKeepTheirOwnParameters) {
  PlanBuilder plan = packedTwice(true);
  numPacked = 0;
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2}, {3, 4}}),
            (std::vector<Floats>{{41, 82}, {43, 84}}));
  EXPECT_EQ(numPacked, 2);
  for (const DeviceStats &device : session->stats().devices) {
    EXPECT_EQ(device.packedBytes, 8u);
    EXPECT_EQ(device.parameterBytes, 256u);
  }
}

// Launches get the workspace they asked for; a queue has the largest once.
TEST(Session, GivesKernelsTheirWorkspace) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t x = plan.input("x", 100);
  const uint32_t y = plan.output("y", 100);
  const uint32_t between = plan.scratch(100);
  plan.on(0);
  plan.launch("first", "via_workspace", {x}, {between});
  plan.launch("second", "via_workspace", {between}, {y});
  auto session = load(plan);
  EXPECT_EQ((*run(*session, {Floats(100, 7)}))[0], Floats(100, 7));
  EXPECT_EQ(session->stats().devices[0].workspaceBytes, 400u);
}

// A fill writes zeros.
TEST(Session, Fills) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t y = plan.output("y", 3);
  plan.on(0).fill("zero", y);
  auto session = load(plan);
  EXPECT_EQ(*run(*session, {}), (std::vector<Floats>{{0, 0, 0}}));
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
                       "launch left", "wait wait", "launch join",
                       "launch right", "record record", "wait wait",
                       "crossing right", "record record"}));
}

// A launch in a trace has its kernel, shapes, and the bytes that it touches.
TEST(Session, TracesWhatLaunchesAre) {
  const auto json = traceOf(diamond(false));
  for (const auto &event : json["traceEvents"]) {
    if (event["name"] != "join")
      continue;
    EXPECT_EQ(event["args"]["kernel"], "add");
    EXPECT_EQ(event["args"]["shapes"], "4xf32, 4xf32 -> 4xf32");
    EXPECT_EQ(event["args"]["bytes"], 48);
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
  plan.tensor("sum", 2);
  plan.inside("product");
  plan.on(1);
  plan.entry().programs[1]->commands.pop_back();
  plan.tensor("tripled", 4);
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

// The first variant that the machine satisfies is taken.
TEST(Session, SkipsVariantsItCannotRun) {
  PlanBuilder plan = diamond(false);
  auto &variants = plan.model().variants;
  variants.push_back(std::make_unique<artifact::VariantT>());
  std::swap(variants[0], variants[1]);
  variants[0]->devices.push_back(std::make_unique<artifact::DeviceT>());
  variants[0]->devices[0]->name = "cuda:0";
  variants[0]->entries.push_back(std::make_unique<artifact::EntryT>());
  variants[0]->entries[0]->name = "main";
  EXPECT_EQ(*run(*load(plan), {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
}

// Where no variant fits, the error has the reason against each of them.
TEST(Session, SaysWhyNoVariantFits) {
  PlanBuilder plan = diamond(false);
  plan.model().variants[0]->cpu_features.push_back("no-such-feature");
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "no variant of the artifact can run on this machine; variant 0: "
            "the processor lacks the feature 'no-such-feature'; compile it for "
            "this machine");
  PlanBuilder other;
  other.device("warp:0");
  other.on(0).fill("zero", other.output("y", 1));
  session = Session::load(other.build());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "no variant of the artifact can run on this machine; variant 0: "
            "device 'warp:0' is of a kind that this runtime lacks; it has cpu, "
            "null; compile it for this machine");
}

// An arena no machine has is an error, not a crash.
TEST(Session, RefusesAnArenaThatDoesNotFit) {
  PlanBuilder plan = diamond(false);
  plan.entry().arenas[0]->bytes = uint64_t(1) << 46;
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
}

// A plan whose parts fit separately but not together is refused before memory
// is allocated.
TEST(Session, RefusesAPlanThatDoesNotFitAsAWhole) {
  PlanBuilder plan = diamond(false);
  const uint64_t memory = testDriver().detect()[0].memoryBytes;
  const uint64_t most = memory / 10 * 6 / 64 * 64;
  for (int i = 0; i < 2; ++i) {
    plan.entry().arenas.push_back(std::make_unique<artifact::ArenaT>());
    plan.entry().arenas.back()->bytes = most;
  }
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(session.status().message().find("test:0: the plan needs "), 0u)
      << session.status().message();
}

// Exceptions of a kernel's prepare become errors.
TEST(Session, SurvivesExceptionsInPrepare) {
  PlanBuilder plan = diamond(false, "throw");
  auto session = Session::load(plan.build(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "op 'left' on test:0: kernel 'throw' (4xf32 -> 4xf32): an "
            "exception in prepare: thrown");
}

// Launches of the library's scalar code are noted, with the first of them.
TEST(Session, NotesScalarCode) {
  PlanBuilder plan = diamond(false, "scalar");
  const SessionStats stats = load(plan)->stats();
  EXPECT_EQ(stats.devices[0].info.note,
            "1 of 2 launches run slow scalar code of the library, first op "
            "'left' on test:0: kernel 'scalar' (4xf32 -> 4xf32) as plain");
  EXPECT_EQ(stats.devices[1].info.note, "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// OpenMP ends the process where it cannot start a thread; a session says so
// instead.
TEST(SessionDeathTest, RefusesMoreThreadsThanTheProcessMayHave) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto loadMany = [] {
    const rlimit limit{rlim_t(3) << 30, rlim_t(3) << 30};
    setrlimit(RLIMIT_AS, &limit);
    PlanBuilder plan;
    plan.device("test:0", false, 1024);
    plan.on(0).fill("zero", plan.output("y", 1));
    auto session = Session::load(plan.build(), testOptions());
    std::fprintf(stderr, "%s\n",
                 std::string(session.status().message()).c_str());
    std::exit(session.status().code() == StatusCode::ResourceExhausted ? 0 : 1);
  };
  EXPECT_EXIT(loadMany(), testing::ExitedWithCode(0),
              "test:0: cannot start 1024 threads");
}
#endif

// If OpenMP makes a team smaller than required, the session is refused, because
// its results would have other bits.
TEST(SessionDeathTest, RefusesATeamThatIsTooSmall) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("OMP_THREAD_LIMIT", "1", 1);
  auto loadTwo = [] {
    PlanBuilder plan;
    plan.device("test:0", false, 2);
    plan.on(0).fill("zero", plan.output("y", 1));
    auto session = Session::load(plan.build(), testOptions());
    std::fprintf(stderr, "%s\n",
                 std::string(session.status().message()).c_str());
    std::exit(session.isOk() ? 1 : 0);
  };
  EXPECT_EXIT(loadTwo(), testing::ExitedWithCode(0),
              "test:0: expected a team of 2 threads, OpenMP gives 1");
  unsetenv("OMP_THREAD_LIMIT");
}

// Launches are listed with their kernels and implementations.
TEST(Session, ListsLaunches) {
  PlanBuilder plan = diamond(false);
  const std::vector<LaunchInfo> launches = load(plan)->launches();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[2].device, "test:1");
  EXPECT_EQ(launches[2].op, "right");
  EXPECT_EQ(launches[2].kernel, "affine");
  EXPECT_EQ(launches[2].implementation, "plain");
  EXPECT_EQ(launches[1].shapes, "4xf32, 4xf32 -> 4xf32");
}

// Removing one wait is a data race, which the thread sanitizer must report.
// Otherwise its silence on all other tests would mean nothing. With the wait it
// is silent.
TEST(SessionDeathTest, ThreadSanitizerSeesAMissingWait) {
#if defined(__SANITIZE_THREAD__)
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto runAndExit = [](bool withWait) {
    PlanBuilder plan = diamond(false, "gate");
    auto &commands = plan.entry().programs[0]->commands;
    if (!withWait)
      commands.erase(commands.begin() + 1);
    auto session = load(plan);
    for (int i = 0; i < 20; ++i)
      (void)run(*session, {{1, 2, 3, 4}});
    session.reset();
    std::exit(0);
  };
  EXPECT_EXIT(runAndExit(true), testing::ExitedWithCode(0), "");
  EXPECT_DEATH(runAndExit(false), "data race");
#else
  GTEST_SKIP() << "needs the tsan preset";
#endif
}

} // namespace
