//===- CudaTest.cpp - Tests of the cuda plug-in on pretended GPUs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// FakeCuda stands in for the driver. It checks the order of all work, and no
// test may leave anything behind.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "weir/Testing/DeviceConformance.h"

#include "../Support/Trials.h"
#include "RandomPlans.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Trace.h"

using namespace weir;
using namespace weir::test;

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceConformance, testing::Values("cuda"));

// All GPUs are found, with memory and architecture.
TEST_F(Cuda, ListsDevices) {
  const auto driver = findDeviceDriver("cuda");
  ASSERT_TRUE(driver.isOk()) << driver.status().message();
  const std::vector<DeviceInfo> devices = (*driver)->detect();
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[1].name, "cuda:1");
  EXPECT_EQ(devices[1].memoryBytes, uint64_t(1) << 30);
  EXPECT_EQ(devices[1].description, "Pretended GPU, sm_90");
}

// A GPU that the machine lacks is named, with what it has.
TEST_F(Cuda, RefusesAGpuThatIsNotThere) {
  PlanBuilder plan = makeChain("cuda:7", 1);
  const auto session = Session::load(plan.bytes(), {});
  ASSERT_FALSE(session.isOk());
  EXPECT_NE(session.status().message().find(
                "cuda:7: the machine has 4 GPUs, from cuda:0 on"),
            std::string_view::npos)
      << session.status().message();
}

// Runs compute. The first one asks for each launch, the second one captures
// them, and from then on a graph is launched.
TEST_F(Cuda, ReplaysWhatItHasCaptured) {
  PlanBuilder plan = makeChain("cuda:0", 5);
  auto session = load(plan, {});
  fake().forget();
  std::vector<size_t> launches, graphs;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(resultOf(*session), 32);
    launches.push_back(fake().calls()["cuLaunchKernel"]);
    graphs.push_back(fake().calls()["cuGraphLaunch"]);
  }
  EXPECT_EQ(launches, (std::vector<size_t>{5, 10, 10, 10}));
  EXPECT_EQ(graphs, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(session->stats().devices[0].launches, 5u);
}

// A graph is for the addresses that it was captured with. Runs on other ones
// compute, too.
TEST_F(Cuda, FollowsAddresses) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.input("x", 4), y = plan.output("y", 4);
  const uint32_t between = plan.scratch(4);
  plan.on(0).launchOnGpu("first", code, twice, {x}, between);
  plan.launchOnGpu("second", code, twice, {between}, y);
  auto session = load(plan, {});
  const SessionEntry entry = session->entry();
  std::vector<DeviceTensor> inputs;
  for (float value : {1.0f, 10.0f}) {
    inputs.push_back(*session->allocate(entry.inputs()[0]));
    ASSERT_TRUE(inputs.back()
                    .copyFromHost(*HostTensor::of<float>(DType::F32, {4},
                                                         Floats(4, value)))
                    .isOk());
  }
  DeviceTensor output = *session->allocate(entry.outputs()[0]);
  fake().forget();
  for (size_t input : {0, 0, 0, 1, 0, 1, 1, 1}) {
    const ConstTensorView from = inputs[input].asInput();
    const TensorView to = output.asOutput();
    ASSERT_TRUE(entry.run({&from, 1}, {&to, 1}).isOk());
    const HostTensor result = *output.copyToHost();
    EXPECT_EQ(result.values<float>()[3], input ? 40 : 4);
  }
  // Both were captured and replayed once.
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 2u);
  EXPECT_EQ(fake().calls()["cuGraphLaunch"], 4u);
}

// If the launches cannot be captured, runs are carried out step by step, and
// the session says so once.
TEST_F(Cuda, RunsWhatItCannotCapture) {
  for (const char *function : {"cuStreamBeginCapture", "cuStreamEndCapture",
                               "cuGraphInstantiateWithFlags"}) {
    PlanBuilder plan = makeChain("cuda:0", 3);
    auto session = load(plan, {});
    EXPECT_EQ(resultOf(*session), 8);
    fake().failCall(function, 1, 999);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(resultOf(*session), 8) << function;
    const std::string note = session->stats().devices[0].info.note;
    EXPECT_NE(note.find("not captured as a CUDA graph"), note.npos) << note;
    EXPECT_NE(note.find(function), note.npos) << note;
    fake().forget();
  }
}

// Parts on the CPU and on GPUs wait for each other, and all values arrive.
TEST_F(Cuda, RunsBesideTheCpu) {
  PlanBuilder plan = makeMixed();
  auto session = load(plan);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(resultOf(*session), 10);
}

// Several runs are in flight, each with memory of its own.
TEST_F(Cuda, SeveralRunsAreInFlight) {
  PlanBuilder plan = makeMixed();
  plan.variant().frames = 3;
  auto session = load(plan);
  std::vector<OneRun> runs(60);
  std::vector<std::future<Status>> ends;
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].x = static_cast<float>(i);
    ends.push_back(runs[i].start(*session));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_TRUE(ends[i].get().isOk());
    EXPECT_EQ(runs[i].y, 10 * static_cast<float>(i));
  }
}

