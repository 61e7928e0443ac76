//===- CudaFixture.cpp - Tests on pretended GPUs --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include "TestPaths.h"
#include "weir/Support/HostTensor.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>

using namespace weir;
using namespace weir::test;

void test::usePretendedGpus() {
  setenv("WEIR_CUDA_LIB_PATH", paths::fakeCudaFolder, 1);
}

// Kernels run on whichever thread of the host asks the pretended driver next.
// The driver orders them.
#define WEIR_ON_GPU [[gnu::no_sanitize("thread")]] static void

WEIR_ON_GPU addVectors(float *const *at, size_t size) {
  for (size_t i = 0; i < size; ++i)
    at[2][i] = at[0][i] + at[1][i];
}

WEIR_ON_GPU doubleVector(float *const *at, size_t size) {
  for (size_t i = 0; i < size; ++i)
    at[1][i] = 2 * at[0][i];
}

WEIR_ON_GPU makeNan(float *const *at, size_t size) {
  for (size_t i = 0; i < size; ++i)
    at[1][i] = i ? at[0][i] : NAN;
}

WEIR_ON_GPU doubleChecked(float *const *at, size_t size) {
  doubleVector(at, size);
  for (size_t i = 0; i < size; ++i)
    if (at[0][i] > 5)
      *reinterpret_cast<int *>(at[2]) = 1;
}

FakeCuda &test::fake() {
  static FakeCuda *const driver = [] {
    void *library = dlopen(paths::fakeCuda, RTLD_NOW);
    FakeCuda *made =
        reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
    made->define("weir_kernel_0", {2, 1, addVectors});
    made->define("weir_kernel_1", {1, 1, doubleVector});
    made->define("weir_kernel_2", {1, 1, makeNan});
    made->define("weir_kernel_3", {1, 1, doubleChecked, /*numFlags=*/1});
    return made;
  }();
  return *driver;
}

std::string test::errorOf(Session &session, float expected) {
  OneRun one;
  const Status status = one.run(session);
  fake().useOnHost(&one.x, sizeof(one.x));
  fake().useOnHost(&one.y, sizeof(one.y));
  if (status.isOk()) {
    EXPECT_EQ(one.y, expected);
  }
  return std::string(status.message());
}

DeviceBuffers::DeviceBuffers(Session &session)
    : output(*session.allocate(session.outputs()[0])) {
  const int64_t size = session.inputs()[0].desc.dims[0];
  for (float value : {1.0f, 10.0f}) {
    inputs.push_back(*session.allocate(session.inputs()[0]));
    const Floats values(static_cast<size_t>(size), value);
    const Status status = inputs.back().copyFromHost(
        *HostTensor::of<float>(DType::F32, {size}, values));
    EXPECT_TRUE(status.isOk()) << status.message();
  }
}

float DeviceBuffers::run(Session &session, size_t input) {
  const ConstTensorView from = inputs[input].asInput();
  const TensorView to = output.asOutput();
  const Status status = session.run({&from, 1}, {&to, 1});
  EXPECT_TRUE(status.isOk()) << status.message();
  return output.copyToHost()->values<float>().back();
}

void Cuda::SetUp() {
  fake().forget();
  (void)fake().takeComplaints();
}

void Cuda::TearDown() {
  EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
  EXPECT_EQ(fake().leaks(), std::vector<std::string>());
  fake().forget();
}
