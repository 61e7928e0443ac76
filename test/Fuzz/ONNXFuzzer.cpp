//===- ONNXFuzzer.cpp - Reads ONNX models -*- C++ -*- ===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"
#include "ImportFuzzer.h"

#include "weir/Import/ONNX.h"
#include "weir/Import/Text.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int file = memfd_create("model", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size))
    return 0;
  {
    ImportContext context;
    const auto module =
        importONNX("/proc/self/fd/" + std::to_string(file), {}, context.get());
    if (module)
      printWithNames(**module, llvm::nulls());
  }
  close(file);
  return 0;
}
