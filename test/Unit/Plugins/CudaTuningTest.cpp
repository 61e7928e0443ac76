//===- CudaTuningTest.cpp - Kernels chosen by their times -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The pretended cuBLASLt knows three algorithms, of which the last one is the
// fastest and needs the most workspace. The pretended cuDNN has such engines,
// faster ones that give other bits in each run, one that it cannot build, and
// one that computes nothing.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"

#include "weir/Runtime/KernelTable.h"
#include "weir/Support/DeviceName.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

/// The folder for the user's caches while it exists.
class UserCaches {
public:
  UserCaches()
      : path(testing::TempDir() + "weir-tuning-" + std::to_string(getpid())) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    if (const char *value = std::getenv("XDG_CACHE_HOME"))
      before = value;
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
  }
  ~UserCaches() {
    if (before.empty())
      unsetenv("XDG_CACHE_HOME");
    else
      setenv("XDG_CACHE_HOME", before.c_str(), 1);
    std::filesystem::remove_all(path);
  }

  /// Changes each byte of the file behind its table.
  void damage() const {
    const std::string file = path + "/weir/kernels/entries-1";
    const auto size =
        static_cast<std::streamoff>(std::filesystem::file_size(file));
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff last = 256;
    for (std::streamoff at = std::max(size - last, last); at < size; ++at) {
      stream.seekg(at);
      const auto byte = static_cast<char>(stream.get() ^ 1);
      stream.seekp(at);
      stream.put(byte);
    }
  }

private:
  const std::string path;
  std::string before;
};

class CudaTuning : public Cuda {
protected:
  UserCaches caches;
};

SessionOptions tuning() {
  SessionOptions options = testOptions();
  options.tune = true;
  return options;
}

TensorDesc vectorOf(std::vector<int64_t> dims) {
  return TensorDesc::rowMajor(DType::F32, std::move(dims));
}

/// The product of two numbers.
PlanBuilder makeProduct() {
  return makeKernelPlan({"matmul",
                         {},
                         {vectorOf({1, 1}), vectorOf({1, 1})},
                         {vectorOf({1, 1})},
                         {},
                         {}});
}

/// A convolution of 8 channels in one cell, with a window of one cell.
PlanBuilder makeConvolution() {
  KernelSpec spec;
  spec.name = "conv";
  spec.attrs.set("strides", std::vector<int64_t>{1, 1});
  spec.attrs.set("pads", std::vector<int64_t>{0, 0, 0, 0});
  spec.attrs.set("groups", std::vector<int64_t>{1});
  const TensorDesc image{DType::F32, {1, 8, 1, 1}, {8, 1, 8, 8}};
  spec.operands = {image, vectorOf({8, 8, 1, 1})};
  spec.results = {image};
  return makeKernelPlan(spec);
}

bool hasCudnn() {
  return findKernel(kernelTable(*parseDeviceKind("cuda")), "conv");
}

/// What a run says is wrong, or "".
std::string errorOfProduct(Session &session) {
  const auto outputs = run(session, {{3}, {5}});
  if (outputs.isOk()) {
    EXPECT_EQ((*outputs)[0], Floats{15});
  }
  return std::string(outputs.status().message());
}

/// What a session says of its launch, after a run with the right result.
std::string tuningOf(PlanBuilder &plan,
                     const SessionOptions &options = tuning()) {
  const auto session = load(plan, options);
  EXPECT_EQ(errorOfProduct(*session), "");
  return session->launches()[0].tuning;
}

std::string noteOf(const Session &session, size_t device = 0) {
  return session.stats().devices[device].info.note;
}

size_t count(const std::string &call) {
  const auto calls = fake().calls();
  const auto found = calls.find(call);
  return found == calls.end() ? 0 : found->second;
}

