//===- CheckpointsTest.cpp - Tests of folders of checkpoints --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Training/Checkpoints.h"

#include "../Runtime/SmallPlans.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/SafeTensors.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <new>
#include <stop_token>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

/// Whether the file system has second names of files.
static bool hasLinks = true;

/// Replaces that of the C library.
extern "C" int link(const char *from, const char *to) noexcept {
  if (hasLinks)
    return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = EPERM;
  return -1;
}

namespace {

constexpr int64_t width = 4096;

/// A session whose runs add their input to the variable `name`.
std::unique_ptr<Session> adder(const std::string &name = "w",
                               int64_t size = width) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  const uint32_t x = plan.input("x", size, device);
  const uint32_t variable = plan.variable(Floats(size, 0), device, name);
  const uint32_t sum = plan.scratch(size, device);
  plan.on(device).launch("add", "add", {x, variable}, {sum});
  plan.copy("assign", sum, variable);
  return load(plan, testOptions());
}

void add(Session &session, float by) {
  ASSERT_TRUE(run(session, {Floats(width, by)}).isOk());
}

float valueOf(Session &session) {
  auto value = session.getVariable("w");
  EXPECT_TRUE(value.isOk()) << value.status().message();
  return value ? value->values<float>()[7] : -1;
}

class CheckpointsTest : public testing::Test {
protected:
  CheckpointsTest() {
    std::string pattern = testing::TempDir() + "/weir-XXXXXX";
    root = ::mkdtemp(pattern.data());
  }
  ~CheckpointsTest() override {
    hasLinks = true;
    std::filesystem::remove_all(root);
  }

  std::unique_ptr<Checkpoints> open(int64_t keep = 3) const {
    auto opened = Checkpoints::open({root, keep});
    EXPECT_TRUE(opened.isOk()) << opened.status().message();
    return opened ? *std::move(opened) : nullptr;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(root + "/" + name) << text;
  }

  std::string root;
};

/// A session whose runs add their input to the variables "v" and "w".
std::unique_ptr<Session> doubleAdder() {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  const uint32_t x = plan.input("x", width, device);
  for (const char *name : {"v", "w"}) {
    const uint32_t variable = plan.variable(Floats(width, 0), device, name);
    const uint32_t sum = plan.scratch(width, device);
    plan.on(device).launch("add", "add", {x, variable}, {sum});
    plan.copy("assign", sum, variable);
  }
  return load(plan, testOptions());
}

// All variables of a checkpoint are from one state, while another thread
// trains.
TEST_F(CheckpointsTest, AreOfOneState) {
  auto session = doubleAdder();
  auto checkpoints = open();
  // Ends first, also where an assertion leaves this function.
  const std::jthread trainer([&](const std::stop_token &token) {
    while (!token.stop_requested())
      add(*session, 1);
  });
  for (int64_t step = 1; step <= 100; ++step) {
    ASSERT_TRUE(checkpoints->save(*session, {step, 0, 0, {}, {}}).isOk());
    ASSERT_TRUE(checkpoints->finish().isOk());
    const auto file = SafeTensors::open(*checkpoints->latest());
    const auto first = file->tensor("v"), second = file->tensor("w");
    ASSERT_TRUE(std::ranges::equal(first->bytes, second->bytes)) << step;
  }
}

// A session that is restored has the values and the position of the latest
// checkpoint.
TEST_F(CheckpointsTest, RestoreTheLatest) {
  auto session = adder();
  {
    auto checkpoints = open();
    EXPECT_EQ(*checkpoints->latest(), "");
    EXPECT_EQ(checkpoints->restore(*session).status().message(),
              "there is no checkpoint in '" + root + "'");
    add(*session, 3);
    ASSERT_TRUE(checkpoints->save(*session, {9, 0, 9, {{"data", "seed 1"}}, {}})
                    .isOk());
    // The copy was made before this.
    add(*session, 4);
    ASSERT_TRUE(
        checkpoints->save(*session, {10, 1, 0, {{"data", "seed 1"}}, 0.1})
            .isOk());
    add(*session, 100);
    ASSERT_TRUE(checkpoints->finish().isOk());
  }
  auto other = adder();
  auto checkpoints = open();
  EXPECT_EQ(*checkpoints->latest(), root + "/step-00000010.safetensors");
  auto position = checkpoints->restore(*other);
  ASSERT_TRUE(position.isOk()) << position.status().message();
  EXPECT_EQ(valueOf(*other), 7);
  EXPECT_EQ(position->step, 10);
  EXPECT_EQ(position->epoch, 1);
  EXPECT_EQ(position->batch, 0);
  EXPECT_EQ(position->identity.at("data"), "seed 1");
  EXPECT_EQ(position->best, 0.1);
  auto first = SafeTensors::open(root + "/step-00000009.safetensors");
  ASSERT_TRUE(first.isOk());
  float value = 0;
  std::memcpy(&value, first->tensor("w")->bytes.data(), sizeof(value));
  EXPECT_EQ(value, 3);
}

