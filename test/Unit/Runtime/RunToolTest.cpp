//===- RunToolTest.cpp - Tests of what graph-run does ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Tools/RunTool.h"

#include "PlanBuilder.h"
#include "Runtime/Tools/Comparison.h"
#include "Runtime/Tools/ProfileSummary.h"
#include "Runtime/Tools/RunReport.h"
#include "Runtime/Tools/TensorArguments.h"
#include "weir/Artifact/Writer.h"
#include "weir/Support/Npy.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;

namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

HostTensor vectorOf(std::vector<float> values) {
  return *HostTensor::of<float>(DType::F32,
                                {static_cast<int64_t>(values.size())}, values);
}

/// A folder with "model.weir", which copies x to y on a null device.
class RunTool : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "weir-run-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    PlanBuilder plan;
    plan.device("null:0");
    const uint32_t x = plan.input("x", 3), y = plan.output("y", 3);
    plan.on(0).copy("copy", x, y);
    options.model = file("model.weir");
    ASSERT_TRUE(artifact::writeFile(options.model, plan.model(), {}).isOk());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string write(const std::string &name, std::vector<float> values) const {
    const HostTensor tensor = vectorOf(std::move(values));
    EXPECT_TRUE(writeNpy(file(name), tensor.desc(), tensor.bytes()).isOk());
    return file(name);
  }
  std::string message() const {
    return std::string(runTool(options).message());
  }

  std::string folder;
  RunToolOptions options;
};

// What goes in comes out, in a file for each output.
TEST_F(RunTool, ReadsAndWritesFiles) {
  options.inputs = {"x=" + write("x.npy", {1, 2, 3})};
  options.outputs = {"y=" + file("y.npy")};
  options.outputDir = file("all");
  ASSERT_EQ(message(), "");
  for (const char *name : {"y.npy", "all/y.npy"}) {
    auto y = readNpy(file(name));
    ASSERT_TRUE(y.isOk());
    EXPECT_EQ((*y).values<float>()[2], 3);
  }
}

// Equal seeds give equal numbers, other seeds others.
TEST_F(RunTool, MakesRandomInputs) {
  options.outputs = {"y=" + file("y.npy")};
  std::vector<float> first;
  for (const char *input : {"x=random:1", "x=random:2", "x=random:1"}) {
    options.inputs = {input};
    ASSERT_EQ(message(), "");
    first.push_back((*readNpy(file("y.npy"))).values<float>()[0]);
  }
  EXPECT_EQ(first[0], first[2]);
  EXPECT_NE(first[0], first[1]);
}

// Names and values that are wrong list what is right.
TEST_F(RunTool, ListsWhatIsValid) {
  EXPECT_EQ(message(), "input 'x' is missing; give --input x=FILE.npy or "
                       "--input x=random; the inputs are 'x' 3xf32");
  options.inputs = {"z=random"};
  EXPECT_EQ(message(),
            "--input z=random: there is no 'z'; there are 'x' 3xf32");
  options.inputs = {"x"};
  EXPECT_EQ(message(), "--input x: expected NAME=FILE");
  options.inputs = {"=random"};
  EXPECT_EQ(message(), "--input =random: expected NAME=FILE");
  options.inputs = {"x=random", "x=random"};
  EXPECT_EQ(message(), "--input: 'x' is given twice, as 'x=random' and "
                       "'x=random'; give it once");
  options.inputs = {"x=random:many"};
  EXPECT_EQ(
      message(),
      "input 'x': the seed 'many' is not a number from 0 to 2^64 - 1; expected "
      "random or random:SEED");
  options.inputs = {"x=" + write("x.npy", {1, 2})};
  EXPECT_EQ(message(), "input 'x': expected 3xf32, found 2xf32 in '" +
                           file("x.npy") +
                           "'; give a tensor of this shape, or, if the "
                           "graph leaves these dims open, compile it with "
                           "--shape=x:2");
  options.inputs = {"x=random"};
  options.outputs = {"q=q.npy"};
  EXPECT_EQ(message(),
            "--output q=q.npy: there is no 'q'; there are 'y' 3xf32");
}

// An input that no command reads may be left out.
TEST_F(RunTool, NeedsNoUnreadInput) {
  PlanBuilder plan;
  plan.device("null:0");
  const uint32_t x = plan.input("x", 3);
  plan.input("unread", 3);
  const uint32_t y = plan.output("y", 3);
  plan.on(0).copy("copy", x, y);
  ASSERT_TRUE(artifact::writeFile(options.model, plan.model(), {}).isOk());
  options.inputs = {"x=random"};
  EXPECT_EQ(message(), "");
  options.inputs = {"x=random", "unread=random"};
  EXPECT_EQ(message(), "");
}

