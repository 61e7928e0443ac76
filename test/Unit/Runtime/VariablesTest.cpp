//===- VariablesTest.cpp - Tests of entries that share variables ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "../Support/Trials.h"
#include "SmallPlans.h"
#include "weir/Runtime/HostDevice.h"
#include "weir/Support/SafeTensors.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int64_t width = 64;

/// Two variables "a" and "b" on two devices. "step" adds x to both, "read"
/// returns both.
PlanBuilder counters(uint16_t frames = 2, bool isolated = false) {
  PlanBuilder plan;
  plan.variant().frames = frames;
  plan.entry().name = "step";
  const uint16_t devices[] = {plan.device("test:0", isolated),
                              plan.device("test:1", isolated)};
  const char *const names[] = {"a", "b"};
  for (uint16_t d : devices) {
    const uint32_t x = plan.input("x" + std::to_string(d), width, d);
    const uint32_t variable = plan.variable(Floats(width, 0), d, names[d]);
    const uint32_t sum = plan.scratch(width, d);
    plan.on(d).launch("add", "add", {x, variable}, {sum});
    plan.copy("assign", sum, variable);
  }
  plan.beginEntry("read");
  for (uint16_t d : devices) {
    const uint32_t variable = plan.variableOn(d);
    const uint32_t y = plan.output("y" + std::to_string(d), width, d);
    plan.on(d).launch("read", "affine", {variable}, {y});
  }
  return plan;
}

SessionOptions optionsFor(const std::string &entry) {
  SessionOptions options = testOptions();
  options.entry = entry;
  return options;
}

Status step(Session &session, float by) {
  return runAnywhere(session, *session.entry("step"),
                     {Floats(width, by), Floats(width, by)})
      .status();
}

/// The outputs of "read".
std::vector<Floats> readBoth(Session &session) {
  auto results = runAnywhere(session, *session.entry("read"), {});
  EXPECT_TRUE(results.isOk()) << results.status().message();
  return *std::move(results);
}

// An entry says which variables its runs read, and which they assign.
TEST(Variables, EntriesSayHowTheyUseThem) {
  PlanBuilder plan = counters();
  plan.beginEntry("double");
  const uint32_t y = plan.output("y", width);
  plan.on(0).launch("double", "affine", {plan.variableOn(0)}, {y}, affine(2));
  auto session = load(plan, optionsFor("step"));
  const auto usesOf = [&](const std::string &entry, size_t shape = 0) {
    std::string text;
    for (const VariableUse &use : session->entry(entry)->variables(shape))
      text += use.name + (use.isAssigned ? "= " : " ");
    return text;
  };
  EXPECT_EQ(usesOf("step"), "a= b= ");
  EXPECT_EQ(usesOf("read"), "a b ");
  EXPECT_EQ(usesOf("double"), "a ");
  EXPECT_EQ(usesOf("step", 1), "");
}

// What one entry assigns, another one reads.
TEST(Variables, EntriesShareThem) {
  for (bool isolated : {false, true}) {
    PlanBuilder plan = counters(2, isolated);
    auto session = load(plan, optionsFor("read"));
    EXPECT_EQ(session->entryNames(),
              (std::vector<std::string>{"read", "step"}));
    EXPECT_EQ(readBoth(*session)[0], Floats(width, 0));
    ASSERT_TRUE(step(*session, 3).isOk());
    ASSERT_TRUE(step(*session, 4).isOk());
    EXPECT_EQ(readBoth(*session)[1], Floats(width, 7));
    EXPECT_EQ(getVariable(*session, "a"), Floats(width, 7));
    ASSERT_TRUE(setVariable(*session, "b", Floats(width, 100)).isOk());
    ASSERT_TRUE(step(*session, 1).isOk());
    EXPECT_EQ(readBoth(*session)[0], Floats(width, 8));
    EXPECT_EQ(readBoth(*session)[1], Floats(width, 101));
  }
}

