//===- CudaSmokeTest.cpp - The cuda plug-in on a real GPU -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// What a machine with a GPU is asked first. Where there is none, the tests run
// on pretended GPUs, apart from those that only a real one can answer. Tests
// called Provokes... let calls of the driver fail, which compute-sanitizer
// reports; it finds nothing in the others.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include "weir/Support/HostTensor.h"
#include "weir/Support/Trace.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <random>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

/// Why this machine has no GPU; empty if it has one.
std::string whyNoGpu;

/// The error of loading an artifact that needs one GPU and brings `code` for
/// it.
std::string errorOfLoad(const std::vector<std::byte> &code) {
  PlanBuilder plan;
  plan.device("cuda:0", /*isolated=*/true);
  const uint32_t blob = plan.gpuCode(code);
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(0).launchOnGpu("launch", blob, twice, {x}, y);
  const auto session = Session::load(plan.bytes(), {});
  return std::string(session.status().message());
}

/// Vectors in the memory of the GPU for the input and output of a session.
class OnDevice {
public:
  explicit OnDevice(Session &session)
      : x(*session.allocate(session.inputs()[0])),
        y(*session.allocate(session.outputs()[0])) {}

  void set(const Floats &values) {
    const auto size = static_cast<int64_t>(values.size());
    const Status status =
        x.copyFromHost(*HostTensor::of<float>(DType::F32, {size}, values));
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  Status start(Session &session) {
    const ConstTensorView from = x.asInput();
    const TensorView to = y.asOutput();
    return session.run({&from, 1}, {&to, 1});
  }
  Floats run(Session &session) {
    const Status status = start(session);
    EXPECT_TRUE(status.isOk()) << status.message();
    const HostTensor result = *y.copyToHost();
    const auto values = result.values<float>();
    return {values.begin(), values.end()};
  }

  DeviceTensor x, y;
};

/// Floats of all sizes and signs, which to double is exact.
Floats randomFloats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> exponent(-30, 30);
  Floats values(count);
  for (float &value : values)
    value = std::exp2(exponent(random)) * (random() % 2 ? 1.0f : -1.0f);
  return values;
}

bool sameBits(const Floats &left, const Floats &right) {
  return left.size() == right.size() &&
         std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) ==
             0;
}

/// The pretended driver must not be loaded where there is a real one: the
/// system takes it for that.
class CudaSmoke : public Cuda {
protected:
  void SetUp() override {
    if (!whyNoGpu.empty())
      Cuda::SetUp();
  }
  void TearDown() override {
    if (!whyNoGpu.empty())
      Cuda::TearDown();
  }
};

/// Why no GPU of this machine can be used, or an empty text.
std::string findWhyNoGpu() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return dlerror();
  const auto init =
      reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  const auto count =
      reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDeviceGetCount"));
  if (!init || !count)
    return "libcuda.so.1 lacks functions";
  if (const int error = init(0))
    return "cuInit returns " + std::to_string(error);
  int numDevices = 0;
  const int error = count(&numDevices);
  return error == 0 && numDevices > 0 ? "" : "the driver finds no GPU";
}

} // namespace

// Which GPU this is, for the record.
TEST_F(CudaSmoke, DescribesTheDevice) {
  const auto driver = findDeviceDriver("cuda");
  ASSERT_TRUE(driver.isOk()) << driver.status().message();
  const std::vector<DeviceInfo> devices = (*driver)->detect();
  ASSERT_FALSE(devices.empty());
  std::cout << devices[0].name << ": " << devices[0].description << ", "
            << (devices[0].memoryBytes >> 20) << " MiB" << std::endl;
  EXPECT_GT(devices[0].memoryBytes, 0u);
}

// Copies in both directions and launches, step by step, captured and replayed.
TEST_F(CudaSmoke, RunsAChain) {
  PlanBuilder plan = makeChain("cuda:0", 5);
  auto session = load(plan, {});
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(resultOf(*session), 32);
  EXPECT_EQ(session->stats().devices[0].info.note, "");
  EXPECT_EQ(session->stats().devices[0].launches, 5u);
}

