//===- COptionsTest.cpp - Options of the C API's sessions -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each option is seen by what it changes.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"
#include "Runtime/Devices/CPU/CpuTopology.h"
#include "TestPaths.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <string>

using namespace weir;
using namespace weir::test;

namespace {

/// Code as the compiler makes it, whose kernel writes 1.
std::vector<char> readCode() {
  std::ifstream stream(paths::code1, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Native code runs, unless the options refuse it.
TEST(COptions, RefuseCode) {
  const std::vector<std::byte> bytes = codeBytes(readCode());
  auto options = sized<weir_session_options>();
  weir_session *session = load(bytes, options);
  const weir_entry *entry = nullptr;
  ASSERT_EQ(weir_session_entry(session, nullptr, &entry), WEIR_OK);
  Vector y;
  const weir_tensor output = y.tensor();
  EXPECT_EQ(weir_entry_run(entry, nullptr, 0, &output, 1, nullptr), WEIR_OK);
  EXPECT_EQ(y, (Vector{{1, 1, 1, 1}}));
  weir_session_free(session);

  options.refuse_code = true;
  weir_session *refused = nullptr;
  EXPECT_EQ(tryLoad(bytes, options, refused), WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(
      weir_last_error(),
      "weir_session_load_memory: expected an artifact without native "
      "code, as the session's options ask, found generated kernels; allow "
      "code if you trust who made the artifact");
  EXPECT_EQ(refused, nullptr);
}

/// What a session with `options` says about its device.
nlohmann::json deviceWith(const weir_session_options &options) {
  weir_session *session = load(twiceBytes(1, width), options);
  char *text = nullptr;
  EXPECT_EQ(weir_session_stats(session, &text), WEIR_OK);
  const auto stats = nlohmann::json::parse(text);
  weir_string_free(text);
  weir_session_free(session);
  return stats["devices"].at(0);
}

TEST(COptions, SetTheNumberOfThreads) {
  auto options = sized<weir_session_options>();
  for (const int32_t threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(deviceWith(options)["threads"], threads);
  }
}

// The model is for one run in flight. A note says so where more are asked for.
TEST(COptions, SetTheRunsInFlight) {
  auto options = sized<weir_session_options>();
  const auto note = [&] {
    return deviceWith(options)["note"].get<std::string>();
  };
  const char *const excess = "has at most 1 run in flight, not 5";
  EXPECT_EQ(note().find(excess), std::string::npos);
  options.in_flight = 5;
  EXPECT_NE(note().find(excess), std::string::npos) << note();
}

// A device that chooses no kernel by timing says so where that is asked for.
TEST(COptions, AskToTune) {
  auto options = sized<weir_session_options>();
  const auto note = [&] {
    return deviceWith(options)["note"].get<std::string>();
  };
  const char *const nothing = "has nothing to tune";
  EXPECT_EQ(note().find(nothing), std::string::npos);
  options.tune = true;
  EXPECT_NE(note().find(nothing), std::string::npos) << note();
}

/// The processor time that the calling thread has used, in seconds.
double threadSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

/// The processor time of a run on the thread that calls it. The run doubles
/// two million numbers.
double secondsOfCaller(const weir_session_options &options) {
  constexpr int64_t size = 1 << 21;
  weir_session *session = load(twiceBytes(1, size), options);
  const weir_entry *entry = nullptr;
  EXPECT_EQ(weir_session_entry(session, nullptr, &entry), WEIR_OK);
  std::vector<float> x(size, 1), y(size, 0);
  const weir_tensor input = {WEIR_F32, 1, &size, x.data(), size * sizeof(float),
                             nullptr};
  const weir_tensor output = {
      WEIR_F32, 1, &size, y.data(), size * sizeof(float), nullptr};
  const double begin = threadSeconds();
  EXPECT_EQ(weir_entry_run(entry, &input, 1, &output, 1, nullptr), WEIR_OK);
  const double seconds = threadSeconds() - begin;
  EXPECT_EQ(y.back(), 2);
  weir_session_free(session);
  return seconds;
}

// The caller computes, unless the options forbid it. Then it only waits.
TEST(COptions, KeepWorkOffTheCaller) {
  auto options = sized<weir_session_options>();
  options.threads = 1;
  const double computing = secondsOfCaller(options);
  options.no_caller_threads = true;
  const double waiting = secondsOfCaller(options);
  EXPECT_GT(computing, 4 * waiting);
}

/// The threads of this process that may run on one processor only.
int countPinned() {
  int count = 0;
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    cpu_set_t processors;
    const pid_t thread = std::stoi(task.path().filename().string());
    if (sched_getaffinity(thread, sizeof(processors), &processors) == 0)
      count += CPU_COUNT(&processors) == 1;
  }
  return count;
}

// Threads are pinned if the devices use all cores, unless the options say no.
TEST(COptions, LeaveThreadsUnpinned) {
  const size_t numCores = detectCpuTopology().cores.size();
  if (numCores < 2)
    GTEST_SKIP() << "on one core all threads are the same";
  auto options = sized<weir_session_options>();
  options.threads = static_cast<int32_t>(numCores);
  for (const bool isForbidden : {false, true}) {
    options.no_pinning = isForbidden;
    const int before = countPinned();
    weir_session *session = load(twiceBytes(1, width), options);
    EXPECT_EQ(countPinned() > before, !isForbidden);
    weir_session_free(session);
  }
}

} // namespace
