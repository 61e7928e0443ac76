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
    Within a run, every reader of a buffer must come after all of its writers,
    except for an assigned parameter, which is read before it is written. If two
    such commands are on different queues, an event is recorded behind the first
    and waited for in front of the second, unless other events imply that order.
    The result has the fewest records and waits. Existing events are removed
    first.
  }];
}

def ExecPlanMemory : Pass<"exec-plan-memory", "::weir::exec::EntryOp"> {
  let summary = "Places scratch buffers in one arena per device";
  let description = [{
    Two buffers may share bytes if events and program order put all uses of one
    before all uses of the other. The pass sets the offset of each buffer, and
    the size and the liveness lower bound of each arena. If a device needs more
    than its cap, the error names the smallest cap that can be met.
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
    If two commands access the same bytes and one of them writes, program order
    and events must order them. This includes two buffers that share bytes of an
    arena. Every event that is waited for must be recorded exactly once, and
    there must be no cycle.
  }];
}

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_TD