// The variables are listed, and wrong names and values are refused.
TEST(Variables, AreChecked) {
  PlanBuilder plan = counters();
  auto session = load(plan, optionsFor("read"));
  const std::vector<VariableInfo> variables = session->variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[1].name, "b");
  EXPECT_EQ(variables[1].desc.toString(), "64xf32");
  EXPECT_TRUE(variables[1].isValid);
  EXPECT_EQ(session->getVariable("c").status().message(),
            "there is no variable 'c'; the variables are 'a', 'b'");
  EXPECT_EQ(setVariable(*session, "a", {1, 2}).message(),
            "variable 'a': expected 64xf32, found 2xf32");
  EXPECT_EQ(session->entry("none").status().message(),
            "there is no entry 'none'; the entries are 'read', 'step'");
}

// A value can be read into memory of the caller, if it fits.
TEST(Variables, AreReadWithoutATensor) {
  PlanBuilder plan = counters();
  auto session = load(plan, optionsFor("read"));
  ASSERT_TRUE(step(*session, 3).isOk());
  Floats values(width, 0);
  const auto fitting = view(values, {width}), other = view(values, {width, 1});
  ASSERT_TRUE(session->getVariable("b", *fitting).isOk());
  EXPECT_EQ(values, Floats(width, 3));
  EXPECT_EQ(session->getVariable("b", *other).message(),
            "variable 'b': expected 64xf32, found 64x1xf32");
  EXPECT_EQ(session->getVariable("c", *fitting).code(), StatusCode::NotFound);
  const TensorView one = *fitting;
  EXPECT_EQ(session->getVariables({&one, 1}).message(),
            "expected 2 values, found 1");
}

/// A file that is deleted with the object.
class TemporaryFile {
public:
  TemporaryFile()
      : path((std::filesystem::temp_directory_path() /
              ("weir-variables-" + std::to_string(getpid())))
                 .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  const std::string path;
};

// Saved variables come back, also in another session.
TEST(Variables, AreSavedAndLoaded) {
  const TemporaryFile file;
  PlanBuilder plan = counters();
  auto session = load(plan, optionsFor("read"));
  ASSERT_TRUE(step(*session, 5).isOk());
  const Status saved = session->saveVariables(file.path);
  ASSERT_TRUE(saved.isOk()) << saved.message();
  ASSERT_TRUE(step(*session, 5).isOk());
  ASSERT_TRUE(session->loadVariables(file.path).isOk());
  EXPECT_EQ(getVariable(*session, "a"), Floats(width, 5));
  auto other = load(plan, optionsFor("read"));
  ASSERT_TRUE(other->loadVariables(file.path).isOk());
  EXPECT_EQ(readBoth(*other)[1], Floats(width, 5));
}

// A file with a missing, an unknown or a misshaped tensor changes nothing.
TEST(Variables, RefusesOtherFiles) {
  const TemporaryFile file;
  PlanBuilder plan = counters();
  auto session = load(plan, optionsFor("read"));
  const Floats ones(width, 1);
  const auto tensor = [&](const std::string &name, int64_t size) {
    return NamedTensor{
        name, TensorDesc::rowMajor(DType::F32, {size}),
        std::as_bytes(std::span(ones).first(static_cast<size_t>(size)))};
  };
  const auto refusal = [&](std::vector<NamedTensor> tensors) {
    EXPECT_TRUE(writeSafeTensors(file.path, std::move(tensors)).isOk());
    return std::string(session->loadVariables(file.path).message());
  };
  EXPECT_NE(refusal({tensor("a", width)}).find("'b'"), std::string::npos);
  EXPECT_NE(refusal({tensor("a", width), tensor("b", width), tensor("c", 1)})
                .find("there is no variable 'c'"),
            std::string::npos);
  EXPECT_NE(refusal({tensor("a", width), tensor("b", 3)})
                .find("tensor 'b': expected 64xf32, found 3xf32"),
            std::string::npos);
  EXPECT_EQ(getVariable(*session, "a"), Floats(width, 0));
  EXPECT_EQ(refusal({tensor("a", width), tensor("b", width)}), "");
  EXPECT_EQ(getVariable(*session, "a"), ones);
}

/// Whether all elements of both are `values[0]`, which is a state between two
/// steps.
bool isOneState(const std::vector<Floats> &values) {
  for (const Floats &of : values)
    for (float value : of)
      if (value != values[0][0])
        return false;
  return true;
}

/// The values of both variables.
std::vector<Floats> getBoth(Session &session) {
  std::vector<Floats> both(2, Floats(width));
  const auto a = view(both[0], {width}), b = view(both[1], {width});
  const TensorView values[] = {*a, *b};
  EXPECT_TRUE(session.getVariables(values).isOk());
  return both;
}

// While threads assign and read, each answer fits one state.
TEST(Variables, NoAnswerIsAMixture) {
  for (uint16_t frames : {1, 3}) {
    const TemporaryFile file;
    PlanBuilder plan = counters(frames);
    auto session = load(plan, optionsFor("read"));
    std::atomic<bool> isEnding{false};
    std::atomic<int> numWrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        while (!isEnding)
          numWrong += !step(*session, 1).isOk();
      });
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        while (!isEnding)
          numWrong += !isOneState(readBoth(*session));
      });
    for (int i = 0, count = countTrials(30); i < count; ++i) {
      ASSERT_TRUE(session->saveVariables(file.path).isOk());
      auto saved = SafeTensors::open(file.path);
      ASSERT_TRUE(saved.isOk());
      const auto a = saved->tensor("a")->bytes, b = saved->tensor("b")->bytes;
      EXPECT_TRUE(std::ranges::equal(a, b));
      EXPECT_TRUE(isOneState({getVariable(*session, "a")}));
      EXPECT_TRUE(isOneState(getBoth(*session)));
      ASSERT_TRUE(session->loadVariables(file.path).isOk());
    }
    isEnding = true;
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(numWrong, 0);
  }
}

