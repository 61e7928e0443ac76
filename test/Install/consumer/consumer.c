//===- consumer.c - A C program with an installed Weir ------------*- C -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Runs the model of model.mlir on 1, 2, 3, 4 and prints what comes out.
//
//===----------------------------------------------------------------------===//

#include "weir/C/weir.h"

#include <stdio.h>

static weir_status run_model(const char *path) {
  weir_session *session = NULL;
  weir_status status = weir_session_load_file(path, NULL, &session);
  const weir_entry *entry = NULL;
  if (status == WEIR_OK)
    status = weir_session_entry(session, NULL, &entry);
  if (status == WEIR_OK) {
    const int64_t dims[] = {4};
    float x[] = {1, 2, 3, 4}, y[4];
    const weir_tensor input = {WEIR_F32, 1, dims, x, sizeof(x), NULL};
    const weir_tensor output = {WEIR_F32, 1, dims, y, sizeof(y), NULL};
    status = weir_entry_run(entry, &input, 1, &output, 1, NULL);
    if (status == WEIR_OK)
      printf("%g %g %g %g \n", y[0], y[1], y[2], y[3]);
  }
  weir_session_free(session);
  return status;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s MODEL.weir\n", arguments[0]);
    return 2;
  }
  if (run_model(arguments[1]) != WEIR_OK) {
    fprintf(stderr, "%s\n", weir_last_error());
    return 1;
  }
  return 0;
}
