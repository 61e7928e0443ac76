//===- FromC.c - A C program that uses the C API ------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FromC.h"

#include "weir/C/dlpack.h"
#include "weir/C/weir.h"
#include "weir/Support/DLPackABI.h"

#include <stdio.h>
#include <string.h>

static char problem[1024];

// Leaves the function with a description unless the condition holds.
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      snprintf(problem, sizeof(problem), "line %d: %s (%s)", __LINE__,         \
               #condition, weir_last_error());                                 \
      return problem;                                                          \
    }                                                                          \
  } while (0)
#define EXPECT_OK(call) EXPECT((call) == WEIR_OK)
#define TRY(call)                                                              \
  do {                                                                         \
    if (call)                                                                  \
      return problem;                                                          \
  } while (0)

static const int64_t dims[] = {4};

static weir_tensor vector(float *values) {
  const weir_tensor tensor = {.dtype = WEIR_F32,
                              .rank = 1,
                              .dims = dims,
                              .data = values,
                              .bytes = 4 * sizeof(float)};
  return tensor;
}

static const char *describe(const weir_session *session) {
  EXPECT(weir_session_num_metadata(session) == 1);
  const char *key = NULL, *value = NULL;
  EXPECT_OK(weir_session_metadata_at(session, 0, &key, &value));
  EXPECT(strcmp(key, "made by") == 0 && strcmp(value, "a test") == 0);
  EXPECT(weir_session_num_devices(session) == 2);
  weir_device device = {.size = sizeof(device)};
  EXPECT_OK(weir_session_device_at(session, 1, &device));
  EXPECT(strcmp(device.name, "cpu:1") == 0 && strcmp(device.kind, "cpu") == 0);
  EXPECT(device.threads == 1 && device.description && device.note);
  EXPECT(weir_session_num_entries(session) == 2);
  const weir_entry *entry = NULL;
  EXPECT_OK(weir_session_entry_at(session, 0, &entry));
  EXPECT(strcmp(weir_entry_name(entry), "far") == 0);
  EXPECT(weir_entry_num_shapes(entry) == 1);
  EXPECT(weir_entry_num_inputs(entry) == 1);
  EXPECT(weir_entry_num_outputs(entry) == 1);
  weir_port port = {.size = sizeof(port)};
  EXPECT_OK(weir_entry_input(entry, 0, 0, &port));
  EXPECT(strcmp(port.name, "x") == 0 && port.dtype == WEIR_F32);
  EXPECT(port.rank == 1 && port.dims[0] == 4 && port.bytes == 16);
  EXPECT(port.is_read && port.space && strcmp(port.device, "cpu:1") == 0);
  EXPECT_OK(weir_session_entry(session, "step", &entry));
  EXPECT_OK(weir_entry_output(entry, 0, 0, &port));
  EXPECT(strcmp(port.name, "y") == 0);
  EXPECT(!port.space && strcmp(port.device, "") == 0);
  return NULL;
}

static const char *run(const weir_entry *step) {
  float x[] = {1, 1, 1, 1}, y[4] = {0};
  const weir_tensor input = vector(x), output = vector(y);
  const weir_run_options options = {.size = sizeof(options),
                                    .timeout_ns = UINT64_MAX};
  EXPECT_OK(weir_entry_run(step, &input, 1, &output, 1, &options));
  EXPECT(y[0] == 2 && y[1] == 3 && y[2] == 4 && y[3] == 5);
  const weir_named_tensor named_input = {"x", input};
  const weir_named_tensor named_output = {"y", output};
  EXPECT_OK(
      weir_entry_run_named(step, &named_input, 1, &named_output, 1, NULL));
  EXPECT(y[0] == 3 && y[3] == 6);
  // The output is dropped, but the variable is assigned.
  EXPECT_OK(weir_entry_run_named(step, &named_input, 1, NULL, 0, NULL));
  return NULL;
}

