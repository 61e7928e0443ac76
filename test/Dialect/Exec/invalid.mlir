// Each op says what is wrong with it.

// RUN: graph-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{lists device 'cpu:0' twice}}
exec.entry @main on ["cpu:0", "cpu:0"] {
}

// -----

// expected-error @+1 {{expects 'threads' from 0 to 1024, found 65537}}
exec.entry @main on ["cpu:0" {threads = 65537}] {
}

// -----

// expected-error @+1 {{expects a text as option 'cores', found 0 : i64}}
exec.entry @main on ["cpu:0" {options = {cores = 0}}] {
}

// -----

// expected-error @+1 {{has 'groups' of 1 devices and lists 2}}
exec.entry @main on ["cpu:0" {groups = 3}, "cpu:1"] {
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{is on device 'cpu:1', which the entry does not list: expected one of ["cpu:0"]}}
  %x = exec.input 0 "x" on "cpu:1" : tensor<4xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  // expected-error @+1 {{is the second one of index 0}}
  %y = exec.input 0 "y" on "cpu:0" : tensor<4xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects a row-major tensor of static shape, found 'tensor<?xf32>'}}
  %x = exec.input 0 "x" on "cpu:0" : tensor<?xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects a row-major tensor of static shape}}
  %x = exec.output 0 "x" on "cpu:0" : tensor<2x2xf32, #weir.layout<[1, 0]>>
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{holds parameter @w, which is not declared; declare it with 'weir.parameter @w : tensor<4xf32> from "FILE.safetensors"'}}
  %w = exec.parameter @w on "cpu:0" : tensor<4xf32>
}

// -----

// expected-note @+1 {{declared here}}
weir.parameter @w : tensor<2xf32> from "w.safetensors"
exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects type 'tensor<2xf32>' of parameter @w, found 'tensor<4xf32>'}}
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{has an offset, but device "cpu:0" has no arena}}
  %t = exec.scratch 16 bytes on "cpu:0" at 0
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{lies outside the arena of 256 bytes: 16 bytes at offset 256}}
  %t = exec.scratch 16 bytes on "cpu:0" at 256
  exec.arena 256 bytes on "cpu:0" lower_bound 256
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects a size that is not negative, found -1}}
  %t = exec.scratch -1 bytes on "cpu:0"
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects an offset that is a multiple of 64, found 8}}
  %t = exec.scratch 16 bytes on "cpu:0" at 8
  exec.arena 256 bytes on "cpu:0" lower_bound 256
}

// -----

// A buffer that nothing accesses needs nothing.
exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 300 bytes on "cpu:0" at 64
  %u = exec.scratch 16 bytes on "cpu:0" at 512
  // expected-error @+1 {{has 576 bytes, of which the buffers in it need 512; make it smaller, or run -exec-plan-memory}}
  exec.arena 576 bytes on "cpu:0" lower_bound 256
  exec.program on "cpu:0" queue compute {
    exec.fill "t" %t : 300
  }
}

// -----

// Nor is an alias or a version an access.
exec.entry @main on ["cpu:0", "cpu:1"] {
  %t = exec.scratch 300 bytes on "cpu:0" at 0
  %t1 = exec.version %t
  %a = exec.alias %t1 on "cpu:1"
  %u = exec.scratch 300 bytes on "cpu:0" at 512
  %u1 = exec.version %u
  %b = exec.alias %u1 on "cpu:1"
  // expected-error @+1 {{has 1024 bytes, of which the buffers in it need 512; make it smaller, or run -exec-plan-memory}}
  exec.arena 1024 bytes on "cpu:0" lower_bound 256
  exec.program on "cpu:1" queue compute {
    exec.fill "t" %a : 300
  }
}

// -----