// What was counted of values that are followed is kept with its name, also if
// no value was a number. Checkpoints of earlier versions have no name.
TEST_F(CheckpointsTest, KeepWhatIsFollowed) {
  auto session = adder();
  auto checkpoints = open(0);
  TrainingPosition position{1, 0, 1, {}, {}};
  position.early = {{}, 2, "min:loss"};
  position.plateau = {-0.5, 3, "rate:max:score"};
  ASSERT_TRUE(checkpoints->save(*session, position).isOk());
  ASSERT_TRUE(checkpoints->finish().isOk());
  const auto found = checkpoints->check(*session);
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_EQ(found->early.best, std::nullopt);
  EXPECT_EQ(found->early.waits, 2);
  EXPECT_EQ(found->early.by, "min:loss");
  EXPECT_EQ(found->plateau.best, -0.5);
  EXPECT_EQ(found->plateau.waits, 3);
  EXPECT_EQ(found->plateau.by, "rate:max:score");

  auto saved = SafeTensors::open(root + "/step-00000001.safetensors");
  auto metadata = saved->metadata();
  EXPECT_EQ(metadata.erase("weir.early.by"), 1u);
  ASSERT_TRUE(writeSafeTensors(root + "/step-00000002.safetensors",
                               {*saved->tensor("w")}, metadata)
                  .isOk());
  EXPECT_EQ(checkpoints->check(*session)->early.by, "");
}

// Steps are numbers, not texts: the hundred millionth is behind the
// 99,999,999th.
TEST_F(CheckpointsTest, AreOrderedByStep) {
  auto session = adder();
  auto checkpoints = open(0);
  for (int64_t step : {100000000, 99999999, 5})
    ASSERT_TRUE(checkpoints->save(*session, {step, 0, 0, {}, {}}).isOk());
  ASSERT_TRUE(checkpoints->finish().isOk());
  EXPECT_EQ(*checkpoints->latest(), root + "/step-100000000.safetensors");
}

// The latest ones remain, and the best one, whatever its step.
TEST_F(CheckpointsTest, KeepSomeAndTheBest) {
  write("step-7.txt", "of somebody else");
  auto session = adder();
  auto checkpoints = open(2);
  for (int64_t step = 1; step <= 5; ++step) {
    add(*session, 1);
    ASSERT_TRUE(
        checkpoints->save(*session, {step, 0, step, {}, {}}, step <= 2).isOk());
  }
  ASSERT_TRUE(checkpoints->finish().isOk());
  EXPECT_EQ(files(), (std::vector<std::string>{
                         "best.safetensors", "step-00000004.safetensors",
                         "step-00000005.safetensors", "step-7.txt"}));
  ASSERT_TRUE(session->loadVariables(root + "/best.safetensors").isOk());
  EXPECT_EQ(valueOf(*session), 2);
}

// A file system without second names of files gets a copy.
TEST_F(CheckpointsTest, KeepTheBestWithoutLinks) {
  hasLinks = false;
  auto session = adder();
  auto checkpoints = open(1);
  for (int64_t step = 1; step <= 5; ++step) {
    add(*session, 1);
    ASSERT_TRUE(
        checkpoints->save(*session, {step, 0, step, {}, {}}, step <= 2).isOk());
  }
  const Status status = checkpoints->finish();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(files(), (std::vector<std::string>{"best.safetensors",
                                               "step-00000005.safetensors"}));
  ASSERT_TRUE(session->loadVariables(root + "/best.safetensors").isOk());
  EXPECT_EQ(valueOf(*session), 2);
}