// A name may have a '=' too: the longest that there is counts.
TEST_F(RunTool, FindsTheLongestName) {
  PlanBuilder plan;
  plan.device("null:0");
  const uint32_t x = plan.input("x", 3), xy = plan.input("x=y", 2);
  const uint32_t y = plan.output("y", 3), z = plan.output("z=y", 2);
  plan.on(0).copy("first", x, y);
  plan.copy("second", xy, z);
  ASSERT_TRUE(artifact::writeFile(options.model, plan.model(), {}).isOk());
  options.inputs = {"x=" + write("y", {1, 2, 3}),
                    "x=y=" + write("xy.npy", {4, 5})};
  options.expectations = {"z=y=" + file("xy.npy")};
  EXPECT_EQ(message(), "");
  options.inputs.push_back("x=y=random");
  EXPECT_EQ(message(), "--input: 'x=y' is given twice, as 'x=y=" +
                           file("xy.npy") + "' and 'x=y=random'; give it once");
}

// An expectation that is not met fails, with both tolerances respected.
TEST_F(RunTool, ComparesWithExpectations) {
  options.inputs = {"x=" + write("x.npy", {1, 2, 3})};
  options.expectations = {"y=" + write("e.npy", {1, 2, 3.1f})};
  options.rtol = options.atol = 0;
  EXPECT_EQ(message(), "differences beyond rtol 0 and atol 0 in 1 output");
  options.atol = 0.2;
  EXPECT_EQ(message(), "");
}

// What cannot be compared with an output is found before the run.
TEST_F(RunTool, ChecksExpectationsBeforeTheRun) {
  options.inputs = {"x=" + write("x.npy", {1, 2, 3})};
  options.outputs = {"y=" + file("early.npy")};
  options.expectations = {"y=" + write("e.npy", {1, 2})};
  EXPECT_EQ(message(), "--expect y: the output is 3xf32, found 2xf32 in '" +
                           file("e.npy") +
                           "'; give the expected values in the output's shape");
  const auto integers = HostTensor::zeros(DType::I64, {3});
  ASSERT_TRUE(
      writeNpy(file("i.npy"), integers->desc(), integers->bytes()).isOk());
  options.expectations = {"y=" + file("i.npy")};
  EXPECT_EQ(message(), "--expect y: the output is 3xf32, found 3xi64 in '" +
                           file("i.npy") + "'; convert its elements to f32");
  EXPECT_FALSE(std::filesystem::exists(file("early.npy")));
}

// The profile is JSON with the launches and copies in it.
TEST_F(RunTool, WritesAProfile) {
  options.inputs = {"x=random"};
  options.profile = file("trace.json");
  ASSERT_EQ(message(), "");
  std::ifstream trace(options.profile);
  const auto json = nlohmann::json::parse(trace);
  EXPECT_EQ(json["traceEvents"].back()["name"], "copy");
  options.profile = file("no/such/folder.json");
  EXPECT_NE(message(), "");
}

// Two outputs whose files would have one name are refused before the run, and
// so is an expectation that cannot be read.
TEST_F(RunTool, FindsMistakesBeforeTheRun) {
  PlanBuilder plan;
  plan.device("null:0");
  const uint32_t x = plan.input("x", 3);
  const uint32_t one = plan.output("a/b", 3), two = plan.output("a_b", 3);
  plan.on(0).copy("copy", x, one);
  plan.copy("copy", x, two);
  ASSERT_TRUE(artifact::writeFile(options.model, plan.model(), {}).isOk());
  options.inputs = {"x=random"};
  options.outputs = {"a_b=" + file("early.npy")};
  options.outputDir = file("all");
  EXPECT_EQ(message(), "output 'a/b' of --output-dir and output 'a_b' of "
                       "--output-dir would both write '" +
                           file("all/a_b.npy") + "'; write them with --output");
  EXPECT_FALSE(std::filesystem::exists(file("all")));
  options.outputDir.clear();
  options.expectations = {"a_b=" + file("none.npy")};
  EXPECT_NE(message().find("none.npy"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file("early.npy")));
}

