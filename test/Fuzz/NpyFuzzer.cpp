//===- NpyFuzzer.cpp - Reads .npy files and tensors of ONNX -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "weir/Support/Npy.h"
#include "weir/Support/TensorProto.h"

using namespace weir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)parseNpy(asBytes(data, size));
  (void)parseTensorProto(asBytes(data, size));
  return 0;
}
