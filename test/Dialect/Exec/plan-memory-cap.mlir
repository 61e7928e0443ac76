// A memory cap that cannot be met is an error that names the smallest possible.

// RUN: graph-opt %s --verify-diagnostics --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{memory-cap=cpu:0=2KiB}))'
// RUN: graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{memory-cap=cpu:0=3KiB}))' | FileCheck %s
// RUN: not graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{memory-cap=cpu:0=3kilo}))' 2>&1 | FileCheck %s --check-prefix=MALFORMED
// RUN: not graph-opt %s --pass-pipeline='builtin.module(exec.entry(exec-plan-memory{memory-cap=cpu:1=3KiB}))' 2>&1 | FileCheck %s --check-prefix=UNUSED

// CHECK: exec.arena 3072 bytes
// MALFORMED: memory cap 'cpu:0=3kilo' expects DEVICE=SIZE, the size in bytes or with KiB, MiB or GiB and below 2^64 bytes, as in cpu:0=64MiB
// UNUSED: memory cap 'cpu:1=3KiB' names a device that is not used; expected one of cpu:0

// expected-error @+1 {{device "cpu:0" has a memory cap of 2048 bytes; the smallest cap that can be met is 3072 bytes}}
exec.entry @main on ["cpu:0"] {
  %a = exec.scratch 1024 bytes on "cpu:0"
  %b = exec.scratch 2048 bytes on "cpu:0"
  exec.program on "cpu:0" queue 0 {
    exec.fill "a" %a : 1024
    exec.copy "b" %a to %b : 1024
  }
}