// Numbers below 0 are written as such.
exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects 'bytes' from 0 to 140737488355328, found -1}}
  exec.arena -1 bytes on "cpu:0" lower_bound 0
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expects 'lower_bound' from 0 to 140737488355328, found -1}}
  exec.arena 0 bytes on "cpu:0" lower_bound -1
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected the role of a queue: compute, copy_in, copy_out, found 'copies'}}
  exec.arena 0 bytes on "cpu:0" queue copies lower_bound 0
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected the role of a queue: compute, copy_in, copy_out, found 'copy'}}
  %t = exec.scratch 16 bytes on "cpu:0" queue copy at 0
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected the role of a queue: compute, copy_in, copy_out, found 'download'}}
  exec.program on "cpu:0" queue download {
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects a size that is not negative, found -4}}
    exec.fill "t" %t : -4
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %s = exec.scratch 16 bytes on "cpu:0"
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects a size that is not negative, found -4}}
    exec.copy "t" %s to %t : -4
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.arena 0 bytes on "cpu:0" queue copy_out lower_bound 0
  // expected-error @+1 {{is the second one of device "cpu:0" queue copy_out}}
  exec.arena 0 bytes on "cpu:0" queue copy_out lower_bound 0
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{has 256 bytes, fewer than its lower bound of 512}}
  exec.arena 256 bytes on "cpu:0" lower_bound 512
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.arena 256 bytes on "cpu:0" lower_bound 256
  // expected-error @+1 {{is the second one of device "cpu:0"}}
  exec.arena 256 bytes on "cpu:0" lower_bound 256
}

// -----

exec.entry @main on ["cpu:0", "cpu:1" {isolated}] {
  %t = exec.scratch 16 bytes on "cpu:0"
  // expected-error @+1 {{needs devices that share memory, but cpu:1 is isolated; copy the bytes}}
  %a = exec.alias %t on "cpu:1"
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
  }
  // expected-error @+1 {{is the second one of queue compute of device "cpu:0"}}
  exec.program on "cpu:0" queue compute {
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected the role of a queue: compute, copy_in, copy_out, found '0'}}
  exec.program on "cpu:0" queue 0 {
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{is not a command of a program}}
    %c = weir.constant dense<0.0> : tensor<4xf32>
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{is not a buffer, arena or program of an entry}}
  %c = weir.constant dense<0.0> : tensor<4xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects a result}}
    exec.launch "y" by "k"(%x : tensor<4xf32>) -> () {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects flops from 0 up, found -1}}
    exec.launch "y" by "k"() -> (%y : tensor<4xf32>) {} flops -1
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %y = exec.output 0 "y" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects to last 0 ns or more, found -5}}
    exec.launch "y" by "k"() -> (%y : tensor<4xf32>) {} lasts -5
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects to last 0 ns or more, found -5}}
    exec.fill "zero" %t : 16 lasts -5
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue copy_in {
    // expected-error @+1 {{expects to last 0 ns or more, found -5}}
    exec.copy "x" %x to %t : 16 lasts -5
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue copy_in {
    // expected-error @+1 {{expects the number of a shared link from 0 to 4294967295, found 4294967297}}
    exec.copy "x" %x to %t : 16 lasts 5 over 4294967297
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue copy_in {
    // expected-error @+1 {{expects the number of a shared link from 0 to 4294967295, found -1}}
    exec.copy "x" %x to %t : 16 over -1
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{writes to a read-only buffer}}
    exec.launch "y" by "k"() -> (%x : tensor<4xf32>) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{needs 16 bytes at byte 4 of a buffer of 16}}
    exec.launch "y" by "k"() -> (%t[4] : tensor<4xf32>) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{needs 28 bytes at byte 0 of a buffer of 16}}
    exec.launch "y" by "k"() -> (%t : tensor<4xf32, #exec.strides<[2]>>) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{has a view at byte 2, where no 'f32' can lie}}
    exec.launch "y" by "k"() -> (%t[2] : tensor<2xf32>) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{strides [2] expect a tensor of 1 dims and no stride below 0, found rank 2}}
    exec.launch "y" by "k"() -> (%t : tensor<2x2xf32, #exec.strides<[2]>>) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects a weir.layout or exec.strides, found 'tensor<2x2xf32, "dense">'}}
    exec.launch "y" by "k"() -> (%t : tensor<2x2xf32, "dense">) {}
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{has a post-op that reads none of its 0 operands}}
    exec.launch "y" by "k"() -> (%t : tensor<4xf32>) {}
        then [#weir.post_op<algorithm = "binary_add", alpha = 0.0 : f64, beta = 0.0 : f64, operand = 0>]
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 32 bytes on "cpu:0"
  exec.program on "cpu:0" queue copy_in {
    // expected-error @+1 {{needs 32 bytes at byte 0 of a buffer of 16}}
    exec.copy "x" %x to %t : 32
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue copy_in {
    // expected-error @+1 {{is marked as a crossing, but both its buffers are on one device}}
    exec.copy "x" crossing %x to %t : 16
  }
}

// -----

exec.entry @main on ["cpu:0", "cpu:1"] {
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:1" queue compute {
    // expected-error @+1 {{of 0 bytes expects a target that is an alias of its source}}
    exec.copy "x" crossing %x to %t : 0
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{needs 16 bytes at byte 4 of a buffer of 16}}
    exec.fill "zero" %t[4] : 16
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %y = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{expects a launch or a copy before it}}
    exec.tensor 0 "y" %y : tensor<4xf32>
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %y = exec.scratch 16 bytes on "cpu:0"
  %z = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.copy "y" %z to %y : 16
    // expected-error @+1 {{needs 20 bytes at byte 0 of a buffer of 16}}
    exec.tensor 0 "y" %y : tensor<5xf32>
  }
}

