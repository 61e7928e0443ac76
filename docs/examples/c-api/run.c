//===- run.c - Runs a model from C
//-----------------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Runs the own entry of a model of f32 tensors on ones, and prints the outputs.
//
//===----------------------------------------------------------------------===//

#include "weir/C/weir.h"

#include <stdio.h>
#include <stdlib.h>

// Gives `port` memory of the host and sets its elements to `value`.
static int allocate(const weir_port *port, float value, weir_tensor *tensor) {
  if (port->dtype != WEIR_F32 || port->space) {
    fprintf(stderr, "'%s' is no f32 tensor in the host's memory\n", port->name);
    return 1;
  }
  float *elements = malloc(port->bytes + 1);
  if (!elements)
    return 1;
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
static int run(const weir_entry *entry) {
  weir_port x = {.size = sizeof(x)}, y = {.size = sizeof(y)};
  if (weir_entry_input(entry, 0, 0, &x) != WEIR_OK ||
      weir_entry_output(entry, 0, 0, &y) != WEIR_OK)
    return 1;
  weir_tensor input = {0}, output = {0};
  int failed = allocate(&x, 1, &input) || allocate(&y, 0, &output);
  if (!failed) {
    // At most a second.
    const weir_run_options options = {.size = sizeof(options),
                                      .timeout_ns = 1000000000};
    failed = weir_entry_run(entry, &input, 1, &output, 1, &options) != WEIR_OK;
  }
  if (!failed)
    print(&y, &output);
  free(input.data);
  free(output.data);
  return failed;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s MODEL.weir\n", arguments[0]);
    return 2;
  }
  weir_session *session = NULL;
  const weir_entry *entry = NULL;
  const int failed =
      weir_session_load_file(arguments[1], NULL, &session) != WEIR_OK ||
      weir_session_entry(session, NULL, &entry) != WEIR_OK || run(entry);
  if (failed)
    fprintf(stderr, "%s: error: %s\n", arguments[0], weir_last_error());
  weir_session_free(session);
  return failed;
}
