//===- CodeObjectFuzzer.cpp - Checks generated code before it is loaded ---===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "Runtime/Code/CodeObject.h"

using namespace weir;

// What passes is not loaded: it would run instructions that the fuzzer wrote.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)checkSharedObject(asBytes(data, size));
  return 0;
}