// -----

// expected-error @+1 {{expects 'in_flight' from 1 to 256, found 257}}
exec.entry @main on ["cpu:0"] in_flight 257 {
}

// -----

exec.entry @main on ["cpu:0", "cpu:1" {isolated}] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:1"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{on cpu:0 accesses the memory of cpu:1, but reaches that of the host only; copy the bytes}}
    exec.fill "t" %t : 16
  }
}

// -----

exec.entry @main on ["cpu:0" {isolated}, "cpu:1"] {
  // expected-note @+1 {{the buffer}}
  %x = exec.input 0 "x" : tensor<4xf32>
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{on cpu:0 accesses the memory of the host, but reaches that of cpu:0 only; copy the bytes}}
    exec.launch "t" by "k"(%x : tensor<4xf32>) -> (%t : tensor<4xf32>) {}
  }
}

// -----

weir.parameter @w : tensor<4xf32> from "w.safetensors"
exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the variable}}
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{writes to the value with which a run begins; write to an exec.version of it}}
    exec.fill "w" %w : 16
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  // expected-error @+1 {{is the second one of its buffer; make a version of the first one}}
  %a = exec.version %t
  %b = exec.version %t
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %x = exec.input 0 "x" on "cpu:0" : tensor<4xf32>
  // expected-error @+1 {{is of a read-only buffer}}
  %a = exec.version %x
}

// -----

exec.entry @main on ["cpu:0", "cpu:1"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  %a = exec.alias %t on "cpu:1"
  // expected-error @+1 {{is of an alias; expected a version of the buffer itself}}
  %b = exec.version %a
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.arena 256 bytes on "cpu:0" queue copy_in lower_bound 256
  // expected-error @+1 {{has an offset, but device "cpu:0" queue compute has no arena}}
  %t = exec.scratch 16 bytes on "cpu:0" queue compute at 0
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{makes 0 trips; expected 1 to 16777216}}
    exec.repeat 0 {
      exec.record 0
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{repeats nothing; expected a command}}
    exec.repeat 2 {
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    exec.repeat 1 { exec.repeat 1 { exec.repeat 1 { exec.repeat 1 { exec.repeat 1 { exec.repeat 1 { exec.repeat 1 { exec.repeat 1 {
    // expected-error @+1 {{is inside of 8 repeats; no more may surround a command}}
    exec.repeat 1 {
      exec.record 0
    }
    } } } } } } } }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 2 {
      exec.fill "t" %t : 16
      // expected-error @+1 {{is not a command of a program}}
      %c = weir.constant dense<0.0> : tensor<4xf32>
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  %s = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 2 {
      exec.copy "t" %s to %t : 16
      // expected-error @+1 {{expects parent op 'exec.program'}}
      exec.tensor 0 "t" %t : tensor<4xf32>
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{needs 8 bytes at byte 16 of a buffer of 16}}
      exec.fill "t" %t[0 step [8]] : 8
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{needs 8 bytes at byte -8 of a buffer of 16}}
      exec.fill "t" %t[8 step [-8]] : 8
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{has byte offset 9223372036854775807, which is beyond what a buffer can have}}
      exec.fill "t" %t[9223372036854775807 step [8]] : 8
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{has 1 steps; expected one for each of the 0 repeats around it}}
    exec.fill "t" %t[0 step [8]] : 8
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{moves a view by 2 bytes, where no 'f32' can lie}}
      exec.launch "t" by "k"() -> (%t[0 step [2]] : tensor<2xf32>) {}
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{records value -1; expected at least 1}}
      exec.record 0 value 3 step [-2]
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    exec.repeat 3 {
      // expected-error @+1 {{has values beyond 2147483647}}
      exec.wait 0 value 3 step [2147483647]
    }
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{says for 2 results what they overwrite; it has 1}}
    exec.launch "t" by "k"(%t : tensor<4xf32>) -> (%t : tensor<4xf32>) {} overwrites [0, -1]
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{result 0 overwrites operand 1; expected -1 or one of 1 operands}}
    exec.launch "t" by "k"(%t : tensor<4xf32>) -> (%t : tensor<4xf32>) {} overwrites [1]
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  exec.program on "cpu:0" queue compute {
    // expected-error @+1 {{result 0 of type tensor<4xf32> overwrites operand 0 of type tensor<2x2xf32>; expected the same type}}
    exec.launch "t" by "k"(%t : tensor<2x2xf32>) -> (%t : tensor<4xf32>) {} overwrites [0]
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  exec.program on "cpu:0" queue compute {
    exec.record 1
    // expected-error @+1 {{names event 2; expected one of 0 to 1, as the entry has 2 records and waits}}
    exec.wait 2
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{has index 9223372036854775807; expected one of 0 to 0, as the entry has 1 inputs}}
  %x = exec.input 9223372036854775807 "x" : tensor<4xf32>
}

