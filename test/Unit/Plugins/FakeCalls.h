//===- FakeCalls.h - Calls of the pretended driver --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_FAKECALLS_H
#define WEIR_TEST_UNIT_PLUGINS_FAKECALLS_H

#include "TestPaths.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace weir::test {

/// A function of the pretended driver.
template <typename Function> Function fakeFunction(const char *name) {
  void *library = dlopen(paths::fakeCuda, RTLD_NOW);
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(
      dlsym(library, "cuGetProcAddress_v2"));
  void *address = nullptr;
  CUdriverProcAddressQueryResult found{};
  EXPECT_EQ(find(name, &address, 12040, 0, &found), CUDA_SUCCESS);
  return reinterpret_cast<Function>(address);
}

/// The function `name` with the type that it has since that version of CUDA.
#define FAKE(name, version)                                                    \
  weir::test::fakeFunction<PFN_##name##_v##version>(#name)

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_FAKECALLS_H