// A best checkpoint that its user keeps private stays so.
TEST_F(CheckpointsTest, KeepTheBestPrivate) {
  namespace fs = std::filesystem;
  auto session = adder();
  auto checkpoints = open(1);
  const std::string best = root + "/best.safetensors";
  for (int64_t step = 1; step <= 2; ++step) {
    add(*session, 1);
    ASSERT_TRUE(
        checkpoints->save(*session, {step, 0, step, {}, {}}, true).isOk());
    ASSERT_TRUE(checkpoints->finish().isOk());
    if (step == 1) {
      // The other name of the file goes with the next checkpoint.
      fs::permissions(best, fs::perms::owner_read | fs::perms::owner_write);
    }
  }
  EXPECT_EQ(fs::status(best).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(session->loadVariables(best).isOk());
  EXPECT_EQ(valueOf(*session), 2);
}

// What the report of an error throws does not end the thread that writes.
TEST_F(CheckpointsTest, MayFailToReport) {
  auto session = adder();
  CheckpointOptions options{root, 3};
  options.onFailure = [](const Status &) { throw std::bad_alloc(); };
  auto checkpoints = std::move(*Checkpoints::open(options));
  std::filesystem::remove_all(root);
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, {}}).isOk());
  EXPECT_EQ(checkpoints->finish().message().substr(0, 24),
            "the checkpoint of step 1");
  std::filesystem::create_directories(root);
  ASSERT_TRUE(checkpoints->save(*session, {2, 0, 2, {}, {}}).isOk());
  EXPECT_TRUE(checkpoints->finish().isOk());
}

// Two runs cannot write to one folder. What a killed one has left is removed.
TEST_F(CheckpointsTest, HaveOneWriter) {
  write(".weir-123-4.tmp", "half a check");
  write("notes.txt", "stays");
  {
    auto checkpoints = open();
    EXPECT_EQ(files(), std::vector<std::string>{"notes.txt"});
    auto second = Checkpoints::open({root, 3});
    EXPECT_EQ(second.status().message(),
              "another process writes checkpoints to '" + root +
                  "'; wait for its end, or name another folder");
  }
  EXPECT_NE(open(), nullptr);
}

// A checkpoint of other variables is refused, and so is any other file.
TEST_F(CheckpointsTest, RefuseOthers) {
  auto session = adder();
  auto checkpoints = open();
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, {}}).isOk());
  ASSERT_TRUE(checkpoints->finish().isOk());
  const auto errorFor = [&](Session &of) {
    return std::string(checkpoints->restore(of).status().message());
  };
  const std::string file = root + "/step-00000001.safetensors";
  const std::string another =
      "another model has written it, so name the folder of this one";
  EXPECT_EQ(errorFor(*adder("v")), "cannot resume from '" + file +
                                       "': it has 'w' and lacks 'v'; " +
                                       another);
  EXPECT_EQ(errorFor(*adder("w", 8)),
            "cannot resume from '" + file +
                "': tensor 'w': expected 8xf32, found 4096xf32; " + another);
  ASSERT_TRUE(
      session->saveVariables(root + "/step-00000002.safetensors").isOk());
  EXPECT_EQ(errorFor(*session),
            "cannot resume from '" + root +
                "/step-00000002.safetensors': it has no 'weir.step', so it is "
                "no checkpoint; move it away, or load its variables "
                "(graph-run --load-variables) and train in "
                "another folder");
  write("step-00000003.safetensors", "damaged");
  EXPECT_NE(errorFor(*session).find("not a safetensors file"),
            std::string::npos);
  EXPECT_EQ(valueOf(*session), 0);
}

/// A session with variables of these names.
std::unique_ptr<Session> withVariables(const std::vector<std::string> &names) {
  PlanBuilder plan;
  const uint16_t device = plan.device("test:0", false);
  const uint32_t x = plan.input("x", 1, device);
  for (const std::string &name : names)
    plan.on(device).copy(name, x, plan.variable({0}, device, name));
  return load(plan, testOptions());
}

