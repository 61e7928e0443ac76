//===- CudaFixture.cpp - Plans for pretended GPUs -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include "weir/Artifact/GpuCode.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>

using namespace weir;
using namespace weir::test;
using artifact::GpuImage;

/// Where the plug-in finds the driver, in all tests of this program.
[[maybe_unused]] static const int path =
    setenv("WEIR_CUDA_LIB_PATH", WEIR_FAKE_CUDA, 1);

FakeCuda &test::fake() {
  static FakeCuda *const driver = [] {
    void *library = dlopen(WEIR_FAKE_CUDA "/libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
  }();
  return *driver;
}

std::vector<std::byte>
test::makeCode(const std::vector<std::pair<bool, uint32_t>> &cubins,
               const std::string &text) {
  std::vector<std::string> texts;
  for (const auto &[isCubin, arch] : cubins)
    texts.push_back((isCubin ? "cubin " : "ptx ") + std::to_string(arch) +
                    "\nweir_kernel_0(\nweir_kernel_1(\nweir_kernel_2(\n" +
                    text);
  std::vector<GpuImage> images;
  for (size_t i = 0; i < texts.size(); ++i) {
    // The size of the blob is a multiple of 4, and a zero byte is at its end.
    texts[i].resize((texts[i].size() + 4) / 4 * 4 - 1, ' ');
    images.push_back(
        {cubins[i].first ? GpuImage::Kind::Cubin : GpuImage::Kind::Ptx,
         cubins[i].second,
         {reinterpret_cast<const std::byte *>(texts[i].c_str()),
          texts[i].size() + 1}});
  }
  return artifact::packGpuCode(images);
}

PlanBuilder test::makeChain(const std::string &device, int numLaunches,
                            uint32_t last) {
  PlanBuilder plan;
  plan.device(device, /*isolated=*/true);
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t arrived = plan.event(), computed = plan.event();
  uint32_t value = plan.scratch(1);
  plan.on(0, 1).copy("x", x, value);
  plan.record(arrived);
  plan.on(0).wait(arrived);
  for (int i = 0; i < numLaunches; ++i) {
    const uint32_t next = plan.scratch(1);
    plan.launchOnGpu("launch" + std::to_string(i), code,
                     i + 1 == numLaunches ? last : twice, {value}, next);
    value = next;
  }
  plan.record(computed);
  plan.on(0, 1).wait(computed);
  plan.copy("y", value, y);
  return plan;
}

PlanBuilder test::makeMixed(const std::string &kernel) {
  PlanBuilder plan;
  const uint16_t gpu0 = plan.device("cuda:0", true),
                 gpu1 = plan.device("cuda:1", true),
                 cpu0 = plan.device("test:0"), cpu1 = plan.device("test:1");
  const uint32_t code = plan.gpuCode(makeCode());
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t at0 = plan.scratch(1, gpu0), doubled = plan.scratch(1, gpu0),
                 tripled = plan.scratch(1, cpu0), left = plan.scratch(1, gpu1),
                 right = plan.scratch(1, gpu1), sum = plan.scratch(1, gpu1),
                 back = plan.scratch(1, cpu1);
  const uint32_t gotX = plan.event(), got2x = plan.event(),
                 got3x = plan.event(), crossed = plan.event(),
                 summed = plan.event(), returned = plan.event();
  plan.on(gpu0, 1).copy("x", x, at0);
  plan.record(gotX);
  plan.on(gpu0).wait(gotX);
  plan.launchOnGpu("double", code, twice, {at0}, doubled);
  plan.record(got2x);
  plan.on(cpu0).launch("triple", kernel, {x}, {tripled}, affine(3));
  plan.record(got3x);
  plan.on(gpu1, 1).wait(got3x);
  plan.copy("right", tripled, right, true);
  plan.wait(got2x);
  plan.copy("left", doubled, left, true);
  plan.record(crossed);
  plan.on(gpu1).wait(crossed);
  plan.launchOnGpu("sum", code, add, {left, right}, sum);
  plan.record(summed);
  plan.on(gpu1, 1).wait(summed);
  plan.copy("back", sum, back, true);
  plan.record(returned);
  plan.on(cpu1).wait(returned);
  plan.launch("last", "affine", {back}, {y}, affine(2));
  return plan;
}

namespace {
/// A function of the pretended driver.
template <typename Function> Function functionOf(const char *name) {
  void *library = dlopen(WEIR_FAKE_CUDA "/libcuda.so.1", RTLD_NOW);
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(
      dlsym(library, "cuGetProcAddress_v2"));
  void *address = nullptr;
  CUdriverProcAddressQueryResult found{};
  EXPECT_EQ(find(name, &address, 12040, 0, &found), CUDA_SUCCESS);
  return reinterpret_cast<Function>(address);
}

#define FAKE(name, version) functionOf<PFN_##name##_v##version>(#name)
} // namespace

void test::useFakeDriver(
    const std::function<void(const FakeDriverCalls &)> &use) {
  constexpr size_t bytes = 64;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  CUstream streams[2] = {};
  CUevent event = nullptr;
  FAKE(cuDevicePrimaryCtxRetain, 7000)(&context, 0);
  FAKE(cuCtxPushCurrent, 4000)(context);
  FAKE(cuMemAlloc, 3020)(&memory, bytes);
  FAKE(cuEventCreate, 2000)(&event, 0);
  for (CUstream &stream : streams)
    FAKE(cuStreamCreate, 2000)(&stream, CU_STREAM_NON_BLOCKING);
  use({[&](int stream) {
         FAKE(cuMemsetD8Async, 3020)(memory, 0, bytes, streams[stream]);
       },
       [&](int first, int second) {
         FAKE(cuEventRecord, 2000)(event, streams[first]);
         FAKE(cuStreamWaitEvent, 3020)(streams[second], event, 0);
       }});
  for (CUstream stream : streams)
    FAKE(cuStreamDestroy, 4000)(stream);
  FAKE(cuEventDestroy, 4000)(event);
  FAKE(cuMemFree, 3020)(memory);
  FAKE(cuCtxPopCurrent, 4000)(&context);
  FAKE(cuDevicePrimaryCtxRelease, 11000)(0);
}

float test::resultOf(Session &session) {
  OneRun one;
  const Status status = one.run(session);
  EXPECT_TRUE(status.isOk()) << status.message();
  return status.isOk() ? one.y : NAN;
}

void Cuda::SetUp() {
  fake().define("weir_kernel_0", {2, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[2][i] = at[0][i] + at[1][i];
                                  }});
  fake().define("weir_kernel_1", {1, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[1][i] = 2 * at[0][i];
                                  }});
  fake().define("weir_kernel_2", {1, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[1][i] = i ? at[0][i] : NAN;
                                  }});
  fake().forget();
  (void)fake().takeComplaints();
}

void Cuda::TearDown() {
  EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
  EXPECT_EQ(fake().leaks(), std::vector<std::string>());
  fake().forget();
}
