//===- TestCode.c - Two shared objects of kernels -------------------*- C -*-//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// They differ in VALUE.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/KernelABI.h"

// Writes VALUE for each of its tasks.
static void fill(const struct WeirKernelArgs *args) {
  for (int64_t i = args->begin; i < args->end; ++i)
    ((float *)args->buffers[0])[i] = VALUE;
}

struct Table {
  struct WeirKernelTable head;
  WeirKernelFunction functions[1];
};

__attribute__((visibility("default"))) const struct Table weir_kernels = {
    {ABI, 1}, {fill}};