/// What copies to failing devices may still do.
std::atomic<int> numCopiesLeft{0};

/// A device in the memory of this process without kernels.
class FailingDevice final : public HostDevice {
public:
  explicit FailingDevice(const DeviceInfo &info)
      : HostDevice(info, {info.name}, {info.name}) {}
  std::string packingKey() const override { return {}; }
  StatusOr<std::unique_ptr<Kernel>> prepare(const KernelSpec &,
                                            PrepareContext &) override {
    return unimplemented("no kernels");
  }
  Status copyFromHost(void *to, const void *from, size_t bytes) override {
    if (--numCopiesLeft < 0)
      return internalError("the copy failed");
    return HostDevice::copyFromHost(to, from, bytes);
  }
  Status copyToHost(void *to, const void *from, size_t bytes) override {
    return HostDevice::copyFromHost(to, from, bytes);
  }
};

class FailingDriver final : public DeviceDriver {
public:
  std::string_view name() const override { return "failing"; }
  std::vector<DeviceInfo> detect() const override { return {}; }
  bool hasFeature(std::string_view) const override { return false; }
  Status canOpen(std::span<const DeviceRequest>) const override {
    return Status::ok();
  }
  StatusOr<std::vector<std::unique_ptr<Device>>>
  open(std::span<const DeviceRequest> requests) const override {
    std::vector<std::unique_ptr<Device>> devices;
    for (const DeviceRequest &request : requests) {
      DeviceInfo info;
      info.name = request.name;
      info.memoryBytes = uint64_t(1) << 30;
      devices.push_back(std::make_unique<FailingDevice>(info));
    }
    return devices;
  }
};