// A run that waits for the CPU ends at its deadline, and the session works on.
TEST_F(Cuda, EndsAtADeadline) {
  PlanBuilder plan = makeMixed("gate");
  auto session = load(plan);
  OneRun one;
  std::future<Status> end;
  {
    // The CPU is inside of its kernel until after the deadline.
    const GateCloser closed;
    one.options.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    end = one.start(*session);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  EXPECT_EQ(end.get().code(), StatusCode::Cancelled);
  EXPECT_EQ(resultOf(*session), 10);
}

// Loops move addresses and the values of events.
TEST_F(Cuda, RepeatsSteps) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 12), y = plan.hostOutput("y", 12);
  const uint32_t at = plan.scratch(12), to = plan.scratch(12);
  const uint32_t filled = plan.event(), done = plan.event(3);
  plan.on(0, 1).copy("x", x, at);
  plan.record(filled);
  plan.on(0).wait(filled);
  plan.repeat(3);
  plan.launchPartOnGpu(4, "part", code, twice, {at}, to);
  plan.move(0, {4});
  plan.move(1, {4});
  plan.record(done, 1);
  plan.move(-1, {1});
  plan.endRepeat();
  plan.on(0, 1).wait(done, 3);
  plan.copy("y", to, y);
  auto session = load(plan, {});
  Floats values;
  for (int i = 0; i < 12; ++i)
    values.push_back(static_cast<float>(i));
  for (int i = 0; i < 4; ++i) {
    const auto results = run(*session, {values});
    ASSERT_TRUE(results.isOk()) << results.status().message();
    for (size_t at = 0; at < 12; ++at)
      EXPECT_EQ((*results)[0][at], 2 * values[at]);
  }
}

// An observer gets the values in the host's memory, before they are
// overwritten.
TEST_F(Cuda, ShowsTensors) {
  struct Collector final : TensorObserver {
    Status observe(size_t tensor, const void *data) override {
      seen.emplace_back(tensor, *static_cast<const float *>(data));
      return Status::ok();
    }
    std::vector<std::pair<size_t, float>> seen;
  } collector;
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t at = plan.scratch(1), to = plan.scratch(1);
  plan.on(0).copy("x", x, at);
  plan.launchOnGpu("first", code, twice, {at}, to);
  plan.tensor("doubled", to);
  plan.launchOnGpu("second", code, twice, {to}, at);
  plan.tensor("again", at);
  plan.copy("y", at, y);
  SessionOptions options;
  options.observer = &collector;
  auto session = load(plan, options);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resultOf(*session), 4);
  ASSERT_EQ(collector.seen.size(), 6u);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(collector.seen[i],
              (std::pair<size_t, float>(i % 2, i % 2 ? 4 : 2)));
}

// A launch that makes a NaN is named.
TEST_F(Cuda, ChecksNumerics) {
  PlanBuilder plan = makeChain("cuda:0", 2, /*last=*/makesNan);
  SessionOptions options;
  options.checkNumerics = true;
  auto session = load(plan, options);
  OneRun one;
  const Status status = one.run(*session);
  EXPECT_NE(status.message().find("op 'launch1' on cuda:0"),
            std::string_view::npos)
      << status.message();
  EXPECT_NE(status.message().find("result 0 holds nan at [0]"),
            std::string_view::npos)
      << status.message();
}

// A trace has a span for each step, and the run still computes.
TEST_F(Cuda, Traces) {
  PlanBuilder plan = makeChain("cuda:0", 3);
  Trace trace;
  SessionOptions options;
  options.trace = &trace;
  auto session = load(plan, options);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resultOf(*session), 8);
  fake().forget();
  EXPECT_EQ(resultOf(*session), 8);
  EXPECT_EQ(fake().calls()["cuGraphLaunch"], 0u);
  EXPECT_EQ(fake().calls()["cuLaunchKernel"], 3u);
}

// A kernel that runs on the host, as those of tests do, sees what the stream
// was asked for before it.
TEST_F(Cuda, KernelsOnTheHostWaitForTheStream) {
  struct Reader final : Kernel {
    Status run(const KernelArgs &args) override {
      seen = *static_cast<const char *>(args.buffers[0]);
      return Status::ok();
    }
    char seen = 'y';
  } reader;
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  Device &device = *devices[0];
  auto memory = *device.allocate(1);
  ASSERT_TRUE(device.copyFromHost(memory->data(), "x", 1).isOk());
  RunControl run;
  run.reset(0);
  conformance::Work work({memory->data()});
  work.move(StepKind::Fill, 1)
      .launch(reader)
      .submit(**device.openQueue(0), run);
  work.finish();
  EXPECT_TRUE(run.takeStatus().isOk());
  EXPECT_EQ(reader.seen, 0);
}

// Random programs on 2 to 4 GPUs compute the right sums, in every order that
// their streams may work in.
TEST_F(Cuda, RandomPrograms) {
  const int numTrials = countTrials(100);
  for (int trial = 0; trial < numTrials; ++trial) {
    const auto seed = static_cast<unsigned>(trial);
    fake().seed(seed);
    const auto numDevices = static_cast<uint16_t>(2 + trial % 3);
    const RandomGraph graph = RandomGraph::draw(seed, 20, numDevices);
    RandomPlan builder(graph, "cuda", numDevices, 0, makeCode());
    auto session = load(builder.plan, {});
    ASSERT_TRUE(session) << "seed " << seed;
    for (int i = 0; i < 3; ++i) {
      const auto result = runOnOnes(*session);
      ASSERT_TRUE(result.isOk()) << result.status().message();
      ASSERT_EQ(*result, static_cast<float>(graph.expected()))
          << "seed " << seed;
    }
    ASSERT_EQ(fake().takeComplaints(), std::vector<std::string>());
  }
}
