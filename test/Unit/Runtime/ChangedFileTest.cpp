//===- ChangedFileTest.cpp - Model files that change while in use ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SmallPlans.h"

#include "../Support/Trials.h"
#include "weir/Support/OutputFile.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int64_t size = int64_t(1) << 18;

/// y = x + w + 2 v, where v is packed at load and w is read in place. All
/// elements of w and of v are `value`.
std::vector<std::byte> modelOf(float value) {
  PlanBuilder plan;
  const auto device = plan.device("test:0");
  const uint32_t x = plan.input("x", size);
  const uint32_t w = plan.parameter(Floats(size, value));
  const uint32_t v = plan.parameter(Floats(size, value));
  const uint32_t sum = plan.scratch(size), y = plan.output("y", size);
  plan.on(device).launch("sum", "add", {x, w}, {sum});
  plan.launch("y", "packed", {sum, v}, {y});
  return plan.bytes();
}

/// Changes files in all ways that leave the name of the model's file usable.
class Changes {
public:
  explicit Changes(std::string path) : path(std::move(path)) {}

  void restore() { ASSERT_TRUE(atomicWriteFile(path, old).isOk()); }
  void change(unsigned choice) {
    switch (choice % 4) {
    case 0:
      overwrite();
      break;
    case 1:
      (void)!::truncate(path.c_str(), static_cast<off_t>(old.size() / 3));
      break;
    case 2:
      std::filesystem::remove(path);
      break;
    default:
      ASSERT_TRUE(atomicWriteFile(path, other).isOk());
    }
  }

private:
  void overwrite() {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.write(reinterpret_cast<const char *>(other.data()),
               static_cast<std::streamsize>(other.size()));
  }

  std::string path;
  std::vector<std::byte> old = modelOf(1), other = modelOf(2);
};

/// The first and last element of the answer to zeros; an error otherwise.
StatusOr<std::pair<float, float>> answer(Session &session) {
  auto outputs = run(session, {Floats(size, 0)});
  if (!outputs)
    return std::move(outputs).status();
  return std::pair(outputs->front().front(), outputs->front().back());
}

class ChangedFile : public testing::Test {
protected:
  ChangedFile()
      : folder(testing::TempDir() + "weir-changed-XXXXXX"),
        path(std::string(::mkdtemp(folder.data())) + "/model.weir"),
        changes(path) {}
  ~ChangedFile() override { std::filesystem::remove_all(folder); }

  std::string folder, path;
  Changes changes;
};

// What is loaded does not change with its file.
TEST_F(ChangedFile, RunsKeepTheirModel) {
  for (unsigned choice = 0; choice < 4; ++choice) {
    changes.restore();
    auto session = Session::load(path, testOptions());
    ASSERT_TRUE(session.isOk()) << session.status().message();
    changes.change(choice);
    for (int i = 0; i < 3; ++i) {
      const auto found = answer(**session);
      ASSERT_TRUE(found.isOk()) << found.status().message();
      EXPECT_EQ(*found, std::pair(3.0f, 3.0f)) << "change " << choice;
    }
  }
}

// A load that meets a change at any moment has the old model or the new one, or
// says what happened.
TEST_F(ChangedFile, LoadsAreNeverHalfNew) {
  std::mt19937 random(5);
  int numLoaded = 0, numRefused = 0;
  for (int trial = 0, count = countTrials(100); trial < count; ++trial) {
    changes.restore();
    std::thread changer([&, wait = random() % 4000, choice = random()] {
      std::this_thread::sleep_for(std::chrono::microseconds(wait));
      changes.change(static_cast<unsigned>(choice));
    });
    auto session = Session::load(path, testOptions());
    const auto found =
        session
            ? answer(**session)
            : StatusOr<std::pair<float, float>>(std::move(session).status());
    changer.join();
    if (!found) {
      ++numRefused;
      EXPECT_FALSE(found.status().message().empty());
      continue;
    }
    ++numLoaded;
    EXPECT_EQ(found->first, found->second);
    EXPECT_TRUE(found->first == 3 || found->first == 6) << found->first;
  }
  EXPECT_GT(numLoaded, 0);
  EXPECT_GT(numRefused, 0);
}

} // namespace
