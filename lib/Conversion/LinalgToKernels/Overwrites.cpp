//===- Overwrites.cpp - Which results may replace operands ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Overwrites.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weir::kernels;

/// The most nests that write one result. Their parts are compared in pairs.
static constexpr size_t mostWriters = KernelPlan::mostParts;

/// Whether each point stores one element, after it has read everything, and no
/// two points store the same element.
static bool storesPointByPoint(ArrayRef<const LoopNest *> writers) {
  if (writers.size() > mostWriters)
    return false;
  for (size_t i = 0; i < writers.size(); ++i) {
    if (writers[i]->hasOpLoops())
      return false;
    for (size_t j = 0; j < i; ++j)
      if (!writers[i]->isDisjoint(*writers[j]))
        return false;
  }
  return true;
}

namespace {
/// Collects what the nests of one phase read and write.
class PhaseAccesses {
public:
  PhaseAccesses(const KernelPlan &plan, int phase);

  /// The homes that may replace operands.
  llvm::SmallVector<std::pair<Value, Value>> findOverwritten() const;

private:
  using Reads = SmallVector<std::pair<const LoopNest *, const Access *>, 2>;

  Value findHome(const Reads &reads) const;
  bool mayWrite(Value home, const Reads &reads) const;
  bool waitsFor(Value home, Value other) const;

  const KernelPlan &plan;
  llvm::MapVector<Value, Reads> readsOf;
  llvm::DenseMap<Value, SmallVector<const LoopNest *, 1>> writersOf;
};
} // namespace

PhaseAccesses::PhaseAccesses(const KernelPlan &plan, int phase) : plan(plan) {
  for (const LoopNest &nest : plan.nests) {
    if (plan.getPhase(nest.getHome()) != phase)
      continue;
    writersOf[nest.getHome()].push_back(&nest);
    for (const Access &read : nest.getReads()) {
      Value base;
      if (read.tensor && plan.getStrides(read.tensor, base))
        readsOf[base].push_back({&nest, &read});
    }
  }
}

/// Whether each point that stores an element of `home` reads the element in the
/// same place of `other`, another result of the phase. If so, the element of
/// `other` is complete when the element of `home` is stored, and no point
/// stores it again.
bool PhaseAccesses::waitsFor(Value home, Value other) const {
  ArrayRef<const LoopNest *> others = writersOf.find(other)->second;
  if (!storesPointByPoint(others))
    return false;
  return llvm::all_of(
      writersOf.find(home)->second, [&](const LoopNest *writer) {
        return llvm::any_of(writer->getReads(), [&](const Access &read) {
          Value base;
          return read.tensor && plan.getStrides(read.tensor, base) &&
                 base == other && !writer->hasConditions() &&
                 plan.getAddress(read) == plan.getAddress(writer->getWrite());
        });
      });
}

/// Whether the nests of `home` may write where `reads` read. Each read must be
/// in the place where its nest writes. The nest must write `home`, or another
/// result for which the same element of `home` waits.
bool PhaseAccesses::mayWrite(Value home, const Reads &reads) const {
  if (plan.homes.find(home)->second.kind != Home::Kind::Result ||
      !storesPointByPoint(writersOf.find(home)->second))
    return false;
  return llvm::all_of(reads, [&](const auto &done) {
    auto [nest, read] = done;
    return !nest->hasConditions() &&
           plan.getAddress(*read) == plan.getAddress(nest->getWrite()) &&
           (nest->getHome() == home || waitsFor(home, nest->getHome()));
  });
}

/// The home that may be written where `reads` read; or null.
Value PhaseAccesses::findHome(const Reads &reads) const {
  // A result that waits for other results comes after them.
  for (const auto &[nest, read] : llvm::reverse(reads))
    if (mayWrite(nest->getHome(), reads))
      return nest->getHome();
  return {};
}

SmallVector<std::pair<Value, Value>> PhaseAccesses::findOverwritten() const {
  SmallVector<std::pair<Value, Value>> found;
  for (auto &[base, reads] : readsOf)
    if (plan.homes.find(base)->second.kind == Home::Kind::Operand)
      if (Value home = findHome(reads))
        found.push_back({base, home});
  return found;
}

Overwritten weir::kernels::findOverwritten(const KernelPlan &plan) {
  Overwritten overwritten;
  for (int phase = 0; phase < plan.numPhases; ++phase)
    for (auto [operand, home] : PhaseAccesses(plan, phase).findOverwritten())
      overwritten[{operand, phase}] = home;
  return overwritten;
}
