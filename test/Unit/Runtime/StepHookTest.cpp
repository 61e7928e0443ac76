//===- StepHookTest.cpp - Tests of hooks and options of devices -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Runtime/KernelTable.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>

using namespace weir;
using namespace weir::test;

namespace {

/// Writes down the steps, and what is predicted of them.
class Log final : public StepHook {
public:
  Status carryOut(const Step &step, const StepInfo &info, const RunControl &,
                  const std::function<Status()> &work) override {
    const std::lock_guard lock(mutex);
    lines.push_back(std::string(info.op) + " " +
                    std::to_string(info.predictedNs) + " " +
                    std::to_string(info.sharedLink));
    if (info.op == skipped)
      return Status::ok();
    if (info.op == failing)
      return internalError("broken");
    isLaunch.push_back(step.kind == StepKind::Launch);
    return work();
  }

  std::mutex mutex;
  std::vector<std::string> lines;
  std::vector<bool> isLaunch;
  std::string skipped, failing;
};

/// A driver of the kind "cpu" whose devices have the option "log", and hooks.
class HookedDriver final : public DeviceDriver {
public:
  HookedDriver()
      : driver(makeCpuDriver(
            "cpu", cpuKernels(), [this](const DeviceRequest &request) {
              requests.push_back(request);
              return request.options.contains("log") ? log : nullptr;
            })) {}

  std::string_view name() const override { return "cpu"; }
  std::vector<DeviceInfo> detect() const override { return driver->detect(); }
  bool hasFeature(std::string_view name) const override {
    return driver->hasFeature(name);
  }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return Status::ok();
  }
  Status checkOptions(const DeviceRequest &request) const override {
    return request.options.contains("wrong") ? invalidArgument("no such option")
                                             : Status::ok();
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    return driver->open(requests);
  }

  std::shared_ptr<Log> log = std::make_shared<Log>();
  std::vector<DeviceRequest> requests;

private:
  std::unique_ptr<DeviceDriver> driver;
};

/// y = x + x on cpu:1, to which x is copied. The sum is cleared first.
PlanBuilder makePlan() {
  PlanBuilder plan;
  plan.device("cpu:0");
  plan.device("cpu:1", /*isolated=*/true);
  const uint32_t x = plan.hostInput("x", 1), y = plan.hostOutput("y", 1);
  const uint32_t moved = plan.scratch(1, 1), sum = plan.scratch(1, 1);
  AttrMap add;
  add.set("algorithm", std::string("binary_add"));
  plan.on(1).copy("there", x, moved);
  plan.fill("clear", sum);
  plan.launch("sum", "binary", {moved, moved}, {sum}, add);
  plan.copy("back", sum, y);
  plan.entry().programs[0]->predictions = {{10, 0}, {20, 0}, {30, 0}, {40, 3}};
  return plan;
}

SessionOptions optionsFor(const HookedDriver &driver,
                          std::vector<DeviceOption> chosen) {
  SessionOptions options;
  options.deviceDrivers = {&driver};
  options.deviceOptions = std::move(chosen);
  return options;
}

std::string refusal(std::vector<DeviceOption> chosen) {
  const HookedDriver driver;
  PlanBuilder plan = makePlan();
  auto session =
      Session::load(plan.bytes(), optionsFor(driver, std::move(chosen)));
  return session ? "" : std::string(session.status().message());
}

} // namespace

// A hook sees launches, copies and fills in order, with what the artifact
// predicts of them, and the run is as without it.
TEST(StepHook, SeesTheStepsOfItsDevice) {
  const HookedDriver driver;
  PlanBuilder plan = makePlan();
  auto session = load(plan, optionsFor(driver, {{"cpu:1", "log", "yes"}}));
  ASSERT_TRUE(session);
  const auto result = run(*session, {{21}});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_EQ((*result)[0], Floats{42});
  EXPECT_EQ(driver.log->lines,
            (std::vector<std::string>{"there 10 0", "clear 20 0", "sum 30 0",
                                      "back 40 3"}));
  EXPECT_EQ(driver.log->isLaunch, (std::vector{false, false, true, false}));
  const SessionStats stats = session->stats();
  EXPECT_EQ(stats.devices[1].launches, 1u);
}

// What a hook does not carry out does not happen.
TEST(StepHook, MayLeaveStepsOut) {
  const HookedDriver driver;
  driver.log->skipped = "sum";
  PlanBuilder plan = makePlan();
  auto session = load(plan, optionsFor(driver, {{"cpu:1", "log", "yes"}}));
  EXPECT_EQ((*run(*session, {{21}}))[0], Floats{0});
}

// An error of a hook ends the run with the names of op and device, also for
// copies and fills, and the session works on.
TEST(StepHook, FailsTheRun) {
  const HookedDriver driver;
  PlanBuilder plan = makePlan();
  auto session = load(plan, optionsFor(driver, {{"cpu", "log", "yes"}}));
  const std::pair<const char *, const char *> cases[] = {
      {"there", "op 'there' on cpu:1: copy of 4 bytes: broken"},
      {"clear", "op 'clear' on cpu:1: fill of 4 bytes: broken"},
      {"sum", "op 'sum' on cpu:1: kernel 'binary' (1xf32, 1xf32 -> 1xf32): "
              "broken"}};
  for (const auto &[op, message] : cases) {
    driver.log->failing = op;
    const auto result = run(*session, {{21}});
    ASSERT_FALSE(result.isOk());
    EXPECT_EQ(result.status().message(), message);
  }
  driver.log->failing.clear();
  EXPECT_EQ((*run(*session, {{21}}))[0], Floats{42});
}

// Options reach the devices that they name, or all of a kind, and the last one
// of a name counts.
TEST(DeviceOptions, ReachTheirDevices) {
  HookedDriver driver;
  PlanBuilder plan = makePlan();
  auto session = load(plan, optionsFor(driver, {{"cpu:1", "a", "1"},
                                                {"cpu", "a", "2"},
                                                {"cpu:0", "b", "3"},
                                                {"cpu:1", "a", "4"}}));
  ASSERT_TRUE(session);
  ASSERT_EQ(driver.requests.size(), 2u);
  using Options = std::map<std::string, std::string>;
  EXPECT_EQ(driver.requests[0].options, (Options{{"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(driver.requests[1].options, (Options{{"a", "4"}}));
}

// Options of no device, and those that the device does not have, are errors.
TEST(DeviceOptions, AreChecked) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({{"cpu:0", "wrong", "1"}}), "no such option");
  EXPECT_EQ(refusal({{"cpu:7", "log", "1"}}),
            "the option 'log' is for cpu:7, which the artifact does not use; "
            "its devices are cpu:0, cpu:1");
  PlanBuilder plan = makePlan();
  SessionOptions options;
  options.deviceOptions = {{"cpu:1", "log", "yes"}};
  const auto session = Session::load(plan.bytes(), options);
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "cpu:1: there is no option 'log'; the options of cpu devices are "
            "cores, numa_node");
  PlanBuilder null;
  null.device("null:0");
  options.deviceOptions = {{"null:0", "log", "yes"}};
  EXPECT_EQ(Session::load(null.bytes(), options).status().message(),
            "null:0: there is no option 'log'; null devices have no options");
}
