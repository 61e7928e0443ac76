//===- run.c - Runs a model from C --------------------------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Runs the own entry of a model of f32 tensors on ones, and prints the outputs.
//
//===----------------------------------------------------------------------===//

#include "weir/C/weir.h"

#include <stdio.h>
#include <stdlib.h>

// Whether a call failed. If so, it says why.
static int failed(weir_status status) {
  if (status != WEIR_OK)
    fprintf(stderr, "error: %s\n", weir_last_error());
  return status != WEIR_OK;
}

// Gives `port` memory of the host and sets its elements to `value`. Returns
// whether that failed.
static int allocate(const weir_port *port, float value, weir_tensor *tensor) {
  if (port->dtype != WEIR_F32 || port->space) {
    fprintf(stderr, "error: '%s' is no f32 tensor in the host's memory\n",
            port->name);
    return 1;
  }
  // Null means that there is no memory, also for a tensor without elements.
  float *elements = malloc(port->bytes ? port->bytes : 1);
  if (!elements) {
    fprintf(stderr, "error: there is no memory for '%s'\n", port->name);
    return 1;
  }
  for (size_t i = 0; i < port->bytes / sizeof(float); ++i)
    elements[i] = value;
  *tensor = (weir_tensor){.dtype = port->dtype,
                          .rank = port->rank,
                          .dims = port->dims,
                          .data = elements,
                          .bytes = port->bytes};
  return 0;
}

static void print(const weir_port *port, const weir_tensor *tensor) {
  const float *elements = tensor->data;
  printf("%s:", port->name);
  for (size_t i = 0; i < port->bytes / sizeof(float); ++i)
    printf(" %g", elements[i]);
  printf("\n");
}

// A program with other models would ask for the numbers of inputs and outputs.
// Returns the exit code.
static int run(const weir_entry *entry) {
  weir_port x = {.size = sizeof(x)}, y = {.size = sizeof(y)};
  if (failed(weir_entry_input(entry, 0, 0, &x)) ||
      failed(weir_entry_output(entry, 0, 0, &y)))
    return 1;
  // At most a second.
  const weir_run_options options = {.size = sizeof(options),
                                    .timeout_ns = 1000000000};
  weir_tensor input = {0}, output = {0};
  const int code =
      allocate(&x, 1, &input) || allocate(&y, 0, &output) ||
      failed(weir_entry_run(entry, &input, 1, &output, 1, &options));
  if (code == 0)
    print(&y, &output);
  free(input.data);
  free(output.data);
  return code;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s MODEL.weir\n", arguments[0]);
    return 2;
  }
  weir_session *session = NULL;
  const weir_entry *entry = NULL;
  const int code =
      failed(weir_session_load_file(arguments[1], NULL, &session)) ||
      failed(weir_session_entry(session, NULL, &entry)) || run(entry);
  weir_session_free(session);
  return code;
}
