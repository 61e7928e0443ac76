//===- CRunsTest.cpp - Runs through the C API -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"
#include "FromC.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

using namespace weir::test;

namespace {

// A C program does everything that the API has.
TEST(CApi, WorksInC) {
  const std::vector<std::byte> bytes = modelBytes();
  EXPECT_STREQ(
      use_from_c(bytes.data(), bytes.size(), testing::TempDir().c_str()),
      nullptr);
}

TEST(CApi, LoadsAFile) {
  const std::string path = testing::TempDir() + "weir-c-api.weir";
  const std::vector<std::byte> bytes = modelBytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  weir_session *session = nullptr;
  ASSERT_EQ(weir_session_load_file(path.c_str(), nullptr, &session), WEIR_OK)
      << weir_last_error();
  EXPECT_EQ(weir_session_num_entries(session), 2u);
  weir_session_free(session);
  std::remove(path.c_str());
}

TEST(CApi, NamesVersionsStatusesAndTypes) {
  EXPECT_STREQ(weir_version(), "0.1.0");
  EXPECT_STREQ(weir_status_name(WEIR_NOT_FOUND), "not found");
  EXPECT_STREQ(weir_status_name(-1), "unknown status");
  EXPECT_STREQ(weir_status_name(99), "unknown status");
  EXPECT_STREQ(weir_dtype_name(WEIR_BF16), "bf16");
  EXPECT_EQ(weir_dtype_name(13), nullptr);
  EXPECT_EQ(weir_dtype_bytes(WEIR_F64), 8u);
  EXPECT_EQ(weir_dtype_bytes(-1), 0u);
}

/// What the callback of a run was told. It must outlive the callback:
/// `weir_session_stop` returns when all callbacks have.
struct Outcome {
  std::promise<std::pair<weir_status, std::string>> told;
  static void tell(void *context, weir_status status, const char *message) {
    static_cast<Outcome *>(context)->told.set_value({status, message});
  }
};

// Any number of runs may wait; each callback gets its own outcome.
TEST(CApi, RunsWhileTheCallerDoesOtherThings) {
  Model model;
  constexpr int count = 20;
  std::vector<Vector> x(count), y(count);
  std::vector<Outcome> outcomes(count);
  for (int i = 0; i < count; ++i) {
    x[i].values[0] = 1;
    const weir_tensor input = x[i].tensor(), output = y[i].tensor();
    ASSERT_EQ(weir_entry_run_async(model.step, &input, 1, &output, 1, nullptr,
                                   Outcome::tell, &outcomes[i]),
              WEIR_OK);
  }
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(outcomes[i].told.get_future().get(),
              std::pair(weir_status{WEIR_OK}, std::string()));
    EXPECT_EQ(y[i].values[0], static_cast<float>(i + 2));
  }
  EXPECT_EQ(weir_session_stop(model.session), WEIR_OK);
}

// Tensors that the session refuses are an outcome, too.
TEST(CApi, TellsTheCallbackWhyTensorsAreRefused) {
  Model model;
  Vector x;
  weir_tensor input = x.tensor();
  input.dtype = WEIR_I32;
  const weir_tensor output = x.tensor();
  Outcome outcome;
  ASSERT_EQ(weir_entry_run_async(model.step, &input, 1, &output, 1, nullptr,
                                 Outcome::tell, &outcome),
            WEIR_OK);
  EXPECT_EQ(outcome.told.get_future().get(),
            std::pair(weir_status{WEIR_INVALID_ARGUMENT},
                      std::string("input 'x': expected 4xf32, found 4xi32")));
}

// A callback may run an entry and free the session.
TEST(CApi, RunsAndFreesInCallbacks) {
  struct Context {
    Model model;
    Vector x, y;
    weir_status status = WEIR_INTERNAL;
    std::atomic<bool> isDone{false};
  } context;
  const auto done = [](void *pointer, weir_status, const char *) {
    auto &context = *static_cast<Context *>(pointer);
    const weir_tensor input = context.x.tensor(), output = context.y.tensor();
    context.status =
        weir_entry_run(context.model.step, &input, 1, &output, 1, nullptr);
    weir_session_free(std::exchange(context.model.session, nullptr));
    context.isDone = true;
  };
  const weir_tensor input = context.x.tensor(), output = context.y.tensor();
  ASSERT_EQ(weir_entry_run_async(context.model.step, &input, 1, &output, 1,
                                 nullptr, done, &context),
            WEIR_OK);
  while (!context.isDone)
    std::this_thread::yield();
  EXPECT_EQ(context.status, WEIR_OK);
}

