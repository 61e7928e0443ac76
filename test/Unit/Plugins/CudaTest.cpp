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

#include <chrono>
#include <thread>

using namespace weir;
using namespace weir::test;

/// All tests of this program run on pretended GPUs.
[[maybe_unused]] static const bool isPretended = (usePretendedGpus(), true);

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceConformance, testing::Values("cuda"));

// All GPUs are found, with memory and architecture.
TEST_F(Cuda, ListsDevices) {
  const auto driver = findDeviceDriver("cuda");
  ASSERT_TRUE(driver.isOk()) << driver.status().message();
  const std::vector<DeviceInfo> devices = (*driver)->detect();
  ASSERT_EQ(devices.size(), 25u);
  EXPECT_EQ(devices[1].name, "cuda:1");
  EXPECT_EQ(devices[1].memoryBytes, uint64_t(1) << 30);
  EXPECT_EQ(devices[1].description, "Pretended GPU, sm_90");
}

// A GPU that the machine lacks is named, with what it has.
TEST_F(Cuda, RefusesAGpuThatIsNotThere) {
  PlanBuilder plan = makeChain("cuda:70", 1);
  const auto session = Session::load(plan.bytes(), {});
  ASSERT_FALSE(session.isOk());
  EXPECT_NE(session.status().message().find(
                "cuda:70: the machine has 25 GPUs, from cuda:0 on"),
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

// A kernel tells that an index is out of range after it has run, also if it was
// captured. The run fails and names the op; the next run knows nothing of it.
TEST_F(Cuda, ReportsIndicesThatAreOutOfRange) {
  PlanBuilder plan = makeChain("cuda:0", 2, twiceChecked);
  auto session = load(plan, {});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(resultOf(*session), 4);
    OneRun one;
    one.x = 3;
    const Status status = one.run(*session);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    for (const char *part :
         {"launch1", "an index of op 'pick' is out of range for a dim of 8, "
                     "expected -8 to 7"})
      EXPECT_NE(status.message().find(part), std::string_view::npos)
          << status.message();
  }
}

// A graph is for the addresses that it was captured with. Runs on other ones
// compute, too, and buffers that are used in turn have a graph each.
TEST_F(Cuda, FollowsAddresses) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  DeviceBuffers buffers(*session);
  fake().forget();
  for (size_t input : {0, 1, 0, 1, 0, 1, 0, 1, 1, 0})
    EXPECT_EQ(buffers.run(*session, input), input ? 40 : 4);
  // Both were captured by their second run.
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 2u);
  EXPECT_EQ(fake().calls()["cuGraphLaunch"], 8u);
}

// Only the last of many addresses are known. If more are used in turn, nothing
// is captured in vain.
TEST_F(Cuda, ForgetsOldAddresses) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  std::vector<DeviceBuffers> buffers;
  for (int i = 0; i < 6; ++i)
    buffers.emplace_back(*session);
  fake().forget();
  for (int i = 0; i < 3; ++i)
    for (DeviceBuffers &each : buffers)
      EXPECT_EQ(each.run(*session, 1), 40);
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 0u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(buffers[5].run(*session, 1), 40);
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 1u);
  EXPECT_EQ(fake().calls()["cuGraphLaunch"], 3u);
}

// A run whose steps failed does not count: what is left to be loaded must not
// be loaded in a capture.
TEST_F(Cuda, CapturesOnlyWhatHasRun) {
  PlanBuilder plan = makeDeviceChain(3, 4);
  auto session = load(plan, {});
  DeviceBuffers buffers(*session);
  const ConstTensorView from = buffers.inputs[0].asInput();
  const TensorView to = buffers.output.asOutput();
  fake().failCall("cuLaunchKernel", 2, 999);
  EXPECT_FALSE(session->run({&from, 1}, {&to, 1}).isOk());
  fake().forget();
  EXPECT_EQ(buffers.run(*session, 0), 8);
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 0u);
  EXPECT_EQ(buffers.run(*session, 0), 8);
  EXPECT_EQ(fake().calls()["cuStreamBeginCapture"], 1u);
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