// If a copy to a device fails, what was begun has no value, and the rest keeps
// its own.
TEST(Variables, HaveNoValueAfterAFailedCopy) {
  const TemporaryFile file;
  const FailingDriver driver;
  PlanBuilder plan;
  plan.device("failing:0");
  const uint32_t x = plan.input("x", width);
  plan.on(0);
  for (const char *name : {"a", "b", "c"})
    plan.copy("assign", x, plan.variable(Floats(width, 1), 0, name));
  SessionOptions options;
  options.deviceDrivers = {&driver};
  numCopiesLeft = 100;
  auto session = load(plan, options);
  ASSERT_TRUE(session->saveVariables(file.path).isOk());
  const auto areValid = [&] {
    std::vector<bool> areValid;
    for (const VariableInfo &variable : session->variables())
      areValid.push_back(variable.isValid);
    return areValid;
  };
  numCopiesLeft = 1;
  EXPECT_EQ(session->loadVariables(file.path).message(), "the copy failed");
  EXPECT_EQ(areValid(), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(session->getVariable("a").status().message(),
            "variable 'a' has no value, because a run or a call that wrote it "
            "failed or was stopped; set it, or load all variables");
  EXPECT_EQ(getVariable(*session, "c"), Floats(width, 1));
  EXPECT_EQ(setVariable(*session, "c", Floats(width, 2)).message(),
            "the copy failed");
  EXPECT_EQ(areValid(), (std::vector<bool>{false, false, false}));
  numCopiesLeft = 100;
  ASSERT_TRUE(setVariable(*session, "c", Floats(width, 3)).isOk());
  EXPECT_EQ(areValid(), (std::vector<bool>{false, false, true}));
  ASSERT_TRUE(session->loadVariables(file.path).isOk());
  EXPECT_EQ(areValid(), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(getVariable(*session, "c"), Floats(width, 1));
}

/// "main" assigns x to a variable behind a gate. "other" uses another device
/// and no variable.
PlanBuilder gatedAssignment() {
  PlanBuilder plan;
  plan.variant().frames = 2;
  const uint16_t one = plan.device("test:0"), two = plan.device("test:1");
  const uint32_t x = plan.input("x", 1, one), passed = plan.scratch(1, one);
  plan.on(one).launch("gate", "gate", {x}, {passed});
  plan.copy("assign", passed, plan.variable({0}, one, "a"));
  plan.beginEntry("other");
  plan.on(two).fill("zero", plan.output("y", 1, two));
  return plan;
}

// The list waits for a run that writes, also in a callback.
TEST(Variables, TheListWaitsForItsTurn) {
  PlanBuilder plan = gatedAssignment();
  auto session = load(plan);
  const std::vector<int64_t> dims = {1};
  float x = 1, y = 0;
  const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
  const TensorView output{DType::F32, dims, &y, sizeof(y)};
  const auto count = [&] { return session->variables().size(); };
  std::future<Status> assigned;
  std::future<size_t> list;
  std::promise<void> isInCallback;
  std::promise<size_t> inCallback;
  std::future<size_t> listInCallback = inCallback.get_future();
  {
    numAtGate = 0;
    GateCloser closer;
    assigned = session->runAsync({&input, 1}, {});
    while (numAtGate == 0)
      std::this_thread::yield();
    session->entry("other")->runAsync({}, {&output, 1}, [&](Status) {
      isInCallback.set_value();
      inCallback.set_value(count());
    });
    isInCallback.get_future().wait();
    list = std::async(std::launch::async, count);
    EXPECT_EQ(list.wait_for(std::chrono::milliseconds(20)),
              std::future_status::timeout);
    EXPECT_EQ(listInCallback.wait_for(std::chrono::milliseconds(0)),
              std::future_status::timeout);
  }
  EXPECT_TRUE(assigned.get().isOk());
  EXPECT_EQ(list.get(), 1u);
  EXPECT_EQ(listInCallback.get(), 1u);
}

// A tensor that does not fit is refused at once, though the call would wait.
TEST(Variables, TheTensorIsCheckedBeforeTheWait) {
  PlanBuilder plan = gatedAssignment();
  auto session = load(plan);
  const std::vector<int64_t> dims = {1};
  float x = 1;
  const ConstTensorView input{DType::F32, dims, &x, sizeof(x)};
  std::future<Status> assigned, read;
  {
    numAtGate = 0;
    GateCloser closer;
    assigned = session->runAsync({&input, 1}, {});
    while (numAtGate == 0)
      std::this_thread::yield();
    read = std::async(std::launch::async, [&] {
      return session->getVariable("a", TensorView{DType::I32, dims, &x, 4});
    });
    EXPECT_EQ(read.wait_for(std::chrono::seconds(10)),
              std::future_status::ready);
  }
  EXPECT_TRUE(assigned.get().isOk());
  EXPECT_EQ(read.get().message(), "variable 'a': expected 1xf32, found 1xi32");
}

#if !defined(__SANITIZE_THREAD__)
/// The last value that was to be saved, and the last one that was.
struct Progress {
  std::atomic<int> begun{0}, saved{0};
};

/// Saves two large variables again and again, both with the next value.
[[noreturn]] void keepSaving(const std::vector<std::byte> &artifact,
                             const std::string &path, Progress &progress) {
  constexpr size_t size = 1 << 16;
  auto session = *Session::load(artifact, testOptions());
  for (;;) {
    const int value = progress.begun + 1;
    for (const char *name : {"a", "b"})
      (void)setVariable(*session, name,
                        Floats(size, static_cast<float>(value)));
    progress.begun = value;
    if (session->saveVariables(path).isOk())
      progress.saved = value;
  }
}

/// A plan whose variables take some time to save.
PlanBuilder largeVariables() {
  PlanBuilder plan;
  plan.device("test:0");
  for (const char *name : {"a", "b"}) {
    const uint32_t variable = plan.variable(Floats(1 << 16, 0), 0, name);
    const uint32_t y = plan.output(std::string("of ") + name, 1 << 16);
    plan.on(0).launch("read", "affine", {variable}, {y});
  }
  return plan;
}

/// The value of all elements in a file, or nothing if they are not equal.
std::optional<float> valueOf(const std::string &path) {
  auto saved = SafeTensors::open(path);
  EXPECT_TRUE(saved.isOk()) << saved.status().message();
  if (!saved)
    return std::nullopt;
  std::vector<Floats> values;
  for (const char *name : {"a", "b"}) {
    const auto bytes = saved->tensor(name)->bytes;
    Floats &to = values.emplace_back(bytes.size() / sizeof(float));
    std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  EXPECT_EQ(values[0].size(), size_t{1} << 16);
  return isOneState(values) ? std::optional(values[0][0]) : std::nullopt;
}

/// A folder that is deleted with the object.
class TemporaryFolder {
public:
  TemporaryFolder()
      : path(std::filesystem::temp_directory_path() /
             ("weir-saves-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  /// Removes all files but `kept`, and counts them.
  int removeBut(const std::string &kept) const {
    int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      if (entry.path() != kept)
        count += std::filesystem::remove(entry.path());
    return count;
  }
  const std::filesystem::path path;
};

// A save that is killed leaves a whole old or a whole new file.
TEST(Variables, ASaveIsWholeOrNot) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "saved").string();
  PlanBuilder plan = largeVariables();
  const std::vector<std::byte> artifact = plan.bytes();
  void *shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto &progress = *new (shared) Progress;
  std::mt19937 random(7);
  const int numTrials = countTrials(20);
  int numUnfinished = 0, numOld = 0;
  for (int i = 0; i < numTrials; ++i) {
    const int before = progress.begun;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      keepSaving(artifact, path, progress);
    while (progress.begun == before) {
      ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it has ended";
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    numUnfinished += folder.removeBut(path);
    if (progress.saved == 0 && !std::filesystem::exists(path))
      continue;
    const std::optional<float> value = valueOf(path);
    ASSERT_TRUE(value);
    const int found = static_cast<int>(*value);
    ASSERT_TRUE(found == progress.saved || found == progress.begun);
    numOld += found != progress.begun;
    progress.saved = found;
  }
  std::printf("%d saves were killed, %d of them while they wrote; %d left the "
              "old file\n",
              numTrials, numUnfinished, numOld);
  munmap(shared, sizeof(Progress));
}
#endif

} // namespace