// Closeness as numpy.allclose(found, expected, rtol=0.1, atol=0.5) has it, by
// its documented formula.
TEST(Comparison, FollowsNumpy) {
  struct Case {
    double found, expected;
    bool isClose;
  };
  const Case cases[] = {{10, 10, true},   {11.5, 10, true}, {11.6, 10, false},
                        {10, 11.6, true}, {inf, inf, true}, {inf, -inf, false},
                        {1, inf, false},  {inf, 1, false},  {nan, nan, true},
                        {nan, 1, false},  {1, nan, false},  {-0.0, 0.0, true}};
  for (const Case &c : cases) {
    const double values[] = {c.found, c.expected};
    auto found = HostTensor::of<double>(DType::F64, {1}, std::span(values, 1));
    auto expected =
        HostTensor::of<double>(DType::F64, {1}, std::span(values + 1, 1));
    auto result = compareTensors(*found, *expected, {0.1, 0.5});
    EXPECT_EQ(result->numDifferent == 0, c.isClose)
        << c.found << " against " << c.expected;
  }
}

// A u64 is not negative: numpy.allclose tells these apart, and these equal.
TEST(Comparison, TakesUnsignedIntegersAsTheyAre) {
  const auto isClose = [](uint64_t found, auto expected, double atol) {
    const DType type =
        std::is_signed_v<decltype(expected)> ? DType::I64 : DType::U64;
    const uint64_t one[] = {found};
    const decltype(expected) other[] = {expected};
    const auto a = HostTensor::of<uint64_t>(DType::U64, {1}, one);
    const auto b = HostTensor::of<decltype(expected)>(type, {1}, other);
    return compareTensors(*a, *b, {0, atol})->numDifferent == 0;
  };
  constexpr uint64_t most = UINT64_MAX, half = uint64_t{1} << 63;
  EXPECT_FALSE(isClose(most, int64_t{-1}, 0));
  EXPECT_FALSE(isClose(most, uint64_t{0}, 1));
  EXPECT_TRUE(isClose(half, half - 1, 1));
  EXPECT_FALSE(isClose(half, half - 1, 0));
  EXPECT_TRUE(isClose(most, most, 0));
}

// The table has the worst elements first, at their index.
TEST(Comparison, ShowsTheWorst) {
  std::vector<float> found(100, 0), expected(100, 0);
  for (size_t i = 0; i < 30; ++i)
    found[i] = static_cast<float>(i);
  auto a = HostTensor::of<float>(DType::F32, {10, 10}, found);
  auto b = HostTensor::of<float>(DType::F32, {10, 10}, expected);
  auto result = compareTensors(*a, *b, {0, 0});
  ASSERT_TRUE(result.isOk());
  EXPECT_EQ(result->numDifferent, 29);
  ASSERT_EQ(result->worst.size(), 10u);
  EXPECT_EQ(result->worst[0].index, 29);
  EXPECT_EQ(result->worst[9].index, 20);
  EXPECT_NE(toTable(*result, {10, 10}, "output 'y'").find("[2, 9]"),
            std::string::npos);
}

// Each launch gets a time of its own from the last run, though they share an
// op, and what has fallen out of the trace has none.
TEST(RunReport, TellsTheLaunchesOfAnOpApart) {
  Trace trace;
  TraceRing &row = trace.addRow("cpu:0", "compute", 5);
  trace.addRow("cpu:0", "copy", 5).record({"a", "copy", 0, 1000, 4});
  trace.addRow("cpu:1", "compute", 5).record({"a", "launch", 0, 77, 0});
  for (uint64_t time : {1, 2, 3, 10, 20, 30}) {
    row.record({"a", "launch", 0, time, 0});
    if (time == 20)
      row.record({"event", "record", 0, 500, 0});
  }
  const LaunchInfo one{"cpu:0", "a", "k", "", ""},
      two{"cpu:1", "a", "k", "", ""};
  EXPECT_EQ(launchTimes(trace, std::vector<LaunchInfo>{one, one, two, one}),
            (std::vector<uint64_t>{10, 20, 77, 30}));
  EXPECT_EQ(
      launchTimes(trace, std::vector<LaunchInfo>{one, one, one, one, one}),
      (std::vector<uint64_t>{0, 3, 10, 20, 30}));
}