// A replay gives the bits of the run step by step, and both are right.
TEST_F(CudaSmoke, ReplaysTheSameBits) {
  constexpr size_t size = 4096;
  PlanBuilder plan = makeDeviceChain(3, size);
  auto session = load(plan, {});
  OnDevice tensors(*session);
  const Floats values = randomFloats(size, 1);
  tensors.set(values);
  Floats expected;
  for (float value : values)
    expected.push_back(8 * value);
  for (const char *way : {"step by step", "captured", "replayed", "again"})
    EXPECT_TRUE(sameBits(tensors.run(*session), expected)) << way;
  EXPECT_EQ(session->stats().devices[0].info.note, "");
}

// Buffers that the caller uses in turn, and each of them again with new values.
TEST_F(CudaSmoke, AlternatesBuffers) {
  constexpr size_t size = 64;
  PlanBuilder plan = makeDeviceChain(2, size);
  auto session = load(plan, {});
  std::vector<OnDevice> pairs;
  for (int i = 0; i < 6; ++i)
    pairs.emplace_back(*session);
  for (unsigned turn = 0; turn < 4; ++turn)
    for (unsigned i = 0; i < pairs.size(); ++i) {
      const Floats values = randomFloats(size, 10 * turn + i);
      pairs[i].set(values);
      const Floats results = pairs[i].run(*session);
      for (size_t at = 0; at < size; ++at)
        ASSERT_EQ(results[at], 4 * values[at]) << turn << " " << i;
    }
}

// An address in the GPU's memory that its kernels cannot use is refused. The
// GPU is not lost by that.
TEST_F(CudaSmoke, RefusesAddressesThatAreNotAligned) {
  PlanBuilder plan = makeDeviceChain(2, 4);
  auto session = load(plan, {});
  OnDevice tensors(*session);
  tensors.set({1, 2, 3, 4});
  const ConstTensorView from = tensors.x.asInput();
  TensorView to = tensors.y.asOutput();
  to.data = static_cast<char *>(to.data) + 4;
  EXPECT_EQ(session->run({&from, 1}, {&to, 1}).code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(tensors.run(*session), (Floats{4, 8, 12, 16}));
}

// A CPU and a GPU wait for each other, also with three runs in flight.
TEST_F(CudaSmoke, RunsBesideTheCpu) {
  PlanBuilder plan = makeMixed("affine", "cuda:0");
  plan.variant().frames = 3;
  auto session = load(plan);
  std::vector<OneRun> runs(60);
  std::vector<std::future<Status>> ends;
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].x = static_cast<float>(i);
    ends.push_back(runs[i].start(*session));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const Status status = ends[i].get();
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(runs[i].y, 10 * static_cast<float>(i));
  }
}

// Threads that run one session get in each other's way, and all compute.
TEST_F(CudaSmoke, ServesSeveralThreads) {
  PlanBuilder plan = makeDeviceChain(2, 16);
  auto session = load(plan, {});
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      OnDevice tensors(*session);
      for (unsigned turn = 0; turn < 20; ++turn) {
        const Floats values = randomFloats(16, 100 * i + turn);
        tensors.set(values);
        const Floats results = tensors.run(*session);
        for (size_t at = 0; at < values.size(); ++at)
          EXPECT_EQ(results[at], 4 * values[at]);
      }
    });
  for (std::thread &each : threads)
    each.join();
}

// Addresses and events move in a loop.
TEST_F(CudaSmoke, Repeats) {
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

// An observer gets the values in the host's memory.
TEST_F(CudaSmoke, ShowsTensors) {
  TensorCollector collector;
  PlanBuilder plan = makeShown();
  SessionOptions options;
  options.observer = &collector;
  auto session = load(plan, options);
  EXPECT_EQ(resultOf(*session), 4);
  EXPECT_EQ(resultOf(*session), 4);
  EXPECT_EQ(collector.seen, (std::vector<std::pair<size_t, float>>{
                                {0, 2}, {1, 4}, {0, 2}, {1, 4}}));
}

// A launch that makes a NaN is named.
TEST_F(CudaSmoke, ChecksNumerics) {
  const std::string error = errorOfNan();
  EXPECT_NE(error.find("op 'launch1' on cuda:0"), error.npos) << error;
}

// Spans of a trace last as long as the GPU was busy: at most some milliseconds
// for one element, and more than nothing.
TEST_F(CudaSmoke, Traces) {
  PlanBuilder plan = makeChain("cuda:0", 3);
  Trace trace;
  SessionOptions options;
  options.trace = &trace;
  auto session = load(plan, options);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resultOf(*session), 8);
  const std::vector<uint64_t> times = launchTimes(trace);
  EXPECT_EQ(times.size(), 9u);
  for (uint64_t time : times) {
    EXPECT_GT(time, 0u);
    EXPECT_LT(time, 50'000'000u);
  }
}

