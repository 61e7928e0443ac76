// A memory cap counts what the runtime holds for all entries: each arena as
// large as the entry needs it that needs most, variables, and the copies of
// parameters of isolated devices. The error says what is at the peak.

// RUN: split-file %s %t
// RUN: not graph-opt %t/one.mlir --pass-pipeline='builtin.module(exec.entry(exec-plan-memory),exec-check-memory{memory-cap=cpu:0=2KiB})' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: graph-opt %t/one.mlir --pass-pipeline='builtin.module(exec.entry(exec-plan-memory),exec-check-memory{memory-cap=cpu:0=3KiB})' -o /dev/null
// RUN: not graph-opt %t/one.mlir --pass-pipeline='builtin.module(exec-check-memory{memory-cap=cpu:0=3kilo})' 2>&1 | FileCheck %s --check-prefix=MALFORMED
// RUN: not graph-opt %t/one.mlir --pass-pipeline='builtin.module(exec-check-memory{memory-cap=cpu:1=3KiB})' 2>&1 | FileCheck %s --check-prefix=UNUSED

// ONE: one.mlir:1:1: error: device "cpu:0" has a memory cap of 2048 bytes (--memory-cap=cpu:0=2KiB), but the model holds 3072 bytes (3072 of scratch); pass --memory-cap=cpu:0=3072 or more, or compile for smaller inputs, fewer runs in flight or more devices
// ONE: one.mlir:1:1: note: the scratch takes 3072 bytes in entry 'main'; at its peak it holds 'b' (2048 bytes), 'a' (1024 bytes)
// MALFORMED: memory cap 'cpu:0=3kilo' expects DEVICE=SIZE, the size in bytes or with KiB, MiB or GiB and below 2^64 bytes, as in cpu:0=64MiB
// UNUSED: memory cap 'cpu:1=3KiB' names a device that is not used; expected one of cpu:0

// Each entry alone would fit. The variable counts once, the
// parameter only where it is copied.
// RUN: graph-opt %t/two.mlir --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=2}),exec-check-memory{memory-cap=cpu:0=3840,cpu:1=1024})' -o /dev/null
// RUN: not graph-opt %t/two.mlir --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{in-flight=2}),exec-check-memory{memory-cap=cpu:0=3839,cpu:1=1023})' 2>&1 | FileCheck %s --check-prefix=TWO

// TWO: two.mlir:4:1: error: device "cpu:0" has a memory cap of 3839 bytes (--memory-cap=cpu:0=3839), but the model holds 3840 bytes (2560 of scratch, 1024 of scratch of runs in flight, 256 of variables); pass --memory-cap=cpu:0=3840 or more
// TWO: two.mlir:4:1: note: the scratch of queue 0 takes 2560 bytes in entry 'first'; at its peak it holds 'big' (2048 bytes), 'a' (512 bytes)
// TWO: two.mlir:{{[0-9]+}}:1: note: the scratch, which each of 2 runs in flight has, takes 512 bytes in entry 'second'; at its peak it holds 'c' (512 bytes)
// TWO: error: device "cpu:1" has a memory cap of 1023 bytes (--memory-cap=cpu:1=1023), but the model holds 1024 bytes (512 of scratch, 512 of parameters)

//--- one.mlir
exec.entry @main on ["cpu:0"] {
  %a = exec.scratch 1024 bytes on "cpu:0"
  %b = exec.scratch 2048 bytes on "cpu:0"
  exec.program on "cpu:0" queue 0 {
    exec.fill "a" %a : 1024
    exec.copy "b" %a to %b : 1024
  }
}

//--- two.mlir
weir.parameter @v : tensor<4xf32> = dense<1.0> : tensor<4xf32>
weir.parameter @w : tensor<128xf32> = dense<1.0> : tensor<128xf32>

exec.entry @first on ["cpu:0", "cpu:1"] isolated ["cpu:1"] {
  %v = exec.variable @v on "cpu:0" : tensor<4xf32>
  %w = exec.parameter @w on "cpu:0" : tensor<128xf32>
  %a = exec.scratch 512 bytes on "cpu:0"
  %big = exec.scratch 2048 bytes on "cpu:0"
  exec.program on "cpu:0" queue 0 {
    exec.fill "a" %a : 512
    exec.copy "big" %a to %big : 512
  }
}
exec.entry @second on ["cpu:0", "cpu:1"] isolated ["cpu:1"] {
  %v = exec.variable @v on "cpu:0" : tensor<4xf32>
  %w = exec.parameter @w on "cpu:1" : tensor<128xf32>
  %a = exec.scratch 1024 bytes on "cpu:0"
  %c = exec.scratch 512 bytes on "cpu:0"
  %d = exec.scratch 512 bytes on "cpu:1"
  exec.program on "cpu:0" queue 0 {
    exec.fill "a" %a : 1024
    exec.copy "c" %a to %c : 512
    exec.record 0
  }
  exec.program on "cpu:1" queue 0 {
    exec.wait 0
    exec.copy "d" %c to %d : 512
  }
}
