//===- CudaFaultTest.cpp - Faults of pretended GPUs -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

static constexpr int numRuns = 4;
static constexpr int unknownError = 999, illegalAddress = 700,
                     captureUnsupported = 900;

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Loads `plan` and runs it while one call fails.
static void runWithFault(PlanBuilder &plan, float expected,
                         const std::string &function) {
  auto session = Session::load(plan.bytes(), testOptions());
  if (!session) {
    EXPECT_TRUE(contains(session.status().message(), "cuda:"))
        << session.status().message();
    return;
  }
  for (int i = 0; i < numRuns; ++i) {
    const std::string error = errorOf(**session, expected);
    if (error.empty())
      continue;
    EXPECT_TRUE(contains(error, "op '") && contains(error, "on cuda:"))
        << function << ": " << error;
    EXPECT_TRUE(function == "work" || contains(error, function)) << error;
    EXPECT_EQ(errorOf(**session, expected), "") << function;
  }
}

/// Lets each call fail that loading and running `plan` makes.
static void failEachCall(const std::function<PlanBuilder()> &make,
                         float expected) {
  PlanBuilder sound = make();
  fake().forget();
  runWithFault(sound, expected, "");
  const std::map<std::string, size_t> calls = fake().calls();
  EXPECT_GT(calls.size(), 15u);
  for (const auto &[function, count] : calls)
    for (size_t number = 1; number <= std::min<size_t>(count, 60); ++number) {
      SCOPED_TRACE(function + " " + std::to_string(number));
      PlanBuilder plan = make();
      fake().failCall(function, number, unknownError);
      runWithFault(plan, expected, function);
      fake().forget();
      ASSERT_EQ(fake().takeComplaints(), std::vector<std::string>());
      ASSERT_EQ(fake().leaks(), std::vector<std::string>());
    }
}

// Whichever call fails, on one GPU: loading fails and names the device, or a
// run fails and names op and device, or it succeeds without. The next run
// succeeds, and nothing is left behind.
TEST_F(Cuda, EachCallMayFail) {
  failEachCall([] { return makeChain("cuda:0", 3); }, 8);
}

// The same on GPUs and CPUs that wait for each other.
TEST_F(Cuda, EachCallMayFailBesideTheCpu) {
  failEachCall([] { return makeMixed(); }, 10);
}

// A GPU that fails while it computes is lost to the process. That run and later
// ones say so, the session can be closed, and it cannot be loaded again.
TEST_F(Cuda, LosesADevice) {
  for (size_t number = 1; number <= 12; ++number) {
    SCOPED_TRACE(number);
    const std::string name = "cuda:" + std::to_string(9 + number);
    PlanBuilder plan = makeChain(name, 4);
    auto session = load(plan, {});
    fake().failKernel(number, illegalAddress);
    std::string error;
    for (int i = 0; i < 4 && error.empty(); ++i)
      error = errorOf(*session, 16);
    EXPECT_TRUE(contains(error, "op '") && contains(error, "on " + name) &&
                contains(error, "CUDA_ERROR_ILLEGAL_ADDRESS"))
        << error;
    const std::string lost = name + " is lost to this process since";
    error = errorOf(*session, 16);
    EXPECT_TRUE(contains(error, lost)) << error;
    session.reset();
    fake().forget();
    const auto again = Session::load(plan.bytes(), {});
    EXPECT_TRUE(contains(again.status().message(), lost))
        << again.status().message();
  }
}

// A context that cannot be had is an error of loading. It is asked for again,
// and then kept.
TEST_F(Cuda, KeepsContexts) {
  PlanBuilder plan = makeChain("cuda:22", 1);
  fake().failCall("cuDevicePrimaryCtxRetain", 1, unknownError);
  const auto session = Session::load(plan.bytes(), {});
  EXPECT_TRUE(contains(session.status().message(),
                       "cuda:22: cuDevicePrimaryCtxRetain failed"))
      << session.status().message();
  fake().forget();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(resultOf(*load(plan, {})), 2);
  EXPECT_EQ(fake().calls()["cuDevicePrimaryCtxRetain"], 1u);
}

