//===- TextFuzzer.cpp - Reads textual IR -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"
#include "ImportFuzzer.h"

#include "weir/Import/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace weir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ImportContext context;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(asText(data, size)), llvm::SMLoc());
  if (auto module = importText(sources, context.get()))
    printWithNames(*module, llvm::nulls());
  return 0;
}