static const char *use_variables(weir_session *session, const char *folder) {
  weir_variables *list = NULL;
  EXPECT_OK(weir_session_variables(session, &list));
  EXPECT(weir_variables_num(list) == 1);
  weir_variable variable = {.size = sizeof(variable)};
  EXPECT_OK(weir_variables_at(list, 0, &variable));
  EXPECT(strcmp(variable.name, "w") == 0 && variable.is_valid);
  EXPECT(variable.dtype == WEIR_F32 && variable.rank == 1);
  EXPECT(variable.dims[0] == 4 && variable.bytes == 16);
  weir_variables_free(list);

  float w[4] = {0}, zeros[4] = {0};
  const weir_tensor value = vector(w), zero = vector(zeros);
  EXPECT_OK(weir_session_get_variable(session, "w", &value));
  EXPECT(w[0] == 4 && w[3] == 7);
  w[0] = 0;
  EXPECT_OK(weir_session_get_variables(session, &value, 1));
  EXPECT(w[0] == 4 && w[3] == 7);
  char path[512];
  snprintf(path, sizeof(path), "%s/weir-c-api.safetensors", folder);
  EXPECT_OK(weir_session_save_variables(session, path));
  EXPECT_OK(weir_session_set_variable(session, "w", &zero));
  EXPECT_OK(weir_session_get_variable(session, "w", &value));
  EXPECT(w[0] == 0 && w[3] == 0);
  EXPECT_OK(weir_session_load_variables(session, path));
  EXPECT_OK(weir_session_get_variable(session, "w", &value));
  EXPECT(w[0] == 4 && w[3] == 7);
  remove(path);
  return NULL;
}

static const char *use_device_memory(const weir_entry *far) {
  weir_device_tensor *x = NULL, *y = NULL;
  EXPECT_OK(weir_entry_allocate_input(far, 0, 0, &x));
  EXPECT_OK(weir_entry_allocate_output(far, 0, 0, &y));
  float values[] = {1, 2, 3, 4};
  const weir_tensor host = vector(values);
  EXPECT_OK(weir_device_tensor_copy_from(x, &host));
  weir_tensor input, output;
  EXPECT_OK(weir_device_tensor_view(x, &input));
  EXPECT_OK(weir_device_tensor_view(y, &output));
  EXPECT(input.space && input.bytes >= 16 && input.rank == 1);
  EXPECT_OK(weir_entry_run(far, &input, 1, &output, 1, NULL));
  EXPECT_OK(weir_device_tensor_copy_to(y, &host));
  EXPECT(values[0] == 2 && values[3] == 8);
  weir_device_tensor_free(x);
  weir_device_tensor_free(y);
  return NULL;
}

// The result of a run becomes a tensor of another library, and comes back as an
// input.
static const char *use_dlpack(const weir_entry *step) {
  weir_device_tensor *y = NULL;
  EXPECT_OK(weir_entry_allocate_output(step, 0, 0, &y));
  float x[] = {1, 1, 1, 1}, sum[4];
  const weir_tensor input = vector(x), last = vector(sum);
  weir_tensor output;
  EXPECT_OK(weir_device_tensor_view(y, &output));
  EXPECT_OK(weir_entry_run(step, &input, 1, &output, 1, NULL));
  DLManagedTensorVersioned *lent = NULL;
  EXPECT_OK(weir_device_tensor_to_dlpack_versioned(y, &lent));
  EXPECT(lent->dl_tensor.data == output.data && lent->dl_tensor.ndim == 1);
  weir_imported_tensor *back = NULL;
  EXPECT_OK(weir_import_dlpack_versioned(lent, &back));
  EXPECT(!weir_imported_tensor_is_copy(back));
  weir_tensor next;
  EXPECT_OK(weir_imported_tensor_view(back, &next));
  EXPECT(next.data == output.data);
  EXPECT_OK(weir_entry_run(step, &next, 1, &last, 1, NULL));
  EXPECT(sum[0] == 10 && sum[3] == 16);
  weir_imported_tensor_free(back);
  return NULL;
}

const char *use_from_c(const void *artifact, size_t size, const char *folder) {
  weir_trace *trace = NULL;
  EXPECT_OK(weir_trace_create(&trace));
  const weir_session_options options = {
      .size = sizeof(options), .entry = "step", .threads = 1, .trace = trace};
  weir_session *session = NULL;
  EXPECT_OK(weir_session_load_memory(artifact, size, &options, &session));
  const weir_entry *step = NULL, *far = NULL;
  EXPECT_OK(weir_session_entry(session, NULL, &step));
  EXPECT_OK(weir_session_entry(session, "far", &far));
  TRY(describe(session));
  TRY(run(step));
  TRY(use_variables(session, folder));
  TRY(use_device_memory(far));
  TRY(use_dlpack(step));

  char *json = NULL;
  EXPECT_OK(weir_session_stats(session, &json));
  EXPECT(strstr(json, "\"runs\":6"));
  weir_string_free(json);
  EXPECT_OK(weir_entry_launches(step, 0, &json));
  EXPECT(strstr(json, "\"kernel\":\"reference\""));
  weir_string_free(json);
  weir_session_free(session);
  EXPECT_OK(weir_trace_json(trace, &json));
  EXPECT(strstr(json, "\"name\":\"add\""));
  weir_string_free(json);
  weir_trace_free(trace);
  return NULL;
}
