//===- CudaFaultTest.cpp - Faults of pretended GPUs -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

using namespace weir;
using namespace weir::test;

static constexpr int numRuns = 4;
static constexpr int unknownError = 999, illegalAddress = 700;

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// The text of the error of a run, or "" if it has the right result.
static std::string errorOf(Session &session, float expected) {
  OneRun one;
  const Status status = one.run(session);
  if (status.isOk()) {
    EXPECT_EQ(one.y, expected);
  }
  return std::string(status.message());
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
  EXPECT_GT(calls.size(), 20u);
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
// ones say so, and the session can be closed.
TEST_F(Cuda, LosesADevice) {
  for (size_t number = 1; number <= 12; ++number) {
    SCOPED_TRACE(number);
    PlanBuilder plan = makeChain("cuda:0", 4);
    auto session = load(plan, {});
    fake().failKernel(number, illegalAddress);
    std::string error;
    for (int i = 0; i < 4 && error.empty(); ++i)
      error = errorOf(*session, 16);
    EXPECT_TRUE(contains(error, "op '") && contains(error, "on cuda:0") &&
                contains(error, "CUDA_ERROR_ILLEGAL_ADDRESS"))
        << error;
    error = errorOf(*session, 16);
    EXPECT_TRUE(contains(error, "cuda:0 is lost to this process since"))
        << error;
    session.reset();
    fake().forget();
  }
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
                             uint32_t function = twice) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t blob = plan.gpuCode(code);
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launchOnGpu("launch", blob, function, {x}, y);
  const auto session = Session::load(plan.bytes(), {});
  return std::string(session.status().message());
}

// The image that fits best is loaded: machine code for the same architecture,
// else for an earlier one with the same first number, else PTX.
TEST_F(Cuda, ChoosesAnImage) {
  const auto loaded = [](const std::vector<std::pair<bool, uint32_t>> &images) {
    EXPECT_EQ(loadError(makeCode(images)), "");
    return fake().images().back();
  };
  EXPECT_EQ(loaded({{false, 80}, {true, 80}, {true, 90}, {true, 100}}),
            "cubin 90");
  EXPECT_EQ(loaded({{true, 80}, {false, 80}, {false, 90}, {false, 100}}),
            "ptx 90");
}

// Code that does not fit is refused with what is wrong and what to do.
TEST_F(Cuda, RefusesCodeThatDoesNotFit) {
  EXPECT_TRUE(contains(loadError(makeCode({{true, 80}, {false, 100}})),
                       "op 'launch' on cuda:0: kernel 'generated' (1xf32 -> "
                       "1xf32): the artifact has no code for sm_90, which the "
                       "GPU is; it has code for sm_80, PTX for sm_100; compile "
                       "the model with --gpu-arch=sm_90"));
  EXPECT_TRUE(contains(loadError(makeCode({{false, 80}}, "broken")),
                       "ptxas: it is broken"));
  EXPECT_TRUE(contains(loadError(makeCode(), 7), "has no entry weir_kernel_7"));
  EXPECT_TRUE(contains(loadError(makeCode(), add),
                       "another number of parameters than the 2 buffers"));
}

/// Runs `use` on two streams of a GPU and 64 bytes of its memory, as the
/// plug-in would. Returns what the fake complains of.
static std::vector<std::string>
complaintsOf(const std::function<void(const FakeDriverCalls &)> &use) {
  useFakeDriver(use);
  return fake().takeComplaints();
}

// The pretended driver finds what it is there for: an order that is missing.
TEST_F(Cuda, TheFakeFindsAMissingOrder) {
  const auto wrong = complaintsOf([](const FakeDriverCalls &calls) {
    calls.fill(0);
    calls.fill(1);
  });
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_TRUE(contains(wrong[0], "is not ordered behind a fill on stream"));
  const auto right = complaintsOf([](const FakeDriverCalls &calls) {
    calls.fill(0);
    calls.order(0, 1);
    calls.fill(1);
  });
  EXPECT_EQ(right, std::vector<std::string>());
}
