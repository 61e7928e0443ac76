//===- BoundDeviceTest.cpp - Devices that are bound to cores --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/CpuTopology.h"
#include "SmallPlans.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

using namespace weir;
using namespace weir::test;

/// y = what the only launch computes of x, or the processor that runs it.
static PlanBuilder makePlan(const std::string &kernel = "processor") {
  PlanBuilder plan;
  const auto device = plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(device).launch("y", kernel, {x}, {y});
  return plan;
}

/// The plan of `makePlan`, with the device bound to `cores` by the artifact.
static PlanBuilder makeBoundPlan(const char *cores) {
  PlanBuilder plan = makePlan();
  auto &option = plan.variant().devices[0]->options.emplace_back(
      std::make_unique<artifact::DeviceOptionT>());
  option->name = "cores";
  option->value = cores;
  return plan;
}

static SessionOptions choosing(std::vector<DeviceOption> chosen) {
  SessionOptions options = testOptions();
  options.deviceOptions = std::move(chosen);
  return options;
}

static std::string errorOf(PlanBuilder plan, const SessionOptions &options) {
  return std::string(Session::load(plan.bytes(), options).status().message());
}

// A caller that is on another core does not run the device's kernels, although
// it is the only one.
TEST(BoundDevice, NeverRunsOnItsCaller) {
  const std::vector<int> processors = detectCpuTopology().processors;
  if (processors.size() < 2)
    GTEST_SKIP() << "all threads are on one processor";
  PlanBuilder plan = makePlan();
  const int last = processors.back();
  auto session =
      load(plan, choosing({{"test:0", "cores", std::to_string(last)}}));
  std::thread([&] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(processors.front(), &first);
    ASSERT_EQ(sched_setaffinity(0, sizeof(first), &first), 0);
    for (int repeat = 0; repeat < 20; ++repeat)
      EXPECT_EQ(*run(*session, {{0}}),
                (std::vector<Floats>{{static_cast<float>(last)}}));
  }).join();
}

// The threads of a device are on its cores, also those that would be the
// caller's; other sessions do not change that.
TEST(BoundDevice, RunsOnItsCores) {
  PlanBuilder plan = makePlan();
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<int> processors = detectCpuTopology().processors;
  processors.resize(std::min<size_t>(processors.size(), 4));
  for (const int processor : processors) {
    sessions.push_back(
        load(plan, choosing({{"test:0", "cores", std::to_string(processor)}})));
    ASSERT_TRUE(sessions.back());
  }
  for (int repeat = 0; repeat < 20; ++repeat)
    for (size_t i = 0; i < sessions.size(); ++i)
      EXPECT_EQ(*run(*sessions[i], {{0}}),
                (std::vector<Floats>{{static_cast<float>(processors[i])}}));
}

/// Starts a run that ends when the gate opens. Returns when it is there.
static std::future<Status> startAtGate(Session &session, OneRun &run) {
  const int before = numAtGate;
  auto done = run.start(session);
  while (numAtGate == before)
    std::this_thread::yield();
  return done;
}

// A run on one core does not wait for that of another session on another core,
// but for that of a session that uses both.
TEST(BoundDevice, WaitsForNoOtherCore) {
  const std::vector<int> processors = detectCpuTopology().processors;
  if (processors.size() < 2)
    GTEST_SKIP() << "all sessions are on one processor";
  const std::string first = std::to_string(processors.front()),
                    last = std::to_string(processors.back());
  PlanBuilder gated = makePlan("gate"), plan = makePlan();
  auto held = load(gated, choosing({{"test", "cores", first}}));
  auto other = load(plan, choosing({{"test", "cores", last}}));
  OneRun heldRun, otherRun;
  {
    const GateCloser gate;
    auto isDone = startAtGate(*held, heldRun);
    EXPECT_TRUE(otherRun.run(*other).isOk());
    EXPECT_EQ(isDone.wait_for(std::chrono::seconds(0)),
              std::future_status::timeout);
  }
  auto both = load(plan, choosing({{"test", "cores", first + "," + last}}));
  std::future<Status> isDone, bothDone;
  OneRun again, bothRun;
  {
    const GateCloser gate;
    isDone = startAtGate(*held, again);
    bothDone = bothRun.start(*both);
    EXPECT_EQ(bothDone.wait_for(std::chrono::milliseconds(50)),
              std::future_status::timeout);
  }
  EXPECT_TRUE(isDone.get().isOk());
  EXPECT_TRUE(bothDone.get().isOk());
}

// Options of the artifact count until the session has others.
TEST(BoundDevice, TakesOptionsFromTheArtifact) {
  EXPECT_NE(errorOf(makeBoundPlan("4095"), testOptions())
                .find("test:0: expected processors that this process may use"),
            std::string::npos);
  const int last = detectCpuTopology().processors.back();
  PlanBuilder plan = makeBoundPlan("4095");
  auto session =
      load(plan, choosing({{"test:0", "cores", std::to_string(last)}}));
  EXPECT_EQ(*run(*session, {{0}}),
            (std::vector<Floats>{{static_cast<float>(last)}}));
}

// Cores and a NUMA node are two ways to choose the same. A session that uses
// the one replaces the other of the artifact, but it cannot use both.
TEST(BoundDevice, MovesFromCoresToANode) {
  const CpuTopology topology = detectCpuTopology();
  if (topology.nodes.empty())
    GTEST_SKIP() << "the system reports no NUMA node";
  const auto &[number, cores] = *topology.nodes.begin();
  const DeviceOption node = {"test", "numa_node", std::to_string(number)};
  PlanBuilder plan = makeBoundPlan("4095");
  auto session = load(plan, choosing({node}));
  const int processor = static_cast<int>((*run(*session, {{0}}))[0][0]);
  EXPECT_EQ(std::ranges::count(cores, processor), 1);
  const DeviceOption core = {"test:0", "cores", std::to_string(cores[0])};
  EXPECT_EQ(errorOf(makeBoundPlan("0"), choosing({core, node})),
            "test:0: expected only one of cores and numa_node");
}
