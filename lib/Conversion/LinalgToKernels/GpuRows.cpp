//===- GpuRows.cpp - Rows that a warp keeps in registers --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A thread has the same elements of the row in all nests. What one nest stores
// there, another one finds in registers. So there is no shared memory, no
// barrier, and nothing is read twice. Rows that are longer have too many
// elements for registers; a block computes them (GpuKernels.cpp).
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
/// The most registers for what nests pass on; a thread has 255 in all.
static constexpr int64_t mostRegisters = 128;
/// The processors of a large GPU, each of which should have a block.
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
  bool mayKeep(const LoopNest &nest) const;
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

bool RowPlanner::mayKeep(const LoopNest &nest) const {
  if (nest.accumulates || nest.scans || nest.computesLookups ||
      nest.hasConditions)
    return false;
  return !nest.reduction || (nest.group == LoopNest::Group::Warp &&
                             getReducedItems(nest) * nest.strip ==
                                 plan.symbols[nest.stripLoop].range.max + 1);
}

/// All reductions are of rows of one length, whose elements are divided alike.
bool RowPlanner::findRow() {
  row.size = 0;
  for (int number : section.nests) {
    const LoopNest &nest = plan.nests[number];
    if (!mayKeep(nest) || !writers.insert({nest.home, nullptr}).second)
      return false;
    if (!nest.reduction)
      continue;
    const int64_t size = getReducedItems(nest) * nest.strip;
    if (row.size != 0 && (size != row.size || nest.strip != row.strip))
      return false;
    row.size = size;
    row.strip = nest.strip;
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

/// Gives the loops along the row one symbol. Each nest has one such loop, or
/// none if it computes one element for the row.
bool RowPlanner::nameElements() {
  row.symbol = plan.symbols.addLoop(row.size);
  const LinearIndex own = LinearIndex::ofSymbol(row.symbol);
  for (int number : section.nests) {
    LoopNest &nest = plan.nests[number];
    if (nest.loops.empty() && !nest.reduction)
      continue;
    if (nest.loops.size() != 1 || nest.loops.front().size != row.size ||
        nest.loops.front().isReduction != bool(nest.reduction))
      return false;
    const int old = std::exchange(nest.loops.front().symbol, row.symbol);
    plan.replaceLoop(nest, old, own);
    if (nest.stripLoop == old)
      nest.stripLoop = row.symbol;
  }
  return true;
}

/// Whether a thread has registers for its elements of all tensors that the
/// section keeps.
bool RowPlanner::fitsRegisters() const {
  const int64_t elements =
      llvm::divideCeil(row.size / row.strip, warpThreads) * row.strip;
  int64_t registers = 0;
  for (int number : section.nests) {
    const LoopNest &nest = plan.nests[number];
    const Home &home = plan.homes.find(nest.home)->second;
    const int64_t bits = getMemoryElement(nest.home).getIntOrFloatBitWidth();
    if (!nest.reduction && !nest.loops.empty() &&
        home.kind == Home::Kind::Scratch)
      registers += elements * std::max<int64_t>(bits / 32, 1);
  }
  return registers <= mostRegisters;
}

/// Whether `read`, if it is of a tensor of the section, is of the element that
/// the thread has written.
bool RowPlanner::isKeptBy(const Access &read) {
  Value base;
  if (!read.tensor || !plan.getStrides(read.tensor, base))
    return true;
  const auto writer = writers.find(base);
  if (writer == writers.end())
    return true;
  // Earlier nests write what later ones read.
  if (!writer->second)
    return false;
  const Indices at = base == read.tensor
                         ? read.indices
                         : toReshaped(plan.symbols, getShape(base),
                                      getShape(read.tensor), read.indices);
  return ArrayRef<LinearIndex>(at) ==
         ArrayRef<LinearIndex>(writer->second->write.indices);
}

bool RowPlanner::readsOwnElements() {
  for (int number : section.nests) {
    const LoopNest &nest = plan.nests[number];
    if (!llvm::all_of(nest.reads,
                      [&](const Access &read) { return isKeptBy(read); }))
      return false;
    writers[nest.home] = &nest;
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
  const std::vector<LoopNest> nests = plan.nests;
  const auto homes = plan.homes;
  const Symbols symbols = plan.symbols;
  const Section before = section;
  if (RowPlanner(plan, section).run())
    return true;
  plan.nests = nests;
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
  for (int number : section.nests) {
    LoopNest &nest = plan.nests[number];
    for (const NestLoop &loop : nest.loops)
      row.isVector =
          row.isVector && canBeVectors(plan, section, nest, loop, row.strip);
  }
}