/// Runs of the entry "far" that a callback queues while its session is freed.
struct LateRuns {
  explicit LateRuns(const weir_entry *far) : far(far) {
    EXPECT_EQ(weir_entry_allocate_input(far, 0, 0, &x), WEIR_OK);
    EXPECT_EQ(weir_entry_allocate_output(far, 0, 0, &y), WEIR_OK);
    EXPECT_EQ(weir_device_tensor_view(x, &input), WEIR_OK);
    EXPECT_EQ(weir_device_tensor_view(y, &output), WEIR_OK);
  }
  ~LateRuns() {
    weir_device_tensor_free(x);
    weir_device_tensor_free(y);
  }
  /// Queues runs until a run finds the session stopped, and then one more.
  void queue() {
    while (weir_entry_run(far, &input, 1, &output, 1, nullptr) !=
           WEIR_CANCELLED) {
      queueOne();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    queueOne();
  }
  void queueOne() {
    const auto done = [](void *late, weir_status status, const char *) {
      if (status == WEIR_CANCELLED)
        static_cast<LateRuns *>(late)->isCancelled = true;
    };
    EXPECT_EQ(
        weir_entry_run_async(far, &input, 1, &output, 1, nullptr, done, this),
        WEIR_OK);
    EXPECT_STREQ(weir_entry_name(far), "far");
  }
  const weir_entry *far;
  weir_device_tensor *x = nullptr, *y = nullptr;
  weir_tensor input, output;
  std::atomic<bool> isBegun{false}, isCancelled{false};
};

// A callback may use entries while another thread waits to free the session.
TEST(CApi, KeepsEntriesUntilCallbacksHaveReturned) {
  Model model;
  LateRuns late(model.far);
  const auto done = [](void *context, weir_status, const char *) {
    auto &late = *static_cast<LateRuns *>(context);
    late.isBegun = true;
    late.queue();
  };
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  ASSERT_EQ(weir_entry_run_async(model.step, &input, 1, &output, 1, nullptr,
                                 done, &late),
            WEIR_OK);
  while (!late.isBegun)
    std::this_thread::yield();
  weir_session_free(std::exchange(model.session, nullptr));
  EXPECT_TRUE(late.isCancelled);
}

// Deadlines and tokens stop runs, and a token outlives its handle.
TEST(CApi, StopsRuns) {
  Model model;
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  auto options = sized<weir_run_options>();
  options.timeout_ns = 1;
  EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, &options),
            WEIR_CANCELLED);
  weir_cancel_token *token = nullptr;
  ASSERT_EQ(weir_cancel_token_create(&token), WEIR_OK);
  options.timeout_ns = 0;
  options.token = token;
  EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, &options),
            WEIR_OK);
  EXPECT_EQ(weir_cancel_token_cancel(token), WEIR_OK);
  EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, &options),
            WEIR_CANCELLED);
  weir_cancel_token_free(token);
  EXPECT_EQ(weir_session_stop(model.session), WEIR_OK);
  EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, nullptr),
            WEIR_CANCELLED);
}

// They stop runs in the background, too. The callback is told.
TEST(CApi, StopsRunsInTheBackground) {
  std::list<Outcome> outcomes;
  Model model;
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  const auto outcomeWith = [&](const weir_run_options &options) {
    Outcome &outcome = outcomes.emplace_back();
    EXPECT_EQ(weir_entry_run_async(model.step, &input, 1, &output, 1, &options,
                                   Outcome::tell, &outcome),
              WEIR_OK);
    const auto told = outcome.told.get_future().get();
    EXPECT_EQ(told.second.empty(), told.first == WEIR_OK);
    return told.first;
  };
  auto options = sized<weir_run_options>();
  options.timeout_ns = 1;
  EXPECT_EQ(outcomeWith(options), WEIR_CANCELLED);
  options.timeout_ns = UINT64_MAX;
  EXPECT_EQ(outcomeWith(options), WEIR_OK);
  options.timeout_ns = 0;
  weir_cancel_token *token = nullptr;
  ASSERT_EQ(weir_cancel_token_create(&token), WEIR_OK);
  options.token = token;
  EXPECT_EQ(outcomeWith(options), WEIR_OK);
  EXPECT_EQ(weir_cancel_token_cancel(token), WEIR_OK);
  EXPECT_EQ(outcomeWith(options), WEIR_CANCELLED);
  weir_cancel_token_free(token);
}

