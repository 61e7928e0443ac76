//===- train.c - Trains a model in C --------------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: c-train MODEL.weir
// The model is docs/examples/training/line.mlir.
//
//===----------------------------------------------------------------------===//

#include "weir/C/training.h"
#include "weir/C/weir.h"

#include <stdio.h>

enum { COUNT = 64 };

// Whether a call failed. If so, it says why.
static int failed(weir_status status) {
  if (status != WEIR_OK)
    fprintf(stderr, "error: %s\n", weir_last_error());
  return status != WEIR_OK;
}

// Prints the loss now and then. Training ends when it is small.
static bool on_step(void *context, const weir_step *step) {
  const double loss = step->values[0].value;
  if (step->step % 40 == 0)
    printf("step %d: loss %.4f\n", (int)step->step, loss);
  return loss > *(const double *)context;
}

static int print(const weir_session *session, const char *name, int32_t rank) {
  const int64_t dims[] = {1, 1};
  float value = 0;
  const weir_tensor tensor = {.dtype = WEIR_F32,
                              .rank = rank,
                              .dims = dims,
                              .data = &value,
                              .bytes = sizeof(value)};
  if (failed(weir_session_get_variable(session, name, &tensor)))
    return 1;
  printf("%s = %.2f\n", name, value);
  return 0;
}

// Trains on points of y = 3x - 1. Returns the exit code.
static int train(weir_session *session) {
  float x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    x[i] = (float)i / COUNT;
    y[i] = 3 * x[i] - 1;
  }
  const int64_t dims[] = {COUNT, 1};
  const weir_named_tensor columns[] = {
      {"x", {WEIR_F32, 2, dims, x, sizeof(x), NULL}},
      {"y", {WEIR_F32, 2, dims, y, sizeof(y), NULL}}};
  double goal = 1e-5;
  const weir_trainer_options options = {.size = sizeof(options),
                                        .columns = columns,
                                        .num_columns = 2,
                                        .epochs = 1000,
                                        .shuffle = true,
                                        .seed = 1,
                                        .quiet = true,
                                        .on_step = on_step,
                                        .context = &goal};
  weir_trainer *trainer = NULL;
  if (failed(weir_trainer_create(session, &options, &trainer)))
    return 1;
  const int code = failed(weir_trainer_run(trainer)) ||
                   print(session, "w", 2) || print(session, "b", 1);
  weir_trainer_free(trainer);
  return code;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s MODEL.weir\n", arguments[0]);
    return 2;
  }
  weir_session *session = NULL;
  const int code =
      failed(weir_session_load_file(arguments[1], NULL, &session)) ||
      train(session);
  weir_session_free(session);
  return code;
}
