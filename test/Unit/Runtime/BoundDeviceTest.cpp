//===- BoundDeviceTest.cpp - Devices that are bound to cores --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/CPU/CpuTopology.h"
#include "SmallPlans.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace weir;
using namespace weir::test;

// The threads of a device are on its cores, also those that would be the
// caller's; other sessions do not change that.
TEST(BoundDevice, RunsOnItsCores) {
  PlanBuilder plan;
  const auto device = plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(device).launch("y", "processor", {x}, {y});
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<int> processors = detectCpuTopology().processors;
  processors.resize(std::min<size_t>(processors.size(), 4));
  for (const int processor : processors) {
    SessionOptions options = testOptions();
    options.deviceOptions = {{"test:0", "cores", std::to_string(processor)}};
    sessions.push_back(load(plan, options));
    ASSERT_TRUE(sessions.back());
  }
  for (int repeat = 0; repeat < 20; ++repeat)
    for (size_t i = 0; i < sessions.size(); ++i)
      EXPECT_EQ(*run(*sessions[i], {{0}}),
                (std::vector<Floats>{{static_cast<float>(processors[i])}}));
}

// Options of the artifact count until the session has others.
TEST(BoundDevice, TakesOptionsFromTheArtifact) {
  PlanBuilder plan;
  const auto device = plan.device("test:0");
  const uint32_t x = plan.input("x", 1), y = plan.output("y", 1);
  plan.on(device).launch("y", "processor", {x}, {y});
  auto &option = plan.variant().devices[0]->options.emplace_back(
      std::make_unique<artifact::DeviceOptionT>());
  option->name = "cores";
  option->value = "4095";
  const auto bytes = plan.bytes();
  EXPECT_NE(Session::load(bytes, testOptions())
                .status()
                .message()
                .find("test:0: expected processors that this process may use"),
            std::string::npos);
  const int last = detectCpuTopology().processors.back();
  SessionOptions options = testOptions();
  options.deviceOptions = {{"test:0", "cores", std::to_string(last)}};
  auto session = load(plan, options);
  EXPECT_EQ(*run(*session, {{0}}),
            (std::vector<Floats>{{static_cast<float>(last)}}));
}
