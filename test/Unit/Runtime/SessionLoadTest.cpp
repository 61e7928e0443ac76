//===- SessionLoadTest.cpp - Tests of what sessions refuse to load --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "SmallPlans.h"
#include "weir/Support/DevicePlugin.h"
#include "weir/Support/HostTensor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

// An unknown kernel is refused at load, with the op that wants it.
TEST(Session, RefusesAnUnknownKernel) {
  PlanBuilder plan = diamond(false, "no_such_kernel");
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::Unimplemented);
  EXPECT_EQ(session.status().message(),
            "op 'left' on test:0: kernel 'no_such_kernel' (4xf32 -> 4xf32): "
            "test devices of this build have no kernel 'no_such_kernel'");
}

/// y = x in the memory of a device of its own.
PlanBuilder isolatedCopy() {
  PlanBuilder plan;
  const uint16_t far = plan.device("test:0", /*isolated=*/true);
  const uint32_t x = plan.input("x", 4, far), y = plan.output("y", 4, far);
  plan.on(far).launch("op", "affine", {x}, {y}, affine(1));
  return plan;
}

/// Asks for everything of `session`, of a tensor of another one and of the
/// runtime in a forked process, which must be refused and must not hang.
/// Returns the number of the first that is not, or 0.
int askInForkedProcess(std::unique_ptr<Session> session,
                       std::unique_ptr<Session> far, DeviceTensor tensor,
                       std::span<const std::byte> file) {
  const auto isRefused = [](const Status &status) {
    return status.code() == StatusCode::Unavailable &&
           status.message().find("this process was forked") !=
               std::string_view::npos;
  };
  if (!isRefused(Session::load(file, testOptions()).status()))
    return 1;
  if (!isRefused(run(*session, {{1, 2, 3, 4}}).status()))
    return 2;
  if (!isRefused(session->runAsync({}, {}).get()))
    return 3;
  if (!isRefused(session->getVariable("v").status()) &&
      session->getVariable("v").status().code() != StatusCode::NotFound)
    return 4;
  if (!session->variables().empty())
    return 5;
  if (!isRefused(tensor.copyToHost().status()))
    return 6;
  if (!isRefused(tensor.copyFromHost(*HostTensor::zeros(DType::F32, {4}))))
    return 7;
  (void)session->stats();
  session->stop();
  session.reset();
  // The tensor is the last that has the device.
  far.reset();
  const DeviceTensor last = std::move(tensor);
  return 0;
}

// A forked process has no threads of devices. It is told so, and hangs nowhere.
TEST(Session, RefusesAForkedProcess) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  EXPECT_TRUE(run(*session, {{1, 2, 3, 4}}).isOk());
  PlanBuilder isolated = isolatedCopy();
  auto far = load(isolated);
  DeviceTensor tensor = *far->allocate(far->inputs()[0]);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(askInForkedProcess(std::move(session), std::move(far),
                             std::move(tensor), plan.bytes()));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(run(*session, {{1, 2, 3, 4}}).isOk());
}

// Wrong inputs are refused with what was expected and what was found.
TEST(Session, RefusesWrongInputs) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  EXPECT_EQ(run(*session, {{1, 2}}).status().message(),
            "input 'x': expected 4xf32, found 2xf32");
  EXPECT_EQ(run(*session, {}).status().message(),
            "expected 1 input ('x' 4xf32), found 0");
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType::F32, dims, in.data(), 16};
  const ConstTensorView wrongType{DType::I32, dims, in.data(), 16};
  const ConstTensorView tooSmall{DType::F32, dims, in.data(), 12};
  const TensorView output{DType::F32, dims, out.data(), 16};
  const TensorView nowhere{DType::F32, dims, nullptr, 16};
  alignas(16) std::byte bytes[20];
  const ConstTensorView unaligned{DType::F32, dims, bytes + 2, 16};
  EXPECT_EQ(session->run({&wrongType, 1}, {&output, 1}).message(),
            "input 'x': expected 4xf32, found 4xi32");
  EXPECT_EQ(session->run({&tooSmall, 1}, {&output, 1}).message(),
            "input 'x': expected a buffer of 16 bytes, found 12 bytes");
  EXPECT_EQ(session->run({&unaligned, 1}, {&output, 1})
                .message()
                .find("input 'x': expected a buffer at a multiple of 4 bytes"),
            0u);
  EXPECT_EQ(session->run({&input, 1}, {&nowhere, 1}).message(),
            "output 'y': expected a buffer, found a null pointer");
  EXPECT_TRUE(session->run({&input, 1}, {&output, 1}).isOk());
}

