//===- CErrorsTest.cpp - Wrong arguments of the C API -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CModel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

using namespace weir::test;

namespace {

void expectNull(weir_status status, const std::string &message) {
  expectError(status, WEIR_INVALID_ARGUMENT, message + " is null");
}

void neverDone(void *, weir_status, const char *) { FAIL(); }

// Freeing nothing does nothing, and nothing has no parts.
TEST(CErrors, NullHandlesAreEmpty) {
  weir_session_free(nullptr);
  weir_string_free(nullptr);
  weir_trace_free(nullptr);
  weir_cancel_token_free(nullptr);
  weir_device_tensor_free(nullptr);
  weir_variables_free(nullptr);
  EXPECT_EQ(weir_session_num_entries(nullptr), 0u);
  EXPECT_EQ(weir_entry_name(nullptr), nullptr);
  EXPECT_EQ(weir_entry_num_shapes(nullptr), 0u);
  EXPECT_EQ(weir_entry_num_inputs(nullptr), 0u);
  EXPECT_EQ(weir_entry_num_outputs(nullptr), 0u);
  EXPECT_EQ(weir_variables_num(nullptr), 0u);
}

TEST(CErrors, SessionsNeedTheirArguments) {
  const Model model;
  weir_session *session = nullptr;
  const weir_entry *entry = nullptr;
  char *text = nullptr;
  const char byte = 0;
  expectNull(weir_session_load_file(nullptr, nullptr, &session),
             "weir_session_load_file: path");
  expectNull(weir_session_load_file("x", nullptr, nullptr),
             "weir_session_load_file: session");
  expectNull(weir_session_load_memory(nullptr, 1, nullptr, &session),
             "weir_session_load_memory: bytes");
  expectNull(weir_session_load_memory(&byte, 1, nullptr, nullptr),
             "weir_session_load_memory: session");
  expectNull(weir_session_stop(nullptr), "weir_session_stop: session");
  expectNull(weir_session_order_behind(nullptr, "cuda:0", nullptr),
             "weir_session_order_behind: session");
  expectNull(weir_session_order_behind(model.session, nullptr, nullptr),
             "weir_session_order_behind: device");
  expectNull(weir_session_stats(nullptr, &text), "weir_session_stats: session");
  expectNull(weir_session_stats(model.session, nullptr),
             "weir_session_stats: json");
  expectNull(weir_trace_create(nullptr), "weir_trace_create: trace");
  expectNull(weir_trace_json(nullptr, &text), "weir_trace_json: trace");
  weir_trace *trace = nullptr;
  ASSERT_EQ(weir_trace_create(&trace), WEIR_OK);
  expectNull(weir_trace_json(trace, nullptr), "weir_trace_json: json");
  weir_trace_free(trace);
  expectNull(weir_session_entry(nullptr, "step", &entry),
             "weir_session_entry: session");
  expectNull(weir_session_entry(model.session, "step", nullptr),
             "weir_session_entry: entry");
  expectNull(weir_session_entry_at(nullptr, 0, &entry),
             "weir_session_entry_at: session");
  expectNull(weir_session_entry_at(model.session, 0, nullptr),
             "weir_session_entry_at: entry");
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(entry, nullptr);
  EXPECT_EQ(text, nullptr);
}

TEST(CErrors, EntriesNeedTheirArguments) {
  const Model model;
  auto port = sized<weir_port>();
  char *text = nullptr;
  expectNull(weir_entry_input(nullptr, 0, 0, &port), "weir_entry_input: entry");
  expectNull(weir_entry_input(model.step, 0, 0, nullptr),
             "weir_entry_input: port");
  expectNull(weir_entry_output(nullptr, 0, 0, &port),
             "weir_entry_output: entry");
  expectNull(weir_entry_output(model.step, 0, 0, nullptr),
             "weir_entry_output: port");
  expectNull(weir_entry_launches(nullptr, 0, &text),
             "weir_entry_launches: entry");
  expectNull(weir_entry_launches(model.step, 0, nullptr),
             "weir_entry_launches: json");
  weir_device_tensor *tensor = nullptr;
  expectNull(weir_entry_allocate_input(nullptr, 0, 0, &tensor),
             "weir_entry_allocate_input: entry");
  expectNull(weir_entry_allocate_input(model.far, 0, 0, nullptr),
             "weir_entry_allocate_input: tensor");
  expectNull(weir_entry_allocate_output(nullptr, 0, 0, &tensor),
             "weir_entry_allocate_output: entry");
  expectNull(weir_entry_allocate_output(model.far, 0, 0, nullptr),
             "weir_entry_allocate_output: tensor");
}

TEST(CErrors, RunsNeedTheirArguments) {
  Model model;
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  expectNull(weir_entry_run(nullptr, &input, 1, &output, 1, nullptr),
             "weir_entry_run: entry");
  expectNull(weir_entry_run(model.step, nullptr, 1, &output, 1, nullptr),
             "weir_entry_run: inputs");
  expectNull(weir_entry_run(model.step, &input, 1, nullptr, 1, nullptr),
             "weir_entry_run: outputs");
  const weir_named_tensor named = {"x", input}, nameless = {nullptr, input};
  expectNull(weir_entry_run_named(nullptr, &named, 1, nullptr, 0, nullptr),
             "weir_entry_run_named: entry");
  expectNull(weir_entry_run_named(model.step, nullptr, 1, nullptr, 0, nullptr),
             "weir_entry_run_named: inputs");
  expectNull(weir_entry_run_named(model.step, &named, 1, nullptr, 1, nullptr),
             "weir_entry_run_named: outputs");
  expectNull(
      weir_entry_run_named(model.step, &nameless, 1, nullptr, 0, nullptr),
      "weir_entry_run_named: input 0: name");
  expectNull(weir_entry_run_async(nullptr, &input, 1, &output, 1, nullptr,
                                  neverDone, nullptr),
             "weir_entry_run_async: entry");
  expectNull(weir_entry_run_async(model.step, nullptr, 1, &output, 1, nullptr,
                                  neverDone, nullptr),
             "weir_entry_run_async: inputs");
  expectNull(weir_entry_run_async(model.step, &input, 1, nullptr, 1, nullptr,
                                  neverDone, nullptr),
             "weir_entry_run_async: outputs");
  expectNull(weir_entry_run_async(model.step, &input, 1, &output, 1, nullptr,
                                  nullptr, nullptr),
             "weir_entry_run_async: done");
  expectNull(weir_cancel_token_create(nullptr),
             "weir_cancel_token_create: token");
  expectNull(weir_cancel_token_cancel(nullptr),
             "weir_cancel_token_cancel: token");
}

TEST(CErrors, TensorsAndVariablesNeedTheirArguments) {
  Model model;
  weir_tensor view = {};
  expectNull(weir_device_tensor_view(nullptr, &view),
             "weir_device_tensor_view: tensor");
  expectNull(weir_device_tensor_copy_from(nullptr, &view),
             "weir_device_tensor_copy_from: tensor");
  expectNull(weir_device_tensor_copy_to(nullptr, &view),
             "weir_device_tensor_copy_to: tensor");
  weir_device_tensor *tensor = nullptr;
  ASSERT_EQ(weir_entry_allocate_input(model.far, 0, 0, &tensor), WEIR_OK);
  expectNull(weir_device_tensor_view(tensor, nullptr),
             "weir_device_tensor_view: view");
  expectNull(weir_device_tensor_copy_from(tensor, nullptr),
             "weir_device_tensor_copy_from: host");
  expectNull(weir_device_tensor_copy_to(tensor, nullptr),
             "weir_device_tensor_copy_to: host");
  weir_device_tensor_free(tensor);

  weir_session *session = model.session;
  weir_variables *list = nullptr;
  weir_variable variable = {};
  expectNull(weir_session_variables(nullptr, &list),
             "weir_session_variables: session");
  expectNull(weir_session_variables(session, nullptr),
             "weir_session_variables: variables");
  expectNull(weir_variables_at(nullptr, 0, &variable),
             "weir_variables_at: variables");
  ASSERT_EQ(weir_session_variables(session, &list), WEIR_OK);
  expectNull(weir_variables_at(list, 0, nullptr),
             "weir_variables_at: variable");
  weir_variables_free(list);
  for (const auto &[name, call] :
       {std::pair(
            "weir_session_get_variable: ",
            +[](weir_session *in, const char *which, const weir_tensor *value) {
              return weir_session_get_variable(in, which, value);
            }),
        std::pair(
            "weir_session_set_variable: ",
            +[](weir_session *in, const char *which, const weir_tensor *value) {
              return weir_session_set_variable(in, which, value);
            })}) {
    expectNull(call(nullptr, "w", &view), std::string(name) + "session");
    expectNull(call(session, nullptr, &view), std::string(name) + "name");
    expectNull(call(session, "w", nullptr), std::string(name) + "value");
  }
  expectNull(weir_session_save_variables(nullptr, "x"),
             "weir_session_save_variables: session");
  expectNull(weir_session_save_variables(session, nullptr),
             "weir_session_save_variables: path");
  expectNull(weir_session_load_variables(nullptr, "x"),
             "weir_session_load_variables: session");
  expectNull(weir_session_load_variables(session, nullptr),
             "weir_session_load_variables: path");
}

// Numbers beyond the last are told with how many there are.
TEST(CErrors, NumbersMustExist) {
  const Model model;
  const weir_entry *entry = nullptr;
  expectError(weir_session_entry_at(model.session, 2, &entry),
              WEIR_INVALID_ARGUMENT,
              "weir_session_entry_at: there is no entry 2; the session has 2");
  auto port = sized<weir_port>();
  expectError(weir_entry_input(model.step, 1, 0, &port), WEIR_INVALID_ARGUMENT,
              "weir_entry_input: there is no shape 1; the entry has 1");
  expectError(weir_entry_output(model.step, 0, 7, &port), WEIR_INVALID_ARGUMENT,
              "weir_entry_output: there is no output 7; the entry has 1");
  weir_device_tensor *tensor = nullptr;
  expectError(
      weir_entry_allocate_input(model.step, 0, 1, &tensor),
      WEIR_INVALID_ARGUMENT,
      "weir_entry_allocate_input: there is no input 1; the entry has 1");
  char *text = nullptr;
  expectError(weir_entry_launches(model.step, 3, &text), WEIR_INVALID_ARGUMENT,
              "weir_entry_launches: there is no shape 3; the entry has 1");
  weir_variables *list = nullptr;
  ASSERT_EQ(weir_session_variables(model.session, &list), WEIR_OK);
  auto variable = sized<weir_variable>();
  expectError(weir_variables_at(list, 1, &variable), WEIR_INVALID_ARGUMENT,
              "weir_variables_at: there is no variable 1; the list has 1");
  weir_variables_free(list);
}

// Only devices of the session that have streams of callers can wait for one.
TEST(CErrors, StreamsAreOfDevicesThatHaveThem) {
  const Model model;
  expectError(weir_session_order_behind(model.session, "cpu:0", nullptr),
              WEIR_UNIMPLEMENTED,
              "weir_session_order_behind: cpu:0: callers have no streams on "
              "devices of this kind; wait for the work before the run");
  expectError(weir_session_order_behind(model.session, "cuda:0", nullptr),
              WEIR_INVALID_ARGUMENT,
              "weir_session_order_behind: the session has no device 'cuda:0'; "
              "its devices are cpu:0, cpu:1");
}

// Only null means the session's own entry.
TEST(CErrors, NamesMustExist) {
  const Model model;
  const weir_entry *entry = nullptr;
  expectError(weir_session_entry(model.session, "none", &entry), WEIR_NOT_FOUND,
              "weir_session_entry: there is no entry 'none'; the entries are "
              "'far', 'step'");
  expectError(weir_session_entry(model.session, "", &entry), WEIR_NOT_FOUND,
              "weir_session_entry: no entry has the empty name; pass a name, "
              "or null for the session's own entry");
  EXPECT_EQ(entry, nullptr);
  const std::vector<std::byte> bytes = modelBytes();
  auto options = sized<weir_session_options>();
  options.entry = "";
  weir_session *session = nullptr;
  EXPECT_EQ(tryLoad(bytes, options, session), WEIR_NOT_FOUND);
  EXPECT_EQ(session, nullptr);
}

// What cannot be loaded has the message of Session::load.
TEST(CErrors, ArtifactsMustBeWhole) {
  weir_session *session = nullptr;
  expectError(weir_session_load_file("/nowhere/x.weir", nullptr, &session),
              WEIR_NOT_FOUND,
              "weir_session_load_file: cannot read '/nowhere/x.weir': no such "
              "file or directory");
  std::vector<std::byte> bytes = modelBytes();
  EXPECT_EQ(weir_session_load_memory(bytes.data(), 0, nullptr, &session),
            WEIR_INVALID_ARGUMENT);
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_EQ(
      weir_session_load_memory(bytes.data(), bytes.size(), nullptr, &session),
      WEIR_DATA_LOSS);
  EXPECT_EQ(session, nullptr);
}

// A struct of no version is refused. So is a newer one that sets what this
// library does not have; one that sets nothing new is taken.
TEST(CErrors, StructsSayTheirSize) {
  const std::vector<std::byte> bytes = modelBytes();
  struct Newer {
    weir_session_options options;
    uint64_t added;
  } newer = {};
  weir_session *session = nullptr;
  const auto load = [&](size_t size) {
    newer.options.size = size;
    return tryLoad(bytes, newer.options, session);
  };
  expectError(load(0), WEIR_INVALID_ARGUMENT,
              "weir_session_load_memory: the size of a weir_session_options is "
              "0, which none has; set it to sizeof(weir_session_options)");
  EXPECT_EQ(load(sizeof(newer.options) - 1), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(load(SIZE_MAX), WEIR_INVALID_ARGUMENT);
  newer.added = 1;
  expectError(load(sizeof(newer)), WEIR_UNIMPLEMENTED,
              "weir_session_load_memory: a weir_session_options sets a member "
              "that Weir 0.1.0 does not have; leave it at zero, or use a newer "
              "library");
  newer.added = 0;
  newer.options.reserved[2] = 1;
  EXPECT_EQ(load(sizeof(newer.options)), WEIR_UNIMPLEMENTED);
  newer.options.reserved[2] = 0;
  newer.options.entry = "none";
  EXPECT_EQ(load(sizeof(newer)), WEIR_NOT_FOUND) << weir_last_error();
  newer.options.entry = "step";
  ASSERT_EQ(load(sizeof(newer)), WEIR_OK) << weir_last_error();

  const weir_entry *step = nullptr;
  ASSERT_EQ(weir_session_entry(session, nullptr, &step), WEIR_OK);
  struct NewerPort {
    weir_port port;
    uint64_t added;
  } port = {};
  port.added = 5;
  port.port.size = 3;
  EXPECT_EQ(weir_entry_input(step, 0, 0, &port.port), WEIR_INVALID_ARGUMENT);
  port.port.size = sizeof(port);
  EXPECT_EQ(weir_entry_input(step, 0, 0, &port.port), WEIR_OK);
  EXPECT_STREQ(port.port.name, "x");
  EXPECT_EQ(port.port.size, sizeof(port));
  EXPECT_EQ(port.added, 0u);

  weir_run_options options = {};
  Vector x, y;
  const weir_tensor input = x.tensor(), output = y.tensor();
  EXPECT_EQ(weir_entry_run(step, &input, 1, &output, 1, &options),
            WEIR_INVALID_ARGUMENT);
  weir_session_free(session);
}

// No option of a session has a value that crashes it.
TEST(CErrors, OptionsHaveBounds) {
  const std::vector<std::byte> bytes = modelBytes();
  auto options = sized<weir_session_options>();
  weir_session *session = nullptr;
  for (const int32_t wrong : {-1, INT32_MIN, 1025, INT32_MAX}) {
    options.threads = wrong;
    EXPECT_EQ(tryLoad(bytes, options, session), WEIR_INVALID_ARGUMENT) << wrong;
  }
  options.threads = 0;
  for (const int32_t wrong : {-1, INT32_MIN}) {
    options.in_flight = wrong;
    EXPECT_EQ(tryLoad(bytes, options, session), WEIR_INVALID_ARGUMENT) << wrong;
  }
}

/// A change to a valid tensor, and what is then said of it.
struct WrongTensor {
  void (*change)(weir_tensor &tensor);
  const char *message;
};

// Whatever a tensor says is checked before it is believed.
TEST(CErrors, TensorsAreChecked) {
  static const int64_t negative[] = {-4}, other[] = {5};
  static const int64_t huge[] = {INT64_MAX, INT64_MAX};
  const WrongTensor cases[] = {
      {[](weir_tensor &x) { x.dtype = 13; },
       "input 0: the dtype is 13, which is no element type; use WEIR_F32 to "
       "WEIR_U64"},
      {[](weir_tensor &x) { x.dtype = 256; },
       "input 0: the dtype is 256, which is no element type; use WEIR_F32 to "
       "WEIR_U64"},
      {[](weir_tensor &x) { x.rank = -1; },
       "input 0: the rank is -1; expected 0 to 16"},
      {[](weir_tensor &x) { x.rank = 17; },
       "input 0: the rank is 17; expected 0 to 16"},
      {[](weir_tensor &x) { x.dims = nullptr; },
       "input 0: dims is null; expected 1 dims"},
      {[](weir_tensor &x) { x.dims = other; },
       "input 'x': expected 4xf32, found 5xf32"},
      {[](weir_tensor &x) { x.data = nullptr; },
       "input 'x': expected a buffer, found a null pointer"},
      {[](weir_tensor &x) { x.bytes = 15; },
       "input 'x': expected a buffer of 16 bytes, found 15 bytes"},
      {[](weir_tensor &x) { x.dims = negative; }, nullptr},
      {[](weir_tensor &x) { x.rank = 2, x.dims = huge; }, nullptr},
  };
  Model model;
  Vector x, y;
  const weir_tensor output = y.tensor();
  for (const WrongTensor &wrong : cases) {
    weir_tensor input = x.tensor();
    wrong.change(input);
    EXPECT_EQ(weir_entry_run(model.step, &input, 1, &output, 1, nullptr),
              WEIR_INVALID_ARGUMENT);
    if (wrong.message) {
      EXPECT_EQ(weir_last_error(),
                std::string("weir_entry_run: ") + wrong.message);
    }
    EXPECT_EQ(weir_session_set_variable(model.session, "w", &input),
              WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(weir_session_get_variable(model.session, "w", &input),
              WEIR_INVALID_ARGUMENT);
    const weir_named_tensor named = {"x", input};
    EXPECT_EQ(weir_entry_run_named(model.step, &named, 1, nullptr, 0, nullptr),
              WEIR_INVALID_ARGUMENT);
  }
  // None of these has written to the variable.
  const weir_tensor w = x.tensor();
  ASSERT_EQ(weir_session_get_variable(model.session, "w", &w), WEIR_OK);
  EXPECT_EQ(x, (Vector{{1, 2, 3, 4}}));
}

// A tensor in the wrong memory is refused, in both directions.
TEST(CErrors, TensorsLieWhereTheModelSays) {
  Model model;
  Vector x, y;
  weir_tensor input = x.tensor();
  const weir_tensor output = y.tensor();
  EXPECT_EQ(weir_entry_run(model.far, &input, 1, &output, 1, nullptr),
            WEIR_INVALID_ARGUMENT);
  weir_device_tensor *far = nullptr;
  ASSERT_EQ(weir_entry_allocate_input(model.far, 0, 0, &far), WEIR_OK);
  weir_tensor view;
  ASSERT_EQ(weir_device_tensor_view(far, &view), WEIR_OK);
  EXPECT_EQ(weir_entry_run(model.step, &view, 1, &output, 1, nullptr),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(weir_session_get_variable(model.session, "w", &view),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(weir_device_tensor_copy_to(far, &view), WEIR_INVALID_ARGUMENT);
  input.dtype = WEIR_I32;
  expectError(weir_device_tensor_copy_from(far, &input), WEIR_INVALID_ARGUMENT,
              "weir_device_tensor_copy_from: expected 4xf32, found 4xi32");
  weir_device_tensor_free(far);
}

TEST(CErrors, VariablesMustExist) {
  Model model;
  Vector x;
  const weir_tensor value = x.tensor();
  expectError(weir_session_get_variable(model.session, "v", &value),
              WEIR_NOT_FOUND,
              "weir_session_get_variable: there is no variable 'v'; the "
              "variables are 'w'");
  EXPECT_EQ(weir_session_set_variable(model.session, "v", &value),
            WEIR_NOT_FOUND);
  EXPECT_EQ(weir_session_save_variables(model.session, "/nowhere/w"),
            WEIR_NOT_FOUND);
  EXPECT_EQ(weir_session_load_variables(model.session, "/nowhere/w"),
            WEIR_NOT_FOUND);
}

} // namespace