// While the driver refuses to say whether a stream has ended, so does the run.
// The host gets its buffers back only then.
TEST_F(Cuda, WaitsForTheStreamOfAFailedRun) {
  PlanBuilder plan = makeChain("cuda:0", 3);
  auto session = load(plan, {});
  for (const char *function : {"cuEventQuery", "cuEventRecord"})
    for (size_t number = 1; number <= 3; ++number) {
      fake().failCall(function, number, captureUnsupported);
      (void)errorOf(*session, 8);
      fake().forget();
      EXPECT_EQ(errorOf(*session, 8), "") << function;
    }
}

// A run whose list cannot be prepared fails, while the queue prepares it for
// the run behind it.
TEST_F(Cuda, PreparesAListForALaterRun) {
  SessionOptions options = testOptions();
  options.inFlight = 2;
  for (size_t number = 1; number <= 3; ++number) {
    PlanBuilder plan = makeChain("cuda:0", 3);
    auto session = load(plan, options);
    fake().failCall("cuEventCreate", number, unknownError);
    OneRun first, second;
    auto ends = {first.start(*session).share(), second.start(*session).share()};
    for (const auto &end : ends)
      end.wait();
    EXPECT_FALSE(ends.begin()->get().isOk());
    fake().forget();
    EXPECT_EQ(errorOf(*session, 8), "");
  }
}

/// What ends a run on a GPU that hangs.
enum class End { Cancel, Stop, Destroy };

/// Two runs of `plan` in flight, the second kernel of which never ends. They
/// end with an error that says so. Then the session and the process end.
static void useAHungGpu(PlanBuilder &&plan, End by) {
  // A wait that comes back fails the test.
  alarm(60);
  SessionOptions options = testOptions();
  options.deviceOptions = {{"cuda", "patience", "1"}};
  options.inFlight = 2;
  auto session = load(plan, options);
  fake().hangKernel(2);
  CancelToken token;
  OneRun first, second;
  first.options.cancelToken = token;
  std::future<Status> firstEnd = first.start(*session),
                      secondEnd = second.start(*session);
  while (!fake().isHanging())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (by == End::Cancel)
    token.cancel();
  else if (by == End::Stop)
    session->stop();
  else
    session.reset();
  const Status ended = firstEnd.get(), other = secondEnd.get();
  EXPECT_EQ(ended.code(), StatusCode::Cancelled);
  const std::string loss = "cuda:0 is lost to this process since it has not "
                           "answered within 1 s after a run was cancelled, so ";
  EXPECT_TRUE(contains(ended.message(), loss)) << ended.message();
  EXPECT_TRUE(contains(ended.message(), "bytes of its memory are never freed"));
  EXPECT_TRUE(contains(other.message(),
                       by == End::Cancel ? loss : "the session was stopped"))
      << other.message();
  session.reset();
  const auto again = Session::load(plan.bytes(), options);
  EXPECT_TRUE(contains(again.status().message(), loss))
      << again.status().message();
  // Nothing has waited for the GPU in the driver, nor freed its memory.
  EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
  EXPECT_GT(fake().bytesUsed(), 0u);
  std::exit(testing::Test::HasFailure());
}