/// Whether `text` has these parts in their order.
testing::AssertionResult inOrder(const std::string &text,
                                 const std::vector<std::string> &parts) {
  size_t at = 0;
  for (const std::string &part : parts) {
    const size_t found = text.find(part, at);
    if (found == text.npos)
      return testing::AssertionFailure() << "'" << part << "' in: " << text;
    at = found + part.size();
  }
  return testing::AssertionSuccess();
}

// The fastest algorithm is found and kept. Later loads time nothing and have
// the same one. Without the option nothing of that is used.
TEST_F(CudaTuning, KeepsTheFastestAlgorithm) {
  PlanBuilder plan = makeProduct();
  EXPECT_TRUE(inOrder(tuningOf(plan),
                      {"tuned: algorithm 3 takes 20.00 us, 3.00 times as fast "
                       "as algorithm 1, the first of 3, in ",
                       " ms"}));
  EXPECT_GT(count("cuEventElapsedTime"), 15u);
  fake().forget();
  EXPECT_EQ(tuningOf(plan),
            "tuned before: algorithm 3 takes 20.00 us, 3.00 times as fast as "
            "algorithm 1, the first of 3");
  EXPECT_EQ(count("cublasLtMatmulAlgoCheck"), 1u);
  EXPECT_EQ(count("cublasLtMatmulAlgoGetHeuristic"), 0u);
  EXPECT_EQ(count("cuEventElapsedTime"), 0u);
  fake().forget();
  EXPECT_EQ(tuningOf(plan, testOptions()), "");
  EXPECT_EQ(count("cublasLtMatmulAlgoCheck"), 0u);
}

// A session may ask for it as an option of the device.
TEST_F(CudaTuning, IsAnOptionOfDevices) {
  PlanBuilder plan = makeProduct();
  SessionOptions options = testOptions();
  options.deviceOptions = {{"cuda", "tune", "on"}};
  EXPECT_TRUE(inOrder(tuningOf(plan, options), {"tuned: algorithm 3"}));
  options = tuning();
  options.deviceOptions = {{"cuda:0", "tune", "off"}};
  EXPECT_EQ(tuningOf(plan, options), "");
}

// Other products, and other options that change what may be chosen, have
// choices of their own.
TEST_F(CudaTuning, KeepsOneChoiceForEachProduct) {
  PlanBuilder plan = makeProduct();
  EXPECT_TRUE(inOrder(tuningOf(plan), {"tuned: "}));
  SessionOptions rounding = tuning();
  rounding.deviceOptions = {{"cuda", "tf32", "on"}};
  EXPECT_TRUE(inOrder(tuningOf(plan, rounding), {"tuned: "}));
  EXPECT_TRUE(inOrder(tuningOf(plan, rounding), {"tuned before: "}));
}

// Under a memory cap, no algorithm is taken that needs more workspace than the
// first one. The model is loaded twice, and timed once.
TEST_F(CudaTuning, TakesNoMoreMemoryUnderACap) {
  PlanBuilder plan = makeProduct();
  const auto without = load(plan);
  const uint64_t held = without->stats().devices[0].heldBytes();
  plan.variant().devices[0]->memory_cap = held;
  fake().forget();
  const auto session = load(plan, tuning());
  EXPECT_LE(session->stats().devices[0].heldBytes(), held);
  EXPECT_TRUE(inOrder(session->launches()[0].tuning,
                      {"tuned before: algorithm 2 takes 40.0", "of 2"}));
  EXPECT_EQ(count("cublasLtMatmulAlgoGetHeuristic"), 1u);
  EXPECT_EQ(errorOfProduct(*session), "");
  // Without a cap, all of them may be chosen.
  plan.variant().devices[0]->memory_cap = 0;
  EXPECT_TRUE(inOrder(tuningOf(plan), {"tuned: algorithm 3"}));
}