// A run that waits for the CPU ends at its deadline, and the session works on.
TEST_F(CudaSmoke, EndsAtADeadline) {
  PlanBuilder plan = makeMixed("gate", "cuda:0");
  auto session = load(plan);
  OneRun one;
  std::future<Status> end;
  {
    const GateCloser closed;
    one.options.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    end = one.start(*session);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  EXPECT_EQ(end.get().code(), StatusCode::Cancelled);
  EXPECT_EQ(resultOf(*session), 10);
}

// Sessions come and go, and share the device.
TEST_F(CudaSmoke, LoadsAgain) {
  PlanBuilder plan = makeChain("cuda:0", 2);
  auto kept = load(plan, {});
  for (int i = 0; i < 10; ++i) {
    auto session = load(plan, {});
    EXPECT_EQ(resultOf(*session), 4);
    EXPECT_EQ(resultOf(*kept), 4);
  }
}

// More memory than the GPU has is an error, behind which everything works.
TEST_F(CudaSmoke, ProvokesOutOfMemory) {
  DeviceRequest request;
  request.name = "cuda:0";
  auto devices = (*findDeviceDriver("cuda"))->open({&request, 1});
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  const auto memory =
      (*devices)[0]->allocate(2 * (*devices)[0]->info().memoryBytes);
  EXPECT_EQ(memory.status().code(), StatusCode::ResourceExhausted);
  PlanBuilder plan = makeChain("cuda:0", 2);
  EXPECT_EQ(resultOf(*load(plan, {})), 4);
}

// Code that the driver does not take is refused with what its compiler says.
// An image that is no code for the GPU does not keep it from the next one.
TEST_F(CudaSmoke, ProvokesRefusedCode) {
  if (!whyNoGpu.empty())
    GTEST_SKIP() << whyNoGpu;
  std::string error = errorOfLoad(makeCode({{false, 80}}, "\nbroken"));
  EXPECT_NE(error.find("op 'launch' on cuda:0"), error.npos) << error;
  EXPECT_NE(error.find("CUDA_ERROR_INVALID_"), error.npos) << error;
  std::cout << error << std::endl;
  error = errorOfLoad(makeCode({{true, 80}, {false, 990}}));
  EXPECT_NE(error, "");
  std::cout << error << std::endl;
  // None of these cubins is one.
  EXPECT_EQ(
      errorOfLoad(makeCode(
          {{true, 80}, {true, 90}, {true, 100}, {true, 120}, {false, 80}})),
      "");
  PlanBuilder plan = makeChain("cuda:0", 2);
  EXPECT_EQ(resultOf(*load(plan, {})), 4);
}

// A large copy that nobody waits for in between has the right bytes.
TEST_F(CudaSmoke, CopiesMuch) {
  const size_t size = whyNoGpu.empty() ? size_t(1) << 24 : size_t(1) << 16;
  PlanBuilder plan = makeDeviceChain(2, static_cast<int64_t>(size));
  auto session = load(plan, {});
  OnDevice tensors(*session);
  const Floats values = randomFloats(size, 3);
  tensors.set(values);
  Floats expected;
  for (float value : values)
    expected.push_back(4 * value);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(sameBits(tensors.run(*session), expected)) << i;
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  whyNoGpu = findWhyNoGpu();
  if (whyNoGpu.empty()) {
    std::cout << "the tests run on a real GPU" << std::endl;
    return RUN_ALL_TESTS();
  }
  std::cout << "the tests run on pretended GPUs: " << whyNoGpu << std::endl;
  usePretendedGpus();
  return RUN_ALL_TESTS();
}