// What a CPU and a GPU pass on through the host's memory is pinned, once for
// all GPUs. Where that is not possible, runs go on as they do without.
TEST_F(Cuda, PinsTheMemoryOfCrossings) {
  PlanBuilder plan = makeMixed();
  plan.variant().frames = 2;
  fake().forget();
  auto session = load(plan);
  // One for each CPU and run in flight.
  EXPECT_EQ(fake().calls()["cuMemHostRegister"], 4u);
  EXPECT_EQ(resultOf(*session), 10);
  session.reset();
  EXPECT_EQ(fake().calls()["cuMemHostUnregister"], 4u);
  fake().failCall("cuMemHostRegister", 2, 801);
  session = load(plan);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(errorOf(*session, 10), "");
  session.reset();
  // The next device was asked for the one that failed.
  EXPECT_EQ(fake().calls()["cuMemHostRegister"], 5u);
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
  PlanBuilder plan = makeLoop();
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

// What is before a loop and behind it is captured, and the loop is not.
TEST_F(Cuda, CapturesWhatIsAroundALoop) {
  PlanBuilder plan = makeLoop(/*numAround=*/2);
  auto session = load(plan, {});
  fake().forget();
  std::vector<size_t> launches, graphs;
  for (int i = 0; i < 4; ++i) {
    const auto results = run(*session, {Floats(12, 1)});
    ASSERT_TRUE(results.isOk()) << results.status().message();
    EXPECT_EQ((*results)[0], Floats(12, 32));
    launches.push_back(fake().calls()["cuLaunchKernel"]);
    graphs.push_back(fake().calls()["cuGraphLaunch"]);
  }
  EXPECT_EQ(launches, (std::vector<size_t>{7, 14, 17, 20}));
  EXPECT_EQ(graphs, (std::vector<size_t>{0, 2, 4, 6}));
}

// An observer gets the values in the host's memory, before they are
// overwritten.
TEST_F(Cuda, ShowsTensors) {
  TensorCollector collector;
  PlanBuilder plan = makeShown();
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
  const std::string error = errorOfNan();
  EXPECT_NE(error.find("op 'launch1' on cuda:0"), error.npos) << error;
  EXPECT_NE(error.find("result 0 holds nan at [0]"), error.npos) << error;
}

// A trace has a span for each step, and the run still computes. A span is as
// long as the GPU was busy. On pretended GPUs, this is 10 ns for each of a few
// pieces of work, and the host needs longer.
TEST_F(Cuda, Traces) {
  PlanBuilder plan = makeChain("cuda:0", 3);
  Trace trace;
  SessionOptions options;
  options.trace = &trace;
  auto session = load(plan, options);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resultOf(*session), 8);
  fake().forget();
  trace.clear();
  EXPECT_EQ(resultOf(*session), 8);
  EXPECT_EQ(fake().calls()["cuGraphLaunch"], 0u);
  EXPECT_EQ(fake().calls()["cuLaunchKernel"], 3u);
  const std::vector<uint64_t> times = launchTimes(trace);
  EXPECT_EQ(times.size(), 3u);
  for (uint64_t time : times) {
    EXPECT_GT(time, 0u);
    EXPECT_LT(time, 200u);
  }
}

// A kernel that runs on the host, as those of tests do, sees what the stream
// was asked for before it.
TEST_F(Cuda, KernelsOnTheHostWaitForTheStream) {
  struct Reader final : Kernel {
    Status run(const KernelArgs &args) override {
      seen = fake().floatAt(args.buffers[0]);
      return Status::ok();
    }
    float seen = 1;
  } reader;
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  Device &device = *devices[0];
  const float one = 1;
  auto memory = *device.allocate(sizeof(one));
  ASSERT_TRUE(device.copyFromHost(memory->data(), &one, sizeof(one)).isOk());
  RunControl run;
  run.reset(0);
  conformance::Work work({memory->data()});
  work.move(StepKind::Fill, sizeof(one))
      .launch(reader)
      .submit(**device.openQueue(QueueRole::Compute), run);
  work.finish();
  EXPECT_TRUE(run.takeStatus().isOk());
  EXPECT_EQ(reader.seen, 0);
}

// What is queued while a caller carries out a run comes behind it.
TEST_F(Cuda, QueuesBehindACaller) {
  struct Slow final : Kernel {
    explicit Slow(std::vector<int> &log) : log(log) {}
    Status run(const KernelArgs &) override {
      begun.notify();
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      log.push_back(1);
      return Status::ok();
    }
    std::vector<int> &log;
    Completion begun;
  };
  std::vector<int> log;
  Slow slow(log);
  conformance::Recorder recorder(log, 2);
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  DeviceQueue &queue = **devices[0]->openQueue(QueueRole::Compute);
  RunControl first, second;
  first.reset(0);
  second.reset(0);
  conformance::Work one, two;
  std::thread caller(
      [&] { EXPECT_TRUE(one.launch(slow).runHere(queue, first)); });
  slow.begun.wait();
  two.launch(recorder).submit(queue, second);
  two.finish();
  caller.join();
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
}

// A queue launches nothing on addresses that would lose the GPU.
TEST_F(Cuda, LaunchesOnlyOnAlignedAddresses) {
  struct Context final : PrepareContext {
    int numThreads() const override { return 1; }
    bool isConstant(int) const override { return false; }
    StatusOr<const void *> packedOperand(int, std::string_view, size_t,
                                         const PackFunction &) override {
      return internalError("there is no constant operand");
    }
    StatusOr<std::span<const std::byte>>
    codeBlob(const GeneratedCode &) override {
      return std::span<const std::byte>(code);
    }
    const std::vector<std::byte> code = makeCode();
  } context;
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  auto memory = *devices[0]->allocate(64);
  auto *start = static_cast<char *>(memory->data());
  KernelSpec spec;
  spec.name = "generated";
  spec.operands = spec.results = {TensorDesc::rowMajor(DType::F32, {4})};
  spec.code.blob = 0;
  spec.code.function = twice;
  spec.code.tasks = 1;
  spec.code.threads = 4;
  auto kernel = devices[0]->prepare(spec, context);
  ASSERT_TRUE(kernel.isOk()) << kernel.status().message();
  RunControl run;
  run.reset(0);
  conformance::Work work({start, start + 36});
  work.launch(**kernel).submit(**devices[0]->openQueue(QueueRole::Compute),
                               run);
  work.finish();
  const Status status = run.takeStatus();
  EXPECT_NE(status.message().find("at multiples of 16 bytes, found buffer 1 "),
            std::string_view::npos)
      << status.message();
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
