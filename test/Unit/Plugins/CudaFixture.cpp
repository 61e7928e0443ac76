//===- CudaFixture.cpp - Tests on pretended GPUs --------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>

using namespace weir;
using namespace weir::test;

void test::usePretendedGpus() {
  setenv("WEIR_CUDA_LIB_PATH", WEIR_FAKE_CUDA, 1);
}

static void defineKernels(FakeCuda &driver) {
  driver.define("weir_kernel_0", {2, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[2][i] = at[0][i] + at[1][i];
                                  }});
  driver.define("weir_kernel_1", {1, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[1][i] = 2 * at[0][i];
                                  }});
  driver.define("weir_kernel_2", {1, 1, [](float *const *at, size_t size) {
                                    for (size_t i = 0; i < size; ++i)
                                      at[1][i] = i ? at[0][i] : NAN;
                                  }});
}

FakeCuda &test::fake() {
  static FakeCuda *const driver = [] {
    void *library = dlopen(WEIR_FAKE_CUDA "/libcuda.so.1", RTLD_NOW);
    FakeCuda *made =
        reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
    defineKernels(*made);
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

void Cuda::SetUp() {
  fake().forget();
  (void)fake().takeComplaints();
}

void Cuda::TearDown() {
  EXPECT_EQ(fake().takeComplaints(), std::vector<std::string>());
  EXPECT_EQ(fake().leaks(), std::vector<std::string>());
  fake().forget();
}
