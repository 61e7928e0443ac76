//===- TrainerFixture.h - Small trainings for tests -----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_TRAINING_TRAINERFIXTURE_H
#define WEIR_TEST_UNIT_TRAINING_TRAINERFIXTURE_H

#include "../Runtime/SmallPlans.h"
#include "weir/Support/HostTensor.h"
#include "weir/Training/Trainer.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace weir::test {

using Milliseconds = std::chrono::milliseconds;

/// Adds an entry that reads example `x`, and returns and assigns
/// `loss` = `x` + the variable. A step takes `time`.
inline void addStep(PlanBuilder &plan, uint16_t device, uint32_t variable,
                    Milliseconds time = {}) {
  const uint32_t x = plan.input("x", 1, device);
  const uint32_t slept = plan.scratch(1, device);
  const uint32_t sum = plan.scratch(1, device);
  const uint32_t loss = plan.output("loss", 1, device);
  plan.on(device).launch("sleep", "sleep", {x}, {slept},
                         sleeping(time.count() * 1000));
  plan.launch("add", "add", {slept, variable}, {sum});
  plan.copy("loss", sum, loss);
  plan.copy("assign", sum, variable);
}

/// A session whose only entry, "main", is a step on the variable "w".
inline std::unique_ptr<Session> steps(Milliseconds time = {}) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  addStep(plan, device, plan.variable({0}, device, "w"), time);
  return load(plan);
}

/// A dataset of `count` zeros, each of which takes `time` to read.
inline Dataset examples(int64_t count, Milliseconds time = {}) {
  std::vector<NamedColumn> columns;
  columns.push_back({"x", *HostTensor::zeros(DType::F32, {count})});
  const Dataset data = *Dataset::fromTensors(std::move(columns));
  CustomStep step;
  step.apply = [time](std::span<const std::byte>, std::span<std::byte>) {
    std::this_thread::sleep_for(time);
    return Status::ok();
  };
  return *data.map("x", {step});
}

/// Options of a training that says nothing.
inline TrainerOptions quiet() {
  TrainerOptions options;
  options.entry = "main";
  options.reports.progress = StepReportOptions::Progress::None;
  options.reports.descriptor = -1;
  return options;
}

/// Has a folder for files.
class TrainerTest : public testing::Test {
protected:
  TrainerTest() {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    root = ::mkdtemp(pattern.data());
  }
  ~TrainerTest() override { std::filesystem::remove_all(root); }
  std::string root;
};

} // namespace weir::test

#endif // WEIR_TEST_UNIT_TRAINING_TRAINERFIXTURE_H
