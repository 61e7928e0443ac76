//===- GpuRows.cpp - Rows that a warp keeps in registers --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A thread has the same elements of the row in all nests. So it finds in
// registers what it has computed for an earlier nest. There is no shared
// memory, no barrier, and nothing is read twice. Longer rows have too many
// elements for registers, so a block computes such a row (GpuKernels.cpp).
//
//===----------------------------------------------------------------------===//

#include "GpuReductions.h"
#include "GpuTasks.h"
#include "KernelEmitter.h"
#include "LoopClasses.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// The most elements of a row that a thread keeps, and the most pieces of code
/// for them.
static constexpr int64_t mostKept = 32, mostPieces = 16;
/// The most registers for values that nests pass on; a thread has 255 in all.
static constexpr int64_t mostRegisters = 128;
/// The number of processors of a large GPU. Each of them should have a block.
static constexpr int64_t manyProcessors = 132;

namespace {
/// A section that may become rows. It is changed in place.
class RowPlanner {
public:
  RowPlanner(KernelPlan &plan, Section &section)
      : plan(plan), section(section) {}

  bool run();

private:
  bool findRow();
  bool mayKeep(const ScheduledNest &nest) const;
  void cutRows();
  bool nameElements();
  bool fitsRegisters() const;
  bool isKeptBy(const Access &read);
  bool readsOwnElements();

  KernelPlan &plan;
  Section &section;
  WarpRow row{};
  /// The nest that writes each tensor.
  llvm::DenseMap<Value, const LoopNest *> writers;
};
} // namespace

bool RowPlanner::mayKeep(const ScheduledNest &nest) const {
  if (nest.hasOpLoops() || nest.computesLookups() || nest.hasConditions())
    return false;
  const std::optional<ThreadGroup> &group = nest.schedule.group;
  return !nest.getReduction() || (nest.schedule.isOf(ThreadGroup::Kind::Warp) &&
                                  getReducedItems(nest) * group->strip ==
                                      plan.symbols[group->loop].range.max + 1);
}

/// Finds the row. Returns whether all reductions are of rows of one length,
/// whose elements are divided alike.
bool RowPlanner::findRow() {
  row.size = 0;
  for (const ScheduledNest &nest : section.nests) {
    if (!mayKeep(nest) || !writers.insert({nest.getHome(), nullptr}).second)
      return false;
    if (!nest.getReduction())
      continue;
    const int64_t strip = nest.schedule.group->strip;
    const int64_t size = getReducedItems(nest) * strip;
    if (row.size != 0 && (size != row.size || strip != row.strip))
      return false;
    row.size = size;
    row.strip = strip;
  }
  if (row.size == 0)
    return false;
  const int64_t pieces = llvm::divideCeil(row.size / row.strip, warpThreads);
  return pieces <= mostPieces && pieces * row.strip <= mostKept;
}

/// Makes a task of each iteration of all loops that the nests share.
void RowPlanner::cutRows() {
  for (const LoopClass &found : findClasses(plan, section))
    cut(plan, section, found, 1);
}

/// Gives the loops along the row one symbol. A nest has one such loop, or no
/// loop if it computes one element for the row.
bool RowPlanner::nameElements() {
  row.symbol = plan.symbols.addLoop(row.size);
  for (ScheduledNest &nest : section.nests) {
    const ArrayRef<NestLoop> loops = nest.getLoops();
    const bool reduces = nest.getReduction() != nullptr;
    if (loops.empty() && !reduces)
      continue;
    if (loops.size() != 1 || loops.front().size != row.size ||
        loops.front().isReduction != reduces)
      return false;
    nest.rename(plan, loops.front().symbol, row.symbol);
    // From here on, the row says which threads compute an element.
    nest.schedule.group.reset();
  }
  return true;
}

/// Whether a thread has registers for its elements of all tensors that the
/// section keeps.
bool RowPlanner::fitsRegisters() const {
  const int64_t elements =
      llvm::divideCeil(row.size / row.strip, warpThreads) * row.strip;
  int64_t registers = 0;
  for (const LoopNest &nest : section.nests) {
    Value tensor = nest.getHome();
    const Home &home = plan.homes.find(tensor)->second;
    const int64_t bits = getMemoryElement(tensor).getIntOrFloatBitWidth();
    if (!nest.getReduction() && !nest.getLoops().empty() &&
        home.kind == Home::Kind::Scratch)
      registers += elements * std::max<int64_t>(bits / 32, 1);
  }
  return registers <= mostRegisters;
}

/// Whether `read` is of the element that the thread has written. True if the
/// section does not write the tensor of `read`.
bool RowPlanner::isKeptBy(const Access &read) {
  Value base;
  if (!read.tensor || !plan.getStrides(read.tensor, base))
    return true;
  const auto writer = writers.find(base);
  if (writer == writers.end())
    return true;
  // The nest that writes the tensor must be an earlier one.
  if (!writer->second)
    return false;
  const Indices at = base == read.tensor
                         ? read.indices
                         : toReshaped(plan.symbols, getShape(base),
                                      getShape(read.tensor), read.indices);
  return ArrayRef<LinearIndex>(at) ==
         ArrayRef<LinearIndex>(writer->second->getWrite().indices);
}

bool RowPlanner::readsOwnElements() {
  for (const LoopNest &nest : section.nests) {
    if (!llvm::all_of(nest.getReads(),
                      [&](const Access &read) { return isKeptBy(read); }))
      return false;
    writers[nest.getHome()] = &nest;
  }
  return true;
}

bool RowPlanner::run() {
  if (!findRow())
    return false;
  cutRows();
  if (!nameElements() || !fitsRegisters() || !readsOwnElements())
    return false;
  section.warpRow = row;
  return true;
}

bool kernels::divideByWarps(KernelPlan &plan, Section &section) {
  const auto homes = plan.homes;
  const Symbols symbols = plan.symbols;
  const Section before = section;
  if (RowPlanner(plan, section).run())
    return true;
  plan.homes = homes;
  plan.symbols = symbols;
  section = before;
  return false;
}

int64_t kernels::getRowWarps(const Section &section) {
  const int64_t wanted = section.getTasks() / manyProcessors;
  return std::clamp<int64_t>(
      static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(wanted))), 1,
      mostThreads / warpThreads);
}

void kernels::chooseRowVectors(KernelPlan &plan, Section &section) {
  WarpRow &row = *section.warpRow;
  row.isVector = row.strip > 1;
  for (const LoopNest &nest : section.nests)
    for (const NestLoop &loop : nest.getLoops())
      row.isVector = row.isVector && canBeVectors(plan, section, nest,
                                                  {loop.symbol, row.strip});
}
