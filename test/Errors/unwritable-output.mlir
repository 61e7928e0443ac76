// Outputs that cannot be written: an error with the path and the reason, and
// what was there stays.
// RUN: rm -rf %t && mkdir %t && cp %s %t/net.mlir
// RUN: %exits 1 graph-compile %t/net.mlir -o %t/no/net.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: %exits 1 graph-compile %t/net.mlir -o /dev/full 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FULL
// RUN: %exits 1 graph-compile %t/net.mlir --emit=placed -o %t/no/net.txt 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TEXT
// RUN: %exits 1 graph-compile %t/net.mlir -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIR
// RUN: %exits 2 graph-compile %t/net.mlir -o %t/net.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INPUT
// RUN: %exits 2 graph-compile %t/net.mlir -o %t/../%basename_t.tmp/net.mlir \
// RUN:   --emit=exec 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: cmp %s %t/net.mlir
// RUN: %exits 2 graph-compile %t/net.mlir -o %t/other.onnx 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRAPH
// RUN: %exits 2 graph-compile %t/net.mlir -o %t/exec.weir --emit=exec 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARTIFACT
// RUN: not ls %t/other.onnx %t/exec.weir
// RUN: %exits 1 %python %weir_src/test/Inputs/full-disk.py \
// RUN:   graph-compile %t/net.mlir --emit=placed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STDOUT
// RUN: %exits 1 %python %weir_src/test/Inputs/full-disk.py \
// RUN:   graph-compile %t/net.mlir -o %t/net.weir --stats=json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STDOUT

// The runs write y, a report, and a trace.
// RUN: %exits 1 graph-run %t/net.weir --input x=random \
// RUN:   --output y=%t/no/y.npy 2>&1 | FileCheck %s --check-prefix=RUN-FOLDER
// RUN: %exits 1 graph-run %t/net.weir --input x=random --output y=/dev/full \
// RUN:   2>&1 | FileCheck %s --check-prefix=RUN-FULL
// RUN: %exits 1 graph-run %t/net.weir --input x=random \
// RUN:   --output-dir %t/net.weir 2>&1 | FileCheck %s --check-prefix=RUN-DIR
// RUN: %exits 1 graph-run %t/net.weir --input x=random \
// RUN:   --profile=%t/no/trace.json 2>&1 | FileCheck %s --check-prefix=PROFILE
// What cannot be written is found before the run: nothing else is written.
// RUN: %exits 1 graph-run %t/net.weir --input x=random --output y=%t/y.npy \
// RUN:   --profile=%t/no/trace.json 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not ls %t/y.npy
// RUN: mkdir -p %t/dir/y.npy
// RUN: %exits 1 graph-run %t/net.weir --input x=random --output-dir %t/dir \
// RUN:   --profile=%t/trace.json 2>&1 | FileCheck %s --check-prefix=RUN-INSIDE
// RUN: not ls %t/trace.json
// RUN: echo junk > %t/junk.mlir
// RUN: %exits 1 graph-compile %t/junk.mlir -o %t/no/net.weir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: %exits 1 %python %weir_src/test/Inputs/full-disk.py \
// RUN:   graph-run %t/net.weir --input x=random --json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STDOUT
// RUN: %exits 1 %python %weir_src/test/Inputs/full-disk.py \
// RUN:   graph-dump %t/net.weir 2>&1 | FileCheck %s --check-prefix=STDOUT

// FOLDER: graph-compile: error: cannot write '{{.*}}no/net.weir': no such file or directory
// FULL: graph-compile: error: cannot write '/dev/full': no space left on device
// TEXT: graph-compile: error: cannot write '{{.*}}no/net.txt': no such file or directory
// DIR: graph-compile: error: cannot write '{{.*}}': is a directory
// INPUT: graph-compile: error: -o would write over '{{.*}}net.mlir', which is read as the graph; name another file to write
// GRAPH: graph-compile: error: -o {{.*}}other.onnx: this would be an artifact, and the name is that of a graph; name a file that ends in .weir
// ARTIFACT: graph-compile: error: -o {{.*}}exec.weir: this would be IR, and the name is that of an artifact; name a file that ends in .mlir
// STDOUT: error: cannot write to standard output: no space left on device
// RUN-FOLDER: graph-run: error: output 'y': cannot write '{{.*}}no/y.npy': no such file or directory
// RUN-FULL: graph-run: error: output 'y': cannot write '/dev/full': no space left on device
// RUN-DIR: graph-run: error: cannot make the folder '{{.*}}net.weir': not a directory
// RUN-INSIDE: graph-run: error: output 'y': cannot write '{{.*}}dir/y.npy': is a directory
// PROFILE: graph-run: error: --profile: cannot write '{{.*}}no/trace.json': no such file or directory
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = weir.softmax %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
