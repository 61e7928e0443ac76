//===- BucketsTest.cpp - Tests of variables that lie in a bucket ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Runtime/HeldMemory.h"
#include "weir/Support/SafeTensors.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

/// A bucket of "a", of 16 elements, "b", of 3, and "c", of 20. "step" adds x to
/// all of it, "read" returns it as a whole.
PlanBuilder trainer(bool isIsolated = false, uint16_t frames = 1) {
  PlanBuilder plan;
  plan.variant().frames = frames;
  plan.entry().name = "step";
  plan.device("test:0", isIsolated);
  const uint32_t x = plan.input("x", 64);
  const uint32_t bucket = plan.bucket(
      {{"a", Floats(16, 1)}, {"b", Floats(3, 2)}, {"c", Floats(20, 3)}});
  const uint32_t sum = plan.scratch(64);
  plan.on(0).launch("add", "add", {x, bucket}, {sum});
  plan.copy("assign", sum, bucket);
  plan.beginEntry("read");
  const uint32_t y = plan.output("y", 64);
  plan.on(0).launch("read", "affine", {plan.variableOn(0)}, {y});
  return plan;
}

SessionOptions optionsFor(const std::string &entry) {
  SessionOptions options = testOptions();
  options.entry = entry;
  return options;
}

/// The bytes of the bucket.
Floats readAll(Session &session) {
  auto results = runAnywhere(session, *session.entry("read"), {});
  EXPECT_TRUE(results.isOk()) << results.status().message();
  return results.isOk() ? (*results)[0] : Floats();
}

Status step(Session &session, float by) {
  return runAnywhere(session, *session.entry("step"), {Floats(64, by)})
      .status();
}

/// What the bucket has if all elements of a parameter are equal.
Floats whole(float a, float b, float c, float gap) {
  Floats all(64, gap);
  std::fill_n(all.begin(), 16, a);
  std::fill_n(all.begin() + 16, 3, b);
  std::fill_n(all.begin() + 32, 20, c);
  return all;
}

// A bucket starts as the blobs of its parameters and zeros between them.
TEST(Buckets, StartAsTheirParameters) {
  for (bool isIsolated : {false, true}) {
    PlanBuilder plan = trainer(isIsolated);
    auto session = load(plan, optionsFor("read"));
    EXPECT_EQ(readAll(*session), whole(1, 2, 3, 0));
    EXPECT_EQ(session->stats().devices[0].parameterBytes, 256u);
  }
}

// Callers see the parameters, and not the bucket.
TEST(Buckets, AreSeenAsTheirParameters) {
  for (bool isIsolated : {false, true}) {
    PlanBuilder plan = trainer(isIsolated);
    auto session = load(plan, optionsFor("read"));
    const std::vector<VariableInfo> variables = session->variables();
    ASSERT_EQ(variables.size(), 3u);
    EXPECT_EQ(variables[1].name, "b");
    EXPECT_EQ(variables[1].desc.toString(), "3xf32");
    EXPECT_EQ(session->getVariable("bucket").status().message(),
              "there is no variable 'bucket'; the variables are 'a', 'b', 'c'");
    ASSERT_TRUE(step(*session, 10).isOk());
    EXPECT_EQ(getVariable(*session, "b"), Floats(3, 12));
    ASSERT_TRUE(setVariable(*session, "b", Floats(3, 50)).isOk());
    EXPECT_EQ(readAll(*session), whole(11, 50, 13, 10));
    ASSERT_TRUE(step(*session, 1).isOk());
    EXPECT_EQ(getVariable(*session, "c"), Floats(20, 14));
    EXPECT_EQ(getVariable(*session, "b"), Floats(3, 51));
  }
}

// A file has the parameters, and all of them are loaded again.
TEST(Buckets, AreSavedAsTheirParameters) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("weir-buckets-" + std::to_string(getpid())))
                               .string();
  PlanBuilder plan = trainer();
  auto session = load(plan, optionsFor("read"));
  ASSERT_TRUE(step(*session, 1).isOk());
  ASSERT_TRUE(session->saveVariables(path).isOk());
  auto file = SafeTensors::open(path);
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(file->entries().size(), 3u);
  auto other = load(plan, optionsFor("read"));
  ASSERT_TRUE(other->loadVariables(path).isOk());
  EXPECT_EQ(readAll(*other), whole(2, 3, 4, 0));
  std::filesystem::remove(path);
}

// A run that fails while it writes the bucket leaves none of the parameters
// with a value; each that is set has one again.
TEST(Buckets, HaveNoValuesAfterAFailedRun) {
  PlanBuilder plan = trainer();
  plan.beginEntry("broken");
  const uint32_t x = plan.input("x", 64);
  plan.on(0).copy("assign", x, plan.variableOn(0));
  const uint32_t y = plan.output("y", 64);
  plan.launch("broken", "fail", {x}, {y});
  auto session = load(plan, optionsFor("read"));
  EXPECT_FALSE(
      runAnywhere(*session, *session->entry("broken"), {Floats(64, 9)}).isOk());
  const auto areValid = [&] {
    std::vector<bool> areValid;
    for (const VariableInfo &variable : session->variables())
      areValid.push_back(variable.isValid);
    return areValid;
  };
  EXPECT_EQ(areValid(), (std::vector<bool>{false, false, false}));
  ASSERT_TRUE(setVariable(*session, "a", Floats(16, 1)).isOk());
  EXPECT_EQ(areValid(), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(
      runAnywhere(*session, *session->entry("read"), {}).status().message(),
      "variable 'b' has no value, because a run or a call that wrote it "
      "failed or was stopped; set it, or load all variables");
}

} // namespace