// A GPU that never answers keeps no run beyond its patience, and no session
// from its end: alone, and beside CPUs that wait for it.
TEST_F(Cuda, GivesUpAGpuThatNeverAnswers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useAHungGpu(makeChain("cuda:0", 3), End::Cancel),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(useAHungGpu(makeChain("cuda:0", 3), End::Stop),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(useAHungGpu(makeMixed("affine", "cuda:0"), End::Destroy),
              testing::ExitedWithCode(0), "");
}

/// Opens cuda:0, which sets its patience. The devices are never closed.
static void setPatience(const std::string &seconds) {
  DeviceRequest request;
  request.name = "cuda:0";
  request.options = {{"patience", seconds}};
  static auto &kept = *new std::vector<std::vector<std::unique_ptr<Device>>>;
  kept.push_back(*(*findDeviceDriver("cuda"))->open({&request, 1}));
}

/// A run hangs on the GPU, and one of another session is behind it. It is no
/// fault of the GPU that it does not end that one, which is cancelled first.
static void cancelBehindAHungRun() {
  using namespace std::chrono_literals;
  // A wait that comes back fails the test.
  alarm(60);
  SessionOptions options = testOptions();
  options.deviceOptions = {{"cuda", "patience", "1"}};
  PlanBuilder hanging = makeDeviceChain(3, 4), behind = makeChain("cuda:0", 3);
  const auto first = load(hanging, options), second = load(behind, options);
  DeviceBuffers buffers(*first);
  const ConstTensorView from = buffers.inputs[0].asInput();
  const TensorView to = buffers.output.asOutput();
  fake().hangKernel(2);
  RunOptions firstOptions;
  CancelToken firstToken, secondToken;
  firstOptions.cancelToken = firstToken;
  std::future<Status> firstEnd =
      first->runAsync({&from, 1}, {&to, 1}, firstOptions);
  while (!fake().isHanging())
    std::this_thread::sleep_for(1ms);
  OneRun one;
  one.options.cancelToken = secondToken;
  const std::future<Status> secondEnd = one.start(*second);
  // The second run comes to its last copy.
  std::this_thread::sleep_for(100ms);
  secondToken.cancel();
  EXPECT_EQ(firstEnd.wait_for(1300ms), std::future_status::timeout);
  EXPECT_EQ(secondEnd.wait_for(0s), std::future_status::timeout);
  // The usual patience is one that can be asked for.
  setPatience("30");
  firstToken.cancel();
  EXPECT_EQ(firstEnd.wait_for(1300ms), std::future_status::timeout);
  // Time that has passed counts.
  setPatience("2");
  const Status ended = firstEnd.get();
  EXPECT_TRUE(contains(ended.message(), "it has not answered within 2 s after"))
      << ended.message();
  secondEnd.wait();
  EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
}

// A GPU is given up for runs that it could end, within the time that was asked
// for last.
TEST_F(Cuda, IsPatientWithRunsBehindOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        cancelBehindAHungRun();
        std::exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

// A copy for a caller that fails is not under way any more.
TEST_F(Cuda, EndsTheCopiesThatFail) {
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = *(*findDeviceDriver("cuda"))->open({&request, 1});
  auto memory = *devices[0]->allocate(4);
  for (unsigned seed = 0; seed < 10; ++seed) {
    fake().seed(seed);
    float to = 1;
    fake().failCall("cuStreamQuery", 1, unknownError);
    EXPECT_FALSE(devices[0]->copyToHost(&to, memory->data(), 4).isOk());
    fake().useOnHost(&to, sizeof(to));
    fake().forget();
  }
}

// A cap of the memory of a GPU holds. What a model needs is counted before
// anything is allocated.
TEST_F(Cuda, KeepsToAMemoryCap) {
  PlanBuilder plan = makeDeviceChain(4, 1000);
  uint64_t &cap = plan.variant().devices[0]->memory_cap;
  const uint64_t held = load(plan, {})->stats().devices[0].heldBytes();
  EXPECT_GE(held, 3 * 1000 * sizeof(float));
  cap = held;
  {
    auto session = load(plan, {});
    EXPECT_EQ(fake().bytesUsed(), held);
  }
  cap = held - 1;
  fake().forget();
  const auto refused = Session::load(plan.bytes(), {});
  EXPECT_EQ(refused.status().code(), StatusCode::ResourceExhausted);
  EXPECT_TRUE(contains(refused.status().message(),
                       "cuda:0: the model holds " + std::to_string(held) +
                           " bytes on this machine"))
      << refused.status().message();
  EXPECT_EQ(fake().calls()["cuMemAlloc"], 0u);
}

// GPUs with a link copy directly. Each says so once in a process.
TEST_F(Cuda, ReachesPeers) {
  PlanBuilder plan = makeMixed("affine", "cuda:8");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(resultOf(*load(plan)), 10);
  EXPECT_EQ(fake().calls()["cuCtxEnablePeerAccess"], 2u);
}

// If there is too little memory, the error says how much there is.
TEST_F(Cuda, RunsOutOfMemory) {
  const DeviceDriver &driver = **findDeviceDriver("cuda");
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = driver.open({&request, 1});
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  const auto memory = (*devices)[0]->allocate(size_t(1) << 31);
  ASSERT_FALSE(memory.isOk());
  EXPECT_EQ(memory.status().code(), StatusCode::ResourceExhausted);
  EXPECT_TRUE(contains(memory.status().message(),
                       "cuda:0: 2147483648 bytes were requested"));
  EXPECT_TRUE(
      contains(memory.status().message(), "of its 1073741824 bytes are free"))
      << memory.status().message();
}

/// The error of loading a launch of entry `function` of `code`.
static std::string loadError(const std::vector<std::byte> &code,
                             uint32_t function = twice, size_t numInputs = 1,
                             int64_t size = 1,
                             const std::string &device = "cuda:0") {
  PlanBuilder plan;
  plan.device(device, /*isolated=*/true);
  const uint32_t blob = plan.gpuCode(code);
  const uint32_t x = plan.input("x", size), y = plan.output("y", size);
  plan.on(0).launchOnGpu("launch", blob, function,
                         std::vector<uint32_t>(numInputs, x), y);
  const auto session = Session::load(plan.bytes(), {});
  return std::string(session.status().message());
}

// The image that fits best is loaded: machine code for the same architecture,
// else for an earlier one with the same first number, else PTX. If the driver
// refuses it, the next one is.
TEST_F(Cuda, ChoosesAnImage) {
  const auto loaded = [](const std::vector<std::pair<bool, uint32_t>> &images,
                         const std::string &comment = "") {
    EXPECT_EQ(loadError(makeCode(images, comment)), "");
    return fake().images().back();
  };
  EXPECT_EQ(loaded({{false, 80}, {true, 80}, {true, 90}, {true, 100}}),
            "cubin 90");
  EXPECT_EQ(loaded({{true, 80}, {false, 80}, {false, 90}, {false, 100}}),
            "// ptx 90");
  EXPECT_EQ(loaded({{true, 90}, {false, 80}, {false, 90}}, "refuse cubin 90"),
            "// ptx 90");
  EXPECT_EQ(loaded({{true, 90}, {false, 80}}, "lazily refuse cubin 90"),
            "// ptx 80");
  EXPECT_TRUE(contains(loadError(makeCode({{true, 90}}, "refuse cubin 90")),
                       "CUDA_ERROR_NO_BINARY_FOR_GPU"));
  EXPECT_TRUE(contains(loadError(makeCode({{true, 90}}, "refuse cubin 90")),
                       "install a newer driver, or compile the model for "
                       "sm_90, too"));
}

// Behind an image that is refused, what fails for another reason is the error.
TEST_F(Cuda, NamesWhatFailsBehindARefusedImage) {
  const auto code = makeCode({{true, 90}, {false, 80}}, "refuse cubin 90");
  fake().failCall("cuFuncLoad", 1, unknownError);
  const std::string error = loadError(code);
  fake().forget();
  EXPECT_TRUE(contains(error, "cuFuncLoad failed")) << error;
}

// Code that does not fit is refused with what is wrong and what to do.
TEST_F(Cuda, RefusesCodeThatDoesNotFit) {
  EXPECT_TRUE(contains(loadError(makeCode({{true, 80}, {false, 100}})),
                       "op 'launch' on cuda:0: kernel 'generated' (1xf32 -> "
                       "1xf32): the artifact has no code for sm_90, which the "
                       "GPU is; it has code for sm_80, PTX for sm_100; compile "
                       "the model for sm_90, too"));
  EXPECT_TRUE(
      contains(loadError(makeCode(), twice, 1, 1, "cuda:24"),
               "has no code for sm_75, which the GPU is; it has PTX for sm_80; "
               "code is generated for sm_80 and later ones; compile the model "
               "for other devices"));
  EXPECT_TRUE(contains(loadError(makeCode({{false, 80}}, "broken at load")),
                       "ptxas: it is broken"));
  // The driver may compile a kernel long after it has loaded the image.
  EXPECT_TRUE(contains(loadError(makeCode({{false, 80}}, "broken later")),
                       "ptxas: it is broken later"));
  EXPECT_TRUE(contains(loadError(makeCode(), 7), "has no entry weir_kernel_7"));
  EXPECT_TRUE(contains(loadError(makeCode(), twice, /*numInputs=*/2),
                       "expects other parameters than the 3 buffers"));
  EXPECT_TRUE(contains(loadError(makeCode({{false, 80}}, "one thread"), twice,
                                 /*numInputs=*/1, /*size=*/4),
                       "has at most 1 thread, and its kernel asks for 4"));
  EXPECT_EQ(fake().takeComplaints(),
            std::vector<std::string>{"there is no such parameter"});
}