// An element type that does not exist is refused like another one.
TEST(Session, RefusesUnknownElementTypes) {
  PlanBuilder plan = diamond(false);
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats in(4), out(4);
  const ConstTensorView input{DType(99), dims, in.data(), 16};
  const TensorView output{DType::F32, dims, out.data(), 16};
  EXPECT_EQ(session->run({&input, 1}, {&output, 1}).message(),
            "input 'x': expected 4xf32, found 4xunknown type");
}

// An output may overlap nothing; inputs may overlap each other.
TEST(Session, RefusesOverlappingBuffers) {
  PlanBuilder plan;
  plan.device("test:0");
  const uint32_t a = plan.input("a", 4), b = plan.input("b", 4);
  const uint32_t y = plan.output("y", 4), z = plan.output("z", 4);
  plan.on(0).launch("first", "affine", {a}, {y}, affine(2));
  plan.on(0).launch("second", "affine", {b}, {z}, affine(3));
  auto session = load(plan);
  const std::vector<int64_t> dims = {4};
  Floats memory(16, 1);
  auto run = [&](size_t a, size_t b, size_t y, size_t z) {
    const ConstTensorView inputs[] = {
        {DType::F32, dims, memory.data() + a, 16},
        {DType::F32, dims, memory.data() + b, 16}};
    // More bytes may be there than the run writes.
    const TensorView outputs[] = {{DType::F32, dims, memory.data() + y, 32},
                                  {DType::F32, dims, memory.data() + z, 16}};
    return std::string(session->run(inputs, outputs).message());
  };
  const std::string repair = " in memory; give each a buffer of its own";
  EXPECT_EQ(run(0, 4, 8, 12), "");
  EXPECT_EQ(run(12, 12, 4, 8), "");
  EXPECT_EQ(run(0, 4, 0, 12), "output 'y' overlaps input 'a'" + repair);
  EXPECT_EQ(run(0, 8, 12, 5), "output 'z' overlaps input 'b'" + repair);
  EXPECT_EQ(run(0, 0, 8, 11), "output 'z' overlaps output 'y'" + repair);
  EXPECT_EQ(run(0, 4, 8, 8).substr(0, 8), "output '");
}

TEST(Session, RefusesDriversThatAreNull) {
  PlanBuilder plan = diamond(false);
  SessionOptions options;
  options.deviceDrivers = {nullptr};
  EXPECT_EQ(
      Session::load(plan.bytes(), options).status().message(),
      "a driver in SessionOptions::deviceDrivers is a null pointer; leave "
      "it out");
}

// The first variant that the machine satisfies is taken.
TEST(Session, SkipsVariantsItCannotRun) {
  PlanBuilder plan = diamond(false);
  auto &variants = plan.model().variants;
  variants.push_back(std::make_unique<artifact::VariantT>());
  std::swap(variants[0], variants[1]);
  variants[0]->devices.push_back(std::make_unique<artifact::DeviceT>());
  variants[0]->devices[0]->name = "warp:0";
  variants[0]->entries.push_back(std::make_unique<artifact::EntryT>());
  variants[0]->entries[0]->name = "main";
  const auto session = load(plan);
  EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
            (std::vector<Floats>{{5, 10, 15, 20}}));
  const std::string note = session->stats().devices[0].info.note;
  EXPECT_NE(note.find("runs in place of what the artifact has for other "
                      "devices (device 'warp:0' is of a kind that this runtime "
                      "lacks: "),
            note.npos)
      << note;
}