// A choice that is damaged, or that the library refuses, is reported and made
// again.
TEST_F(CudaTuning, MakesChoicesAgain) {
  PlanBuilder plan = makeProduct();
  EXPECT_TRUE(inOrder(tuningOf(plan), {"tuned: algorithm 3"}));
  caches.damage();
  {
    const auto session = load(plan, tuning());
    EXPECT_TRUE(inOrder(session->launches()[0].tuning,
                        {"tuned: algorithm 3",
                         "; the kept choice is not used: an entry of ",
                         "is damaged: its checksum is wrong"}));
    EXPECT_TRUE(inOrder(noteOf(*session),
                        {"tunes kernels again whose kept choice cannot be "
                         "used: an entry of "}));
  }
  EXPECT_TRUE(inOrder(tuningOf(plan), {"tuned before: algorithm 3"}));
  fake().forget();
  fake().failCall("cublasLtMatmulAlgoCheck", 1, 15);
  const auto session = load(plan, tuning());
  EXPECT_TRUE(
      inOrder(session->launches()[0].tuning,
              {"tuned: algorithm 3", "; the kept choice is not used: "
                                     "cublasLtMatmulAlgoCheck failed: "}));
  EXPECT_EQ(errorOfProduct(*session), "");
}

// An algorithm that cannot run is left out, and the report says so.
TEST_F(CudaTuning, LeavesOutWhatFails) {
  PlanBuilder plan = makeProduct();
  EXPECT_TRUE(inOrder(tuningOf(plan), {"tuned: algorithm 3"}));
  const size_t launches = count("cublasLtMatmul");
  UserCaches others;
  fake().forget();
  // The last algorithm is timed last.
  fake().failCall("cublasLtMatmul", launches - 3, 14);
  EXPECT_TRUE(inOrder(tuningOf(plan),
                      {"tuned: algorithm 2 takes 40.0", "of 2, in ",
                       "; left out: algorithm 3 (cublasLtMatmul failed: "}));
}

// A wrong algorithm is left out, also if the bias is rounded before the call.
TEST_F(CudaTuning, LeavesOutWhatIsWrong) {
  // It would round the bias in runs.
  fake().define("weir_kernel_1000", {1, 1, [](float *const *, size_t) {}});
  const auto row = TensorDesc::rowMajor(DType::BF16, {1, 8});
  PlanBuilder plan = makeKernelPlan(
      {"linear",
       {},
       {row, TensorDesc::rowMajor(DType::BF16, {8, 8}), vectorOf({8})},
       {row},
       {},
       {}});
  EXPECT_TRUE(inOrder(load(plan, tuning())->launches()[0].tuning,
                      {"tuned: algorithm 3 takes 20.0", "of 3, in ",
                       "; left out: algorithm 4 (its result differs from that "
                       "of the first by "}));
}

// If nothing can be timed, the library's first choice remains, with a remark.
TEST_F(CudaTuning, GoesOnWithoutTimes) {
  PlanBuilder plan = makeProduct();
  fake().forget();
  (void)load(plan);
  const size_t others = count("cuDeviceGetName");
  fake().forget();
  fake().failCall("cuDeviceGetName", others + 1, 999);
  const auto session = load(plan, tuning());
  EXPECT_TRUE(inOrder(session->launches()[0].tuning,
                      {"not tuned: cuDeviceGetName failed"}));
  EXPECT_TRUE(inOrder(noteOf(*session),
                      {"kernels are not tuned: cuDeviceGetName failed"}));
  EXPECT_EQ(errorOfProduct(*session), "");
}

// Without a folder for caches, choices are kept until the process ends.
TEST_F(CudaTuning, KeepsChoicesInTheProcess) {
  // What no earlier test has tuned, nor this one if it is repeated.
  static int64_t size = 100;
  ++size;
  KernelSpec spec{
      "matmul",           {}, {vectorOf({1, size}), vectorOf({size, 1})},
      {vectorOf({1, 1})}, {}, {}};
  PlanBuilder plan = makeKernelPlan(spec);
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  const auto session = load(plan, tuning());
  EXPECT_TRUE(inOrder(session->launches()[0].tuning, {"tuned: algorithm 3"}));
  EXPECT_TRUE(inOrder(noteOf(*session),
                      {"choices of tuned kernels are not kept for later "
                       "processes: "}));
  const auto again = load(plan, tuning());
  EXPECT_TRUE(
      inOrder(again->launches()[0].tuning, {"tuned before: algorithm 3"}));
}