// A trace with room for fewer runs than there were says what it lacks.
TEST(RunReport, CountsLostSpans) {
  RunReport report;
  report.latenciesNs = {1};
  EXPECT_EQ(toText(report).find("lacks"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(toJson(report))["lost_spans"], 0);
  report.lostSpans = 7;
  EXPECT_NE(toText(report).find("note: the file of --profile lacks the 7 "
                                "oldest spans; lower --repeat"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(toJson(report))["lost_spans"], 7);
}

// Launches of one op, kernel and device are added up; the longest comes first.
TEST(ProfileSummary, AddsUp) {
  const LaunchInfo product{"cpu:0", "a", "matmul", "brg", "", 100, 4000};
  const LaunchInfo other{"cpu:1", "a", "matmul", "brg", "", 100, 4000};
  const LaunchInfo copy{"cpu:0", "b", "reorder", "", "", 50, 0};
  const std::vector<LaunchInfo> launches = {product, copy, other, product};
  ProfileSummary summary;
  EXPECT_EQ(summary.toText(), "");
  summary.add(launches, std::vector<uint64_t>{100, 1500, 200, 300});
  summary.add(launches, std::vector<uint64_t>{200, 500, 200, 1000});
  const auto row = [](const LaunchInfo &launch, int count, double totalMs,
                      double meanUs, double share, double gflops, double gb) {
    return nlohmann::ordered_json{
        {"device", launch.device},    {"op", launch.op},
        {"kernel", launch.kernel},    {"implementation", launch.implementation},
        {"launches", count},          {"total_ms", totalMs},
        {"mean_us", meanUs},          {"share", share},
        {"gflop_per_second", gflops}, {"gb_per_second", gb}};
  };
  EXPECT_EQ(summary.toJson(),
            (nlohmann::ordered_json{row(copy, 2, 0.002, 1, 0.5, 0, 0.05),
                                    row(product, 4, 0.0016, 0.4, 0.4, 10, 0.25),
                                    row(other, 2, 0.0004, 0.2, 0.1, 20, 0.5)}));
}

// A note that several devices have is printed once.
TEST(RunReport, SaysWhatDevicesShareOnce) {
  RunReport report;
  report.latenciesNs = {1};
  for (const auto &[name, note] :
       {std::pair("cpu:0", "crowded"), std::pair("cpu:1", "crowded"),
        std::pair("cpu:2", "slow"), std::pair("null:0", "")}) {
    DeviceStats &device = report.stats.devices.emplace_back();
    device.info.name = name;
    if (note != std::string())
      device.info.addNote({note, note});
  }
  const std::string text = toText(report);
  EXPECT_NE(text.find("\nnote: cpu:0, cpu:1: crowded\n"
                      "note: cpu:2: slow\nlatency: "),
            text.npos)
      << text;
  EXPECT_NE(text.find(" over 1 run; "), text.npos) << text;
  report.latenciesNs = {1, 2};
  EXPECT_NE(toText(report).find(" over 2 runs; "), text.npos);
}

// What a model costs once does not count in the times of its runs, unless there
// is nothing else.
TEST(RunReport, ColdRunsDoNotCount) {
  RunReport report;
  report.allRunsNs = 10'000'000;
  report.coldNs = {5'100'000};
  const auto contains = [&](const std::string &part) {
    return toText(report).find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains("min 5.100 ms, ")) << toText(report);
  EXPECT_TRUE(contains(" over 1 run, a cold one; ")) << toText(report);
  report.latenciesNs = {2'000'000, 3'000'000};
  EXPECT_TRUE(contains("min 2.000 ms, median 2.000 ms, p90 3.000 ms, "))
      << toText(report);
  EXPECT_TRUE(contains(" over 2 runs, without a cold one of 5.100 ms; "))
      << toText(report);
  const auto json = nlohmann::json::parse(toJson(report));
  EXPECT_EQ(json["latency_ms"]["cold"], 5.1);
  EXPECT_EQ(json["latency_ms"]["p99"], 3);
  EXPECT_EQ(json["runs"], 3);
  EXPECT_NEAR(json["runs_per_second"], 300, 1e-6);
  report.coldNs = {4'000'000, 6'000'000};
  EXPECT_TRUE(contains(", without 2 cold ones of at most 6.000 ms; "))
      << toText(report);
  report.coldNs = {};
  EXPECT_TRUE(
      nlohmann::json::parse(toJson(report))["latency_ms"]["cold"].is_null());
}

// Percentiles by the nearest rank: of 1 to 100 the 90th is 90.
TEST(RunReport, TakesPercentiles) {
  std::vector<uint64_t> values;
  for (uint64_t i = 100; i > 0; --i)
    values.push_back(i);
  EXPECT_EQ(percentile(values, 0), 1u);
  EXPECT_EQ(percentile(values, 0.5), 50u);
  EXPECT_EQ(percentile(values, 0.9), 90u);
  EXPECT_EQ(percentile(values, 0.99), 99u);
  EXPECT_EQ(percentile({7}, 0.99), 7u);
}

} // namespace
