//===- CudaFixture.h - Tests on pretended GPUs ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H
#define WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H

#include "FakeCuda/FakeCuda.h"
#include "GpuPlans.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weir::test {

/// The driver of the pretended GPUs. The plug-in uses it if this is called
/// before anything else, which gives the entries of makeCode their meaning.
FakeCuda &fake();

/// Lets the plug-in use a driver from these folders.
void usePretendedGpus();

/// The text of the error of a run on 1, or "" if it has the right result.
/// Nobody may use the caller's buffers behind its end.
std::string errorOf(Session &session, float expected);

/// Inputs of 1 and 10 and an output in the memory of a GPU, for a session of
/// makeDeviceChain.
class DeviceBuffers {
public:
  explicit DeviceBuffers(Session &session);
  /// The last element of the output of a run on that input.
  float run(Session &session, size_t input);

  std::vector<DeviceTensor> inputs;
  DeviceTensor output;
};

/// No test may use memory without an order, ask for what the driver refuses, or
/// leave anything behind.
class Cuda : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_CUDAFIXTURE_H
