//===- exchange.c - Tensors from and for other libraries in C -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: c-exchange MODEL.weir
// The model has one input and one output of f32 in the host's memory. The
// program itself stands for the other library, which lends ones as the input
// and takes the output.
//
//===----------------------------------------------------------------------===//

#include "weir/C/dlpack.h"
#include "weir/C/weir.h"
#include "weir/Support/DLPackABI.h"

#include <stdio.h>
#include <stdlib.h>

// Whether a call failed. If so, it says why.
static int failed(weir_status status) {
  if (status != WEIR_OK)
    fprintf(stderr, "error: %s\n", weir_last_error());
  return status != WEIR_OK;
}

// A deleter: Weir does not need the tensor any more.
static void take_back(DLManagedTensorVersioned *managed) {
  printf("the input is back\n");
  free(managed->dl_tensor.data);
  free(managed);
}

// Ones for `port`, which whoever gets them gives back; null without memory.
static DLManagedTensorVersioned *lend_ones(const weir_port *port) {
  DLManagedTensorVersioned *managed = calloc(1, sizeof(*managed));
  float *ones = malloc(port->bytes ? port->bytes : 1);
  if (!managed || !ones) {
    free(managed);
    free(ones);
    return NULL;
  }
  for (size_t i = 0; i < port->bytes / sizeof(float); ++i)
    ones[i] = 1;
  managed->version.major = DLPACK_MAJOR_VERSION;
  managed->version.minor = DLPACK_MINOR_VERSION;
  managed->deleter = take_back;
  managed->dl_tensor.data = ones;
  managed->dl_tensor.device.device_type = kDLCPU;
  managed->dl_tensor.dtype = (DLDataType){kDLFloat, 32, 1};
  managed->dl_tensor.ndim = port->rank;
  // Dims of a port live as long as the session. No strides: row-major.
  managed->dl_tensor.shape = (int64_t *)port->dims;
  return managed;
}

// Runs on what the other library lends. Returns the exit code.
static int run(const weir_entry *entry, DLManagedTensorVersioned *lent) {
  weir_imported_tensor *x = NULL;
  if (failed(weir_import_dlpack_versioned(lent, &x))) {
    lent->deleter(lent);
    return 1;
  }
  weir_device_tensor *y = NULL;
  weir_tensor input, output;
  DLManagedTensorVersioned *result = NULL;
  const int code =
      failed(weir_imported_tensor_view(x, &input)) ||
      failed(weir_entry_allocate_output(entry, 0, 0, &y)) ||
      failed(weir_device_tensor_view(y, &output)) ||
      failed(weir_entry_run(entry, &input, 1, &output, 1, NULL)) ||
      failed(weir_device_tensor_to_dlpack_versioned(y, &result));
  weir_imported_tensor_free(x);
  if (code != 0) {
    weir_device_tensor_free(y);
    return code;
  }
  // `result` has the tensor now, and the other library frees it.
  printf("the first result is %g\n", *(const float *)result->dl_tensor.data);
  result->deleter(result);
  return 0;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s MODEL.weir\n", arguments[0]);
    return 2;
  }
  weir_session *session = NULL;
  const weir_entry *entry = NULL;
  weir_port x = {.size = sizeof(x)};
  int code = failed(weir_session_load_file(arguments[1], NULL, &session)) ||
             failed(weir_session_entry(session, NULL, &entry)) ||
             failed(weir_entry_input(entry, 0, 0, &x));
  if (code == 0) {
    DLManagedTensorVersioned *lent = lend_ones(&x);
    code = lent ? run(entry, lent) : 1;
  }
  weir_session_free(session);
  return code;
}