// The error tells what differs between two trainings: the optimiser, or the
// parameters that are trained.
TEST_F(CheckpointsTest, TellTrainingsApart) {
  const std::vector<std::string> both = {"b", "b.sum", "w", "w.sum", "step"};
  const std::vector<std::string> one = {"w", "w.sum", "step"};
  const std::vector<std::string> many = {"a0", "a1", "a2", "a3", "a4",   "a5",
                                         "a6", "a7", "a8", "w",  "w.sum"};
  const auto errorFor = [&](const std::vector<std::string> &before,
                            const std::vector<std::string> &now) {
    const auto written = withVariables(before);
    auto checkpoints = open();
    EXPECT_TRUE(checkpoints->save(*written, {1, 0, 1, {}, {}}).isOk());
    EXPECT_TRUE(checkpoints->finish().isOk());
    const auto session = withVariables(now);
    return std::string(checkpoints->restore(*session).status().message());
  };
  const std::string file = root + "/step-00000001.safetensors";
  const std::string begin = "cannot resume from '" + file + "': it ";
  const std::string others =
      ": other parameters were trained there; train those of that run, or "
      "compile the model with graph-compile --weights=" +
      file + " and train in another folder";
  EXPECT_EQ(errorFor(both, one), begin + "has 'b'" + others);
  EXPECT_EQ(errorFor(one, both), begin + "lacks 'b'" + others);
  EXPECT_EQ(errorFor(one, many),
            begin +
                "has 'step' and lacks 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', "
                "'a6', 'a7' and 1 more" +
                others);
  EXPECT_EQ(errorFor(both, {"b", "w", "w.acc", "step"}),
            begin + "has 'b.sum', 'w.sum' and lacks 'w.acc'; another optimiser "
                    "has written it, so use that one, or name the folder of "
                    "this one");
  EXPECT_EQ(errorFor(one, {"step", "v"}),
            begin + "has 'w', 'w.sum' and lacks 'v'; another model has written "
                    "it, so name the folder of this one");
  // Similar names are those of a parameter that was renamed.
  EXPECT_EQ(errorFor({"conv1.weight", "fc1.weight", "w"},
                     {"conv1.weight", "fc_1.weight", "v"}),
            begin +
                "has 'fc1.weight', 'w' and lacks 'fc_1.weight', 'v' (its "
                "'fc1.weight' may be what is 'fc_1.weight' here)" +
                others);
}

/// While it exists, files of more than 1,000 bytes cannot be written.
class FullDisk {
public:
  FullDisk() : before(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit small{1000, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, before);
  }

private:
  void (*before)(int);
  rlimit limit{};
};

// On a full disk that is said at once. What was there before remains, and the
// next checkpoint makes up for the one that is missing.
TEST_F(CheckpointsTest, ReportAFullDisk) {
  auto session = adder();
  std::vector<std::string> errors;
  auto checkpoints = *Checkpoints::open({root, 3, [&](const Status &error) {
                                           errors.emplace_back(error.message());
                                         }});
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, {}}).isOk());
  ASSERT_TRUE(checkpoints->finish().isOk());
  add(*session, 1);
  Status status;
  {
    const FullDisk full;
    EXPECT_TRUE(checkpoints->save(*session, {2, 0, 2, {}, {}}).isOk());
    status = checkpoints->finish();
  }
  EXPECT_TRUE(
      status.message().starts_with("the checkpoint of step 2: cannot write '" +
                                   root + "/step-00000002.safetensors': "))
      << status.message();
  EXPECT_EQ(errors, std::vector<std::string>{std::string(status.message())});
  EXPECT_EQ(files(), std::vector<std::string>{"step-00000001.safetensors"});
  ASSERT_TRUE(checkpoints->restore(*session).isOk());
  EXPECT_EQ(valueOf(*session), 0);

  EXPECT_FALSE(checkpoints->finish().isOk());
  ASSERT_TRUE(checkpoints->save(*session, {3, 0, 3, {}, {}}).isOk());
  EXPECT_TRUE(checkpoints->finish().isOk());
}

/// The best value that the folder has.
std::optional<double> bestOf(const Checkpoints &checkpoints) {
  const auto position = checkpoints.best();
  EXPECT_TRUE(position.isOk()) << position.status().message();
  return position && *position ? (*position)->best : std::nullopt;
}