// A device that has nothing to tune says so, whatever its kind.
TEST_F(CudaTuning, SaysWhereNothingIsTuned) {
  PlanBuilder plan = makeMixed();
  const auto session = load(plan, tuning());
  for (size_t device = 0; device < 4; ++device)
    EXPECT_TRUE(inOrder(noteOf(*session, device), {"has nothing to tune"}))
        << device;
  const auto without = load(plan);
  for (size_t device = 0; device < 4; ++device)
    EXPECT_EQ(noteOf(*without, device).find("tune"), std::string::npos);
}

// The fastest plan that cuDNN builds is found, of those that always give the
// same bits.
TEST_F(CudaTuning, KeepsTheFastestPlan) {
  if (!hasCudnn())
    GTEST_SKIP() << "built without cuDNN";
  PlanBuilder plan = makeConvolution();
  const std::vector<Floats> inputs = {Floats(8, 2), Floats(64, 3)};
  const auto tuned = [&](const SessionOptions &options) {
    const auto session = load(plan, options);
    const auto outputs = run(*session, inputs);
    EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
    EXPECT_EQ((*outputs)[0], Floats(8, 48));
    const LaunchInfo launch = session->launches()[0];
    return launch.implementation + ", " + launch.tuning;
  };
  EXPECT_TRUE(inOrder(tuned(testOptions()), {"cudnn:eng1, "}));
  EXPECT_TRUE(inOrder(
      tuned(tuning()),
      {"cudnn:eng8", ", tuned: eng8",
       " takes 20.00 us, 3.00 times as fast as eng1", ", the first of 3, in ",
       "; left out: eng5", " (building a plan failed: ", "), eng9",
       " (its result differs from that of the first by inf of "}));
  fake().forget();
  EXPECT_TRUE(inOrder(tuned(tuning()), {"cudnn:eng8", ", tuned before: eng8"}));
  EXPECT_EQ(count("cuEventElapsedTime"), 0u);
  EXPECT_TRUE(inOrder(tuned(testOptions()), {"cudnn:eng1, "}));
}

/// Loads and runs `plan` while a call fails: an error names the call and the
/// device, and behind it runs succeed.
void runWithFault(PlanBuilder &plan, const std::string &function) {
  UserCaches caches;
  auto session = Session::load(plan.bytes(), tuning());
  std::string error(session.status().message());
  for (int i = 0; session.isOk() && i < 4; ++i)
    if (std::string found = errorOfProduct(**session); !found.empty()) {
      error = found;
      EXPECT_EQ(errorOfProduct(**session), "");
    }
  EXPECT_TRUE(error.empty() || inOrder(error, {"cuda:0"})) << error;
  EXPECT_TRUE(error.empty() || function == "work" || inOrder(error, {function}))
      << error;
}

// Whichever call fails while algorithms are timed, the model is loaded and
// runs, or the error says why not, and nothing is left behind.
TEST_F(CudaTuning, EachCallMayFail) {
  PlanBuilder plan = makeProduct();
  fake().forget();
  runWithFault(plan, "");
  const std::map<std::string, size_t> calls = fake().calls();
  EXPECT_GT(calls.at("cuGraphLaunch"), 15u);
  for (const auto &[function, number] : calls)
    for (size_t at = 1; at <= std::min<size_t>(number, 40); ++at) {
      SCOPED_TRACE(function + " " + std::to_string(at));
      fake().failCall(function, at,
                      function.starts_with("cublasLt") ? 14 : 999);
      runWithFault(plan, function);
      fake().forget();
      ASSERT_EQ(fake().takeComplaints(), std::vector<std::string>());
      ASSERT_EQ(fake().leaks(), std::vector<std::string>());
    }
}

} // namespace
