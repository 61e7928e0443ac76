//===- TopologyFuzzer.cpp - Reads descriptions of devices -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "weir/Support/Topology.h"

using namespace weir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)parseTopology(asText(data, size), "topology.json");
  return 0;
}