/// Two variants of y = 5x. `first` and `second` are kernels of them.
static PlanBuilder twoVariants(const std::string &first,
                               const std::string &second = "affine") {
  PlanBuilder plan = diamond(false, first), other = diamond(false, second);
  plan.model().variants.push_back(std::move(other.model().variants[0]));
  return plan;
}

// A variant is passed over if its kernels need something that the machine
// lacks, with a memory cap as well, for which kernels are prepared twice.
TEST(Session, SkipsVariantsWhoseKernelsLackSomething) {
  for (uint64_t cap : {0, 1 << 20}) {
    SCOPED_TRACE(cap);
    PlanBuilder plan = twoVariants("lacking");
    plan.model().variants[1]->devices[0]->memory_cap = cap;
    const auto session = load(plan);
    EXPECT_EQ(*run(*session, {{1, 2, 3, 4}}),
              (std::vector<Floats>{{5, 10, 15, 20}}));
    const std::string note = session->stats().devices[0].info.note;
    EXPECT_NE(note.find("runs in place of what the artifact has for other "
                        "devices (op '"),
              note.npos)
        << note;
    EXPECT_NE(note.find("kernel 'lacking'"), note.npos) << note;
    EXPECT_NE(note.find("it needs a library that is not there)"), note.npos)
        << note;
  }
}

// All other errors are errors. If no variant is left, there is a reason against
// each; the only one of an artifact has its own error.
TEST(Session, SkipsNoVariantForOtherErrors) {
  const auto errorOf = [](PlanBuilder plan) {
    const auto session = Session::load(plan.bytes(), testOptions());
    return std::string(session.status().message());
  };
  const std::string lacks = "it needs a library that is not there";
  EXPECT_NE(errorOf(twoVariants("throw")).find("thrown"), std::string::npos);
  const std::string both = errorOf(twoVariants("lacking", "lacking"));
  EXPECT_TRUE(both.starts_with("no variant of the artifact can run on this "
                               "machine; variant 0: op '"))
      << both;
  EXPECT_NE(both.find(lacks + "; variant 1: op '"), both.npos) << both;
  const std::string only = errorOf(diamond(false, "lacking"));
  EXPECT_TRUE(only.starts_with("op '") && only.ends_with(lacks)) << only;
}

// Where no variant fits, the error has the reason against each of them.
TEST(Session, SaysWhyNoVariantFits) {
  PlanBuilder plan = diamond(false);
  plan.model().variants[0]->cpu_features.push_back("no-such-feature");
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "no variant of the artifact can run on this machine; variant 0: "
            "the processor lacks the feature 'no-such-feature'; compile the "
            "model for this processor");
  PlanBuilder other;
  other.device("warp:0");
  other.on(0).fill("zero", other.output("y", 1));
  session = Session::load(other.bytes());
  ASSERT_FALSE(session.isOk());
  const std::string message(session.status().message());
  EXPECT_TRUE(message.starts_with(
      "no variant of the artifact can run on this machine; variant 0: "
      "device 'warp:0' is of a kind that this runtime lacks: there is no "
      "libweir-warp.so in "))
      << message;
  EXPECT_TRUE(message.ends_with("WEIR_PLUGIN_PATH lists the folders to search"))
      << message;
  for (const std::string &folder : devicePluginFolders())
    EXPECT_NE(message.find(folder), message.npos) << message;
}

// Devices of the kind have memory of their own, so an artifact that takes it
// for the host's would read what is not there.
TEST(Session, RefusesOtherMemoryThanTheKinds) {
  PlanBuilder plan;
  plan.device("demo:0");
  plan.on(0).fill("zero", plan.output("y", 1));
  auto session = Session::load(plan.bytes());
  ASSERT_FALSE(session.isOk());
  EXPECT_NE(session.status().message().find(
                "the artifact takes the memory of 'demo:0' for the host's"),
            std::string_view::npos)
      << session.status().message();
}

// An arena no machine has is an error, not a crash.
TEST(Session, RefusesAnArenaThatDoesNotFit) {
  PlanBuilder plan = diamond(false);
  plan.scratch(int64_t(1) << 44);
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
}

