//===- SlotTable.h - Makes the slots of a plan ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_SLOTTABLE_H
#define WEIR_LIB_RUNTIME_LOADING_SLOTTABLE_H

#include "ModelMemory.h"
#include "Plan.h"

#include <vector>

namespace weir {

/// Adds slots to a plan, and a patch for each slot whose address differs
/// between runs.
class SlotTable {
public:
  /// `buffers` are the buffers of the plan's entry.
  SlotTable(std::vector<PlacedBuffer> buffers, Plan &plan)
      : buffers(std::move(buffers)), plan(plan) {}

  const PlacedBuffer &buffer(const artifact::View &view) const {
    return buffers[view.buffer()];
  }

  uint32_t size() const { return static_cast<uint32_t>(plan.slots.size()); }

  /// A slot with the address of `view`. Returns its number.
  uint32_t add(const artifact::View &view);
  /// A slot for a number, which is 0 outside of runs.
  uint32_t addNumber();

private:
  std::vector<PlacedBuffer> buffers;
  Plan &plan;
};

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_SLOTTABLE_H
