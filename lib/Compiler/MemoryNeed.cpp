//===- MemoryNeed.cpp - Does this machine have enough memory? ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MemoryNeed.h"

#include "weir/Dialect/Exec/Transforms/Arenas.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Support/CgroupLimits.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

static std::string toGiB(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

static void warnIfTooLarge(exec::EntryOp entry, bool isOnly) {
  double need = 0;
  exec::BufferOpInterface largest;
  auto add = [&](exec::BufferOpInterface buffer) {
    need += static_cast<double>(buffer.getByteSize());
    if (!largest || buffer.getByteSize() > largest.getByteSize())
      largest = buffer;
  };
  Block &block = entry.getBlock();
  for (auto input : block.getOps<exec::InputOp>())
    add(input);
  for (auto output : block.getOps<exec::OutputOp>())
    add(output);
  need += static_cast<double>(exec::countArenaBytes(entry));
  const auto memory = static_cast<double>(usableMemory(readCgroupLimits()));
  if (!largest || need <= memory)
    return;
  largest->emitWarning(fmt::format(
      "a run{} needs {} for inputs, outputs and scratch, but this machine has "
      "{} of memory; make the dims smaller, or run it on a larger machine",
      isOnly ? "" : fmt::format(" of {}", getReportName(entry).str()),
      toGiB(need), toGiB(memory)));
}

void weir::warnIfTooLarge(ModuleOp module) {
  auto entries = module.getOps<exec::EntryOp>();
  for (auto entry : entries)
    ::warnIfTooLarge(entry, llvm::hasSingleElement(entries));
}
