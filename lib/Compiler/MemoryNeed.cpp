//===- MemoryNeed.cpp - Does this machine have enough memory? ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MemoryNeed.h"

#include "weir/Dialect/Exec/IR/ExecOps.h"

#include <fmt/format.h>
#include <unistd.h>

using namespace mlir;
using namespace weir;

/// The bytes of this machine's memory.
static double getMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

static std::string toGiB(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

void weir::warnIfTooLarge(ModuleOp module) {
  double need = 0;
  exec::BufferOpInterface largest;
  auto add = [&](exec::BufferOpInterface buffer) {
    need += static_cast<double>(buffer.getByteSize());
    if (!largest || buffer.getByteSize() > largest.getByteSize())
      largest = buffer;
  };
  module.walk([&](exec::InputOp input) { add(input); });
  module.walk([&](exec::OutputOp output) { add(output); });
  module.walk([&](exec::ArenaOp arena) {
    need += static_cast<double>(arena.getBytes());
  });
  const double memory = getMemory();
  if (!largest || need <= memory)
    return;
  largest->emitWarning(fmt::format(
      "a run needs {} for inputs, outputs and scratch, but this machine has {} "
      "of memory; make the dims smaller, or run it on a larger machine",
      toGiB(need), toGiB(memory)));
}
