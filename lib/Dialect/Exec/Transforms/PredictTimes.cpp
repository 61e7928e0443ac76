//===- PredictTimes.cpp - Predicts how long each command lasts ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CommandTimes.h"
#include "weir/Dialect/Exec/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

namespace weir::exec {
#define GEN_PASS_DEF_EXECPREDICTTIMES
#include "weir/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace weir::exec

namespace {
struct PredictTimes : exec::impl::ExecPredictTimesBase<PredictTimes> {
  using ExecPredictTimesBase::ExecPredictTimesBase;
  void runOnOperation() override;
};
} // namespace

void PredictTimes::runOnOperation() {
  for (EntryOp entry : getOperation().getOps<EntryOp>()) {
    const CommandTimes times(entry);
    if (all || times.areWanted())
      for (ProgramOp program : entry.getBlock().getOps<ProgramOp>())
        times.predict(program);
  }
}
