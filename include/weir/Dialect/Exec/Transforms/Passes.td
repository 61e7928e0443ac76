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
    Two kinds of commands are ordered within a run:

    - A reader of a buffer comes after the writers of the bytes that it reads.
    - A writer of an `exec.version` comes after all readers and writers of the
      contents before it, whichever bytes they access. So two launches that each
      update a part of one variable in place are refused.

    If two such commands are on different queues, an event is recorded behind
    the first and waited for in front of the second, unless other events imply
    that order. The result has the fewest records and waits. Existing events are
    removed first. Programs with `exec.repeat` are refused, because their events
    have values.
  }];
}

def ExecOrderLaunches : Pass<"exec-order-launches", "::weir::exec::EntryOp"> {
  let summary = "Chooses the order of the commands of each queue";
  let description = [{
    A command waits for the writers of the bytes that it reads. The writers of
    an `exec.version` wait for all commands that read or write the contents
    before it, whichever bytes they access. Everything else is free, and the
    order of the text only decides where nothing else does.

    If one device computes, the order of the text is kept as far as possible. A
    command that overwrites what a later one still reads moves behind it. If the
    reader needs nothing else and little memory, it moves in front instead.

    If several devices compute, each prefers commands that lead to a crossing,
    first those with the most predicted work behind the crossing. But a device
    that would need more scratch than by the order of the text first runs
    commands that free some.

    An `exec.tensor` stays behind its command, and is numbered anew. Existing
    events are removed; -exec-assign-events adds them. An entry with
    `exec.repeat` is left as it is.

    ```
    exec.launch "update" by "k"(%w : tensor<4xf32>, %g : tensor<4xf32>)
        -> (%w_1 : tensor<4xf32>) {}
    exec.launch "reader" by "k"(%w : tensor<4xf32>) -> (%y : tensor<4xf32>) {}
    // becomes, with %w_1 = exec.version %w,
    exec.launch "reader" ...
    exec.launch "update" ...
    ```
  }];
}

def ExecPlanMemory : Pass<"exec-plan-memory", "::weir::exec::EntryOp"> {
  let summary = "Places scratch buffers in arenas";
  let description = [{
    Two buffers may share bytes if events and program order put all uses of one
    before all uses of the other. The pass sets the offset of each buffer, and
    the size and the liveness lower bound of each arena.

    With one run at a time, a device has one arena. With more runs in flight,
    buffers that only one queue of the device accesses are in an arena of that
    queue, whose bytes all runs share because the queue is in order. The others
    are in an arena of which each run has its own.
  }];
  let options = [
    Option<"inFlight", "in-flight", "int64_t", "0",
        "The number of runs in flight; 0: as the entry says">,
  ];
}

def ExecPredictTimes : Pass<"exec-predict-times", "::mlir::ModuleOp"> {
  let summary = "Predicts how long each command lasts";
  let description = [{
    The times are those of the cost model, in ns: of launches by their flops and
    the bytes of their views, of copies by the link between the two memories,
    and of fills by their bytes. Rates are those that the entry states of its
    devices and links, else those of the devices' kinds. No time is above 10^18
    ns. A copy over a shared link gets the number of that link. They are
    numbered from 1 in the order of their names.

    Only entries with a device of a kind that asks for predicted times get them,
    unless `all` is set.

    ```
    exec.copy "x" crossing %x to %x_1 : 4000
    // becomes, on a link of 1 GB/s with a latency of 1 us,
    exec.copy "x" crossing %x to %x_1 : 4000 lasts 5000
    ```
  }];
  let options = [
    Option<"all", "all", "bool", "false",
        "Predict the times of all entries">,
  ];
}

def ExecRecompute : Pass<"exec-recompute", "::weir::exec::EntryOp"> {
  let summary = "Computes values twice so that scratch fits into less memory";
  let description = [{
    A buffer is freed between two of its uses, and the launch that writes it is
    carried out again in front of the second one. What that launch reads is
    computed again, too, if it is not there any more. Values come first whose
    bytes cost least time. A repeated launch is the same kernel with the same
    operands, so its result has the same bits.

    A launch is not repeated if it writes anything but scratch, if it overwrites
    an operand, or if a variable that it reads has been updated. A buffer is not
    freed if another queue uses it.

    Two options ask for repetitions:

    - Each limit, `DEVICE=SIZE`, is for the scratch of the compute queue of a
      device. If it cannot be met, the scratch becomes as small as it gets.
    - The option `share` concerns entries that update variables, if they take
      more scratch than `share-above`. Their scratch becomes as small as it gets
      by repetitions that last at most this share of the predicted time.

    The attribute `exec.again` of a repeated launch names the first one. The
    commands have their order and their events, which stay as they are;
    -exec-plan-memory comes afterwards. An entry with `exec.repeat` is left as
    it is.

    ```
    exec.launch "a" by "k"(%x : tensor<4xf32>) -> (%a : tensor<4xf32>) {}
    exec.launch "b" by "k"(%a : tensor<4xf32>) -> (%b : tensor<4xf32>) {}
    // ... the peak
    exec.launch "c" by "k"(%a : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
    // becomes
    exec.launch "a" by "k"(%x : tensor<4xf32>) -> (%a : tensor<4xf32>) {}
    exec.launch "b" by "k"(%a : tensor<4xf32>) -> (%b : tensor<4xf32>) {}
    // ...
    exec.launch "a.again" by "k"(%x : tensor<4xf32>) -> (%a_0 : tensor<4xf32>)
        {}
    exec.launch "c" by "k"(%a_0 : tensor<4xf32>) -> (%c : tensor<4xf32>) {}
    ```
  }];
  let options = [
    ListOption<"limits", "limits", "std::string",
        "The most bytes of scratch of a device, `cpu:0=64MiB`">,
    Option<"share", "share", "double", /*default=*/"0",
        "The most time of repetitions, as a share of the predicted time">,
    Option<"shareAbove", "share-above", "uint64_t", /*default=*/"0",
        "The most bytes of scratch for which nothing is repeated by `share`">,
  ];
}

def ExecVerifySchedule : Pass<"exec-verify-schedule",
                              "::weir::exec::EntryOp"> {
  let summary = "Proves that no two commands race, no program hangs, and each "
                "command sees the bytes that it names";
  let description = [{
    - If two commands access the same bytes and one of them writes, program
      order and events must order them. This includes two buffers that share
      bytes of an arena.
    - Every value of an event that is waited for must be recorded. The records
      of an event are in one program, and their values grow. There must be no
      cycle.
    - A read sees the bytes that the last write to its version, or to one before
      it, has left there. No other buffer of the arena and no later version may
      have been written in between, and scratch must have been written at all.
    - Every byte of an output is written.
    - A result of a launch shares no bytes with its operands or other results
      unless the launch says that it overwrites that operand.

    A strided view counts as all bytes from its first to its last element. So
    commands may be ordered that access different elements, and a byte between
    two written elements counts as written.

    Each trip of an `exec.repeat` is looked at. It may write again what earlier
    trips have written, and what a command in it reads is not from several of
    its trips. A repeat of another program is taken for a part of the same loop
    if it makes the same number of trips; trips of other repeats are not
    compared. A command that is in no such repeat reads a version when all trips
    have written it, or when one of them has.

    Commands that access bytes which were written in very many parts (2^26 in
    all) are refused, because looking at each takes too long.
  }];
}

#endif // WEIR_DIALECT_EXEC_TRANSFORMS_PASSES_TD
