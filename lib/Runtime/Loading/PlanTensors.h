//===- PlanTensors.h - What observers of a plan receive ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_LOADING_PLANTENSORS_H
#define WEIR_LIB_RUNTIME_LOADING_PLANTENSORS_H

#include "PlanLoader.h"
#include "SlotTable.h"

namespace weir {

/// Collects the tensors that the observer receives, and the steps after which
/// it receives them.
void loadTensors(const PlanSources &sources, const artifact::Entry &entry,
                 std::span<const std::vector<int64_t>> stepOf, SlotTable &slots,
                 Plan &plan);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_LOADING_PLANTENSORS_H
