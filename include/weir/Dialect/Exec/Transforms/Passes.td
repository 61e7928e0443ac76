//===- Passes.td - The passes over the exec dialect --------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_TD
#define WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExecAssignEvents : Pass<"exec-assign-events", "::weir::exec::EntryOp"> {
  let summary = "Orders commands of different queues by events";
  let description = [{
    Within a run, whoever reads a buffer waits for all who write to it; only an
    assigned parameter is read before it is written. Where two such commands are
    on different queues, an event is recorded behind the first and waited for in
    front of the second, unless other events imply that order: the fewest
    records and waits remain. Events that are there already are dropped.
  }];
}

def ExecPlanMemory : Pass<"exec-plan-memory", "::weir::exec::EntryOp"> {
  let summary = "Places scratch buffers in one arena per device";
  let description = [{
    Two buffers share bytes where events and program order put all uses of the
    one before all uses of the other. Sets each buffer's offset, and the size
    and the liveness lower bound of each arena. Fails where a device needs more
    than its cap, naming the smallest cap that can be met.
  }];
  let options = [
    ListOption<"caps", "memory-cap", "std::string",
        "The most bytes of scratch on a device: cpu:0=64MiB (repeat)">,
  ];
}

def ExecVerifySchedule : Pass<"exec-verify-schedule",
                              "::weir::exec::EntryOp"> {
  let summary = "Proves that no two commands race and no program hangs";
  let description = [{
    Every two commands that touch the same bytes, of which one writes, must be
    ordered by program order and events, also where two buffers share bytes of
    an arena; every event waited for must be recorded, once, without a cycle.
  }];
}

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_TD