// The message of a thread's error is its own.
TEST(CApi, KeepsTheErrorOfEachThread) {
  EXPECT_EQ(weir_session_stop(nullptr), WEIR_INVALID_ARGUMENT);
  std::string other = "none";
  std::thread([&] {
    other = weir_last_error();
    weir_cancel_token_cancel(nullptr);
  }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(weir_last_error(), "weir_session_stop: session is null");
  // Calls that succeed leave it.
  const Model model;
  EXPECT_STREQ(weir_last_error(), "weir_session_stop: session is null");
}

// A NaN fails the run if the options ask for it.
TEST(CApi, ChecksNumerics) {
  const std::vector<std::byte> bytes = modelBytes();
  auto options = sized<weir_session_options>();
  options.entry = "step";
  options.check_numerics = true;
  weir_session *session = nullptr;
  ASSERT_EQ(tryLoad(bytes, options, session), WEIR_OK);
  const weir_entry *step = nullptr;
  ASSERT_EQ(weir_session_entry(session, nullptr, &step), WEIR_OK);
  Vector x{{0, NAN, 0, 0}}, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  EXPECT_NE(weir_entry_run(step, &input, 1, &output, 1, nullptr), WEIR_OK);
  // It failed before it wrote to the variable.
  weir_variables *list = nullptr;
  ASSERT_EQ(weir_session_variables(session, &list), WEIR_OK);
  auto variable = sized<weir_variable>();
  EXPECT_EQ(weir_variables_at(list, 0, &variable), WEIR_OK);
  EXPECT_TRUE(variable.is_valid);
  weir_variables_free(list);
  weir_session_free(session);
}

// Options of devices arrive at their devices, here at one that has none.
TEST(CApi, TakesDeviceOptions) {
  const std::vector<std::byte> bytes = modelBytes();
  weir_device_option option = {"cpu", "speed", "high"};
  auto options = sized<weir_session_options>();
  options.device_options = &option;
  weir_session *session = nullptr;
  const auto load = [&] { return tryLoad(bytes, options, session); };
  options.num_device_options = 1;
  EXPECT_NE(load(), WEIR_OK);
  EXPECT_STREQ(weir_last_error(),
               "weir_session_load_memory: cpu:0: there is no option "
               "'speed'; the options of cpu devices are cores, numa_node");
  option.value = nullptr;
  EXPECT_NE(load(), WEIR_OK);
  EXPECT_STREQ(weir_last_error(),
               "weir_session_load_memory: device option 0: value is null");
  options.num_device_options = 0;
  EXPECT_EQ(load(), WEIR_OK);
  weir_session_free(session);
}

// A trace has each launch of each run, and outlives the session.
TEST(CApi, TracesRuns) {
  const std::vector<std::byte> bytes = modelBytes();
  weir_trace *trace = nullptr;
  ASSERT_EQ(weir_trace_create(&trace), WEIR_OK);
  auto options = sized<weir_session_options>();
  options.entry = "step";
  options.trace = trace;
  weir_session *session = nullptr;
  ASSERT_EQ(tryLoad(bytes, options, session), WEIR_OK);
  const weir_entry *step = nullptr;
  ASSERT_EQ(weir_session_entry(session, nullptr, &step), WEIR_OK);
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(weir_entry_run(step, &input, 1, &output, 1, nullptr), WEIR_OK);
  weir_session_free(session);
  char *text = nullptr;
  ASSERT_EQ(weir_trace_json(trace, &text), WEIR_OK);
  const auto json = nlohmann::json::parse(text);
  weir_string_free(text);
  weir_trace_free(trace);
  int numLaunches = 0;
  for (const auto &event : json["traceEvents"])
    numLaunches += event["name"] == "add" && event.value("cat", "") == "launch";
  EXPECT_EQ(numLaunches, 3);
}

/// The keys of the first element of a JSON array.
std::vector<std::string> keysOf(const nlohmann::json &array) {
  std::vector<std::string> keys;
  for (const auto &[key, value] : array.at(0).items())
    keys.push_back(key);
  return keys;
}

// The reports have the keys that the documentation lists.
TEST(CApi, ReportsAsJson) {
  Model model;
  char *text = nullptr;
  ASSERT_EQ(weir_session_stats(model.session, &text), WEIR_OK);
  const auto stats = nlohmann::json::parse(text);
  weir_string_free(text);
  EXPECT_EQ(stats["runs"], 0);
  EXPECT_EQ(stats["failed_runs"], 0);
  EXPECT_GT(stats["load_ms"], 0);
  EXPECT_EQ(stats["devices"].size(), 2u);
  EXPECT_EQ(stats["devices"][1]["name"], "cpu:1");
  EXPECT_EQ(stats["devices"][1]["isolated"], true);
  ASSERT_EQ(weir_entry_launches(model.step, 0, &text), WEIR_OK);
  const auto launches = nlohmann::json::parse(text);
  weir_string_free(text);
  EXPECT_EQ(keysOf(launches), (std::vector<std::string>{
                                  "bytes", "device", "flops", "implementation",
                                  "kernel", "op", "shapes", "tuning"}));
  EXPECT_EQ(launches[0]["shapes"], "4xf32, 4xf32 -> 4xf32");
}

/// Twenty inputs, each with another value, and outputs for them.
struct ManyTensors {
  static constexpr int count = 20;
  ManyTensors() : x(count), y(count) {
    for (int i = 0; i < count; ++i) {
      std::ranges::fill(x[i].values, static_cast<float>(i));
      inputs.push_back(x[i].tensor());
      outputs.push_back(y[i].tensor());
    }
  }
  /// Whether each output is twice its input.
  bool areTwice() const {
    bool areTwice = true;
    for (int i = 0; i < count; ++i)
      for (int64_t k = 0; k < width; ++k)
        areTwice &= y[i].values[k] == 2 * static_cast<float>(i);
    return areTwice;
  }
  std::vector<Vector> x, y;
  std::vector<weir_tensor> inputs, outputs;
};

/// A session for `ManyTensors`.
class ManySession {
public:
  ManySession() {
    auto options = sized<weir_session_options>();
    session = load(twiceBytes(ManyTensors::count, width), options);
    EXPECT_EQ(weir_session_entry(session, nullptr, &entry), WEIR_OK);
  }
  ~ManySession() { weir_session_free(session); }
  ManySession(const ManySession &) = delete;
  ManySession &operator=(const ManySession &) = delete;

  const weir_entry *entry = nullptr;

private:
  weir_session *session = nullptr;
};

// More tensors than the library keeps without an allocation.
TEST(CApi, TakesManyTensors) {
  Outcome outcome;
  const ManySession session;
  ManyTensors run, later;
  EXPECT_EQ(weir_entry_run(session.entry, run.inputs.data(), run.count,
                           run.outputs.data(), run.count, nullptr),
            WEIR_OK);
  EXPECT_TRUE(run.areTwice());
  EXPECT_EQ(weir_entry_run_async(session.entry, later.inputs.data(),
                                 later.count, later.outputs.data(), later.count,
                                 nullptr, Outcome::tell, &outcome),
            WEIR_OK);
  EXPECT_EQ(outcome.told.get_future().get().first, WEIR_OK);
  EXPECT_TRUE(later.areTwice());
}

// Tensors that are given by name come in any order.
TEST(CApi, TakesManyTensorsByName) {
  const ManySession session;
  ManyTensors run;
  std::vector<std::string> names;
  for (int i = 0; i < run.count; ++i)
    names.insert(names.end(),
                 {"x" + std::to_string(i), "y" + std::to_string(i)});
  std::vector<weir_named_tensor> inputs, outputs;
  for (int i = run.count; i-- > 0;) {
    inputs.push_back({names[2 * i].c_str(), run.inputs[i]});
    outputs.push_back({names[2 * i + 1].c_str(), run.outputs[i]});
  }
  EXPECT_EQ(weir_entry_run_named(session.entry, inputs.data(), inputs.size(),
                                 outputs.data(), outputs.size(), nullptr),
            WEIR_OK);
  EXPECT_TRUE(run.areTwice());
}

} // namespace