// A plan whose parts fit separately but not together is refused before memory
// is allocated.
TEST(Session, RefusesAPlanThatDoesNotFitAsAWhole) {
  PlanBuilder plan = diamond(false);
  const uint64_t memory = testDriver().detect()[0].memoryBytes;
  const auto most = static_cast<int64_t>(memory / 10 * 6 / sizeof(float));
  plan.scratch(most);
  plan.queueScratch(most);
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(session.status().message().find("test:0: the plan needs "), 0u)
      << session.status().message();
}

// Exceptions of a kernel's prepare become errors.
TEST(Session, SurvivesExceptionsInPrepare) {
  PlanBuilder plan = diamond(false, "throw");
  auto session = Session::load(plan.bytes(), testOptions());
  ASSERT_FALSE(session.isOk());
  EXPECT_EQ(session.status().message(),
            "op 'left' on test:0: kernel 'throw' (4xf32 -> 4xf32): an "
            "exception in prepare: thrown");
}

// Launches of the library's scalar code are noted, with the first of them.
TEST(Session, NotesScalarCode) {
  PlanBuilder plan = diamond(false, "scalar");
  const SessionStats stats = load(plan)->stats();
  EXPECT_EQ(stats.devices[0].info.note,
            "1 of 2 launches run slow scalar code of the library, first op "
            "'left' on test:0: kernel 'scalar' (4xf32 -> 4xf32) as plain");
  ASSERT_EQ(stats.devices[0].info.notes.size(), 1u);
  EXPECT_EQ(stats.devices[0].info.notes[0].code, "scalar-code");
  EXPECT_EQ(stats.devices[0].info.notes[0].text, stats.devices[0].info.note);
  EXPECT_EQ(stats.devices[1].info.note, "");
}

// Launches are listed with their kernels and implementations.
TEST(Session, ListsLaunches) {
  PlanBuilder plan = diamond(false);
  plan.variant().kernels[1]->flops = 8;
  const std::vector<LaunchInfo> launches = load(plan)->launches();
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[2].device, "test:1");
  EXPECT_EQ(launches[2].op, "right");
  EXPECT_EQ(launches[2].kernel, "affine");
  EXPECT_EQ(launches[2].implementation, "plain");
  EXPECT_EQ(launches[1].shapes, "4xf32, 4xf32 -> 4xf32");
  EXPECT_EQ(launches[0].flops + launches[1].flops + launches[2].flops, 8u);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// OpenMP ends the process where it cannot start a thread; a session says so
// instead.
TEST(SessionDeathTest, RefusesMoreThreadsThanTheProcessMayHave) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto loadMany = [] {
    const rlimit limit{rlim_t(3) << 30, rlim_t(3) << 30};
    setrlimit(RLIMIT_AS, &limit);
    PlanBuilder plan;
    plan.device("test:0", false, 1024);
    plan.on(0).fill("zero", plan.output("y", 1));
    auto session = Session::load(plan.bytes(), testOptions());
    std::fprintf(stderr, "%s\n",
                 std::string(session.status().message()).c_str());
    std::exit(session.status().code() == StatusCode::ResourceExhausted ? 0 : 1);
  };
  EXPECT_EXIT(loadMany(), testing::ExitedWithCode(0),
              "test:0: cannot start 1024 threads");
}
#endif

// If OpenMP makes a team smaller than required, the session is refused, because
// its results would have other bits.
TEST(SessionDeathTest, RefusesATeamThatIsTooSmall) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("OMP_THREAD_LIMIT", "1", 1);
  auto loadTwo = [] {
    PlanBuilder plan;
    plan.device("test:0", false, 2);
    plan.on(0).fill("zero", plan.output("y", 1));
    auto session = Session::load(plan.bytes(), testOptions());
    std::fprintf(stderr, "%s\n",
                 std::string(session.status().message()).c_str());
    std::exit(session.isOk() ? 1 : 0);
  };
  EXPECT_EXIT(loadTwo(), testing::ExitedWithCode(0),
              "test:0: expected a team of 2 threads, OpenMP gives 1");
  unsetenv("OMP_THREAD_LIMIT");
}

} // namespace