// A best checkpoint that cannot be read may be the better one, so that is an
// error. A folder without one has none.
TEST_F(CheckpointsTest, RefuseToGuessTheBest) {
  auto session = adder();
  auto checkpoints = open();
  EXPECT_EQ(bestOf(*checkpoints), std::nullopt);
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, 0.5}, true).isOk());
  EXPECT_EQ(bestOf(*checkpoints), 0.5);
  const std::string best = root + "/best.safetensors";
  std::filesystem::resize_file(best, 3000);
  const std::string error(checkpoints->best().status().message());
  EXPECT_TRUE(error.starts_with("cannot tell how good '" + best +
                                "' is: cannot read '" + best + "': "))
      << error;
  EXPECT_TRUE(error.ends_with("; if it is not needed, move it away, and a "
                              "validation writes a new one"))
      << error;
  std::filesystem::remove(best);
  EXPECT_EQ(bestOf(*checkpoints), std::nullopt);
}

// A best checkpoint that is missing is made up for by a best one alone, and the
// best that is there is what it was.
TEST_F(CheckpointsTest, MissTheBest) {
  auto session = adder();
  auto checkpoints = open();
  EXPECT_EQ(bestOf(*checkpoints), std::nullopt);
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, 0.5}, true).isOk());
  EXPECT_EQ(bestOf(*checkpoints), 0.5);
  {
    const FullDisk full;
    ASSERT_TRUE(checkpoints->save(*session, {2, 0, 2, {}, 0.4}, true).isOk());
    EXPECT_FALSE(checkpoints->finish().isOk());
  }
  EXPECT_EQ(bestOf(*checkpoints), 0.5);
  ASSERT_TRUE(checkpoints->save(*session, {3, 0, 3, {}, 0.5}).isOk());
  EXPECT_FALSE(checkpoints->finish().isOk());
  ASSERT_TRUE(checkpoints->save(*session, {4, 0, 4, {}, 0.3}, true).isOk());
  EXPECT_TRUE(checkpoints->finish().isOk());
  EXPECT_EQ(bestOf(*checkpoints), 0.3);
}

// Variables that are not finite are not saved, and what is there remains. Only
// variables that were not finite at the beginning are saved so.
TEST_F(CheckpointsTest, RefuseNonFinite) {
  auto session = adder();
  auto checkpoints = open(1);
  ASSERT_TRUE(checkpoints->save(*session, {1, 0, 1, {}, {}}).isOk());
  add(*session, std::numeric_limits<float>::infinity());
  EXPECT_EQ(checkpoints->save(*session, {2, 0, 2, {}, {}}).message(),
            "the checkpoint of step 2: variable 'w' is not finite: 4096 of its "
            "4096 elements are NaN or infinite; a smaller rate or clipped "
            "gradients (clip_norm) may prevent that");
  EXPECT_TRUE(checkpoints->finish().isOk());
  EXPECT_EQ(files(), std::vector<std::string>{"step-00000001.safetensors"});
  ASSERT_TRUE(checkpoints->acceptNonFinite(*session).isOk());
  ASSERT_TRUE(checkpoints->save(*session, {2, 0, 2, {}, {}}).isOk());
  EXPECT_TRUE(checkpoints->finish().isOk());
  EXPECT_EQ(files(), std::vector<std::string>{"step-00000002.safetensors"});
}

// If the newest checkpoint is cut off, the error names the one before it.
TEST_F(CheckpointsTest, NameTheOneBefore) {
  auto session = adder();
  auto checkpoints = open();
  for (int64_t step : {1, 2, 3})
    ASSERT_TRUE(checkpoints->save(*session, {step, 0, step, {}, {}}).isOk());
  ASSERT_TRUE(checkpoints->finish().isOk());
  const auto error = [&] {
    return std::string(checkpoints->restore(*session).status().message());
  };
  for (const char *step : {"3", "2"})
    std::filesystem::resize_file(root + "/step-0000000" + step + ".safetensors",
                                 3000);
  EXPECT_TRUE(error().ends_with("'" + root +
                                "/step-00000001.safetensors' is whole: remove "
                                "the damaged file, and training goes on from "
                                "there"))
      << error();
  std::filesystem::resize_file(root + "/step-00000001.safetensors", 0);
  EXPECT_TRUE(error().ends_with("no other checkpoint in the folder is whole"))
      << error();
}

} // namespace