// -----

weir.parameter @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
exec.entry @main on ["cpu:0"] {
  %w = exec.variable @w on "cpu:0" : tensor<4xf32>
  // expected-error @+1 {{is the second one of @w; use the first one, or an exec.version of it}}
  %again = exec.variable @w on "cpu:0" : tensor<4xf32>
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected a buffer that is declared before}}
  %a = exec.version %t
  %t = exec.scratch 16 bytes on "cpu:0"
}

// -----

exec.entry @main on ["cpu:0"] {
  %t = exec.scratch 16 bytes on "cpu:0"
  %u = exec.scratch 16 bytes on "cpu:0"
  // expected-error @+1 {{has another storage than its source}}
  %a = "exec.version"(%t, %u) : (!exec.buffer, !exec.buffer) -> !exec.buffer
}

// -----

exec.entry @main on ["cpu:0", "cpu:1"] {
  // expected-note @+1 {{the buffer}}
  %t = exec.scratch 16 bytes on "cpu:0" queue compute at 0
  %e = exec.scratch 0 bytes on "cpu:1" queue copy_in at 0
  %u = exec.scratch 16 bytes on "cpu:1" queue copy_in at 0
  exec.arena 16 bytes on "cpu:0" queue compute lower_bound 16
  exec.arena 16 bytes on "cpu:1" queue copy_in lower_bound 16
  exec.program on "cpu:0" queue compute {
    exec.fill "t" %t : 16
    exec.record 0
  }
  exec.program on "cpu:1" queue copy_in {
    exec.wait 0
    exec.copy "e" %e to %t : 0
    // expected-error @+1 {{of queue copy_in of cpu:1 accesses the arena of queue compute of cpu:0, whose bytes all runs share; leave out the queue of the buffer, or run -exec-plan-memory}}
    exec.copy "u" %t to %u : 16
  }
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{reads 't', which is defined below it; move the definition up}}
  %a = exec.alias %t on "cpu:0"
  %v = exec.version %a
  %t = exec.scratch 16 bytes on "cpu:0"
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{reads 'b', which is defined below it; move the definition up}}
  %a = exec.alias %b on "cpu:0"
  %b = exec.alias %a on "cpu:0"
  %v = exec.version %a
}

// -----

exec.entry @main on ["cpu:0"] {
  // expected-error @+1 {{expected the role of a queue: compute, copy_in, copy_out, found 'upload'}}
  "exec.program"() <{device = "cpu:0", queue = #exec.queue_role<upload>}> ({
  }) : () -> ()
}
