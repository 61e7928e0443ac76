//===- Phases.cpp - Which nests need all of others --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The partial results of a reduction over tiles come from all tasks, so they
// are combined in a later phase. A nest that reads the combined result at many
// points is in the phase after that one. In the same phase, the nest and the
// combination would be one task. On a GPU, windows that read what all tasks
// store are in a later phase, too.
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"

using namespace mlir;
using namespace weir::kernels;

/// A nest that reads a tensor is large if it has at least this many times as
/// many points as the tensor. The tensor is large in the same way if it has
/// this many times as many points as the nest.
static constexpr int64_t largeRatio = 16;

/// The most points of a tensor that one task stores for windows.
static constexpr int64_t mostByOneTask = 1024;

namespace {
/// The facts about a tensor that nests write.
struct Written {
  int phase = 0;
  int64_t points = 0;
  /// Whether the phase combines the partial results on which the tensor
  /// depends.
  bool followsPartials = false;
};
} // namespace

/// Whether `read` finds its elements at computed indices, and not row by row.
static bool isPicked(const Symbols &symbols, const Access &read) {
  auto has = [&](Symbols::Kind kind) {
    return llvm::any_of(read.indices, [&](const LinearIndex &index) {
      return llvm::any_of(index.terms, [&](auto term) {
        return symbols[term.first].kind == kind;
      });
    });
  };
  return has(Symbols::Kind::Computed) && !has(Symbols::Kind::Loop);
}

/// Whether neighbouring points read the same elements.
static bool isOfWindow(const Symbols &symbols, const Access &read) {
  return llvm::any_of(read.indices, [&](const LinearIndex &index) {
    return symbols.repeats(index);
  });
}

/// Divides the nests into phases. Nests are in order, and nests that write the
/// same tensor follow each other. They are in one phase, since a launch writes
/// all of its results.
void KernelPlan::addPhases() {
  llvm::DenseMap<Value, Written> written;
  for (size_t first = 0, end = 0; first < nests.size(); first = end) {
    Value home = nests[first].getHome();
    Written own;
    for (; end < nests.size() && nests[end].getHome() == home; ++end) {
      int64_t points = nests[end].getPoints();
      own.points += points;
      for (const Access &read : nests[end].getReads()) {
        Value base;
        if (!read.tensor || !getStrides(read.tensor, base) ||
            !written.contains(base))
          continue;
        const Written &other = written[base];
        bool isPartial = partials.contains(base);
        bool isLater =
            isPartial || partials.contains(home) ||
            (other.followsPartials && other.points * largeRatio <= points) ||
            (isPicked(symbols, read) && points * largeRatio <= other.points) ||
            (rules.storesWindowsFirst && other.points > mostByOneTask &&
             isOfWindow(symbols, read));
        own.phase = std::max(own.phase, other.phase + isLater);
        own.followsPartials |= isPartial || (other.followsPartials && !isLater);
      }
    }
    phases[home] = own.phase;
    numPhases = std::max(numPhases, own.phase + 1);
    written[home] = own;
  }
}

/// Puts tensors that later phases read into memory that the phases share.
void KernelPlan::share() {
  for (const LoopNest &nest : nests)
    for (const Access &read : nest.getReads()) {
      Value base;
      if (!read.tensor || !getStrides(read.tensor, base))
        continue;
      Home &home = homes[base];
      if (home.kind != Home::Kind::Scratch ||
          getPhase(base) == getPhase(nest.getHome()))
        continue;
      home.kind = Home::Kind::Shared;
      home.number = shared.size();
      shared.push_back(base);
    }
}
