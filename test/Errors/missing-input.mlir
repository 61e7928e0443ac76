// An input that is not given, not known, given twice or not to be read lists
// what there is and what to write.
// RUN: graph-compile %s -o %t.weir
// RUN: %exits 1 graph-run %t.weir --input x=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MISSING
// RUN: %exits 1 graph-run %t.weir --input v=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 2 graph-run %t.weir --input x=random --input x=random:7 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: %exits 2 graph-run %t.weir --input x=random:z 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEED
// RUN: %exits 2 graph-run %t.weir --input x --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORM
// RUN: %exits 1 graph-run %t.weir --input x=%t.nowhere.npy --input w=random \
// RUN:   2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %exits 1 graph-run %t.weir --input x=%S --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: %exits 1 graph-run %t.weir --input x=/dev/zero --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: %exits 1 graph-run %t.weir --input x=%s --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOREIGN
// RUN: %python -c "import numpy; numpy.savez('%t.npz', numpy.ones(3))"
// RUN: %exits 1 graph-run %t.weir --input x=%t.npz --input w=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ARCHIVE

// MISSING: graph-run: error: input 'w' is missing; give --input w=FILE.npy or --input w=random; the inputs are 'x' 2x3xf32, 'w' 3x4xf32
// UNKNOWN: graph-run: error: --input v=random: there is no 'v'; there are 'x' 2x3xf32, 'w' 3x4xf32
// TWICE: graph-run: error: --input: 'x' is given twice, as 'x=random' and 'x=random:7'; give it once
// SEED: graph-run: error: --input x: the seed 'z' is not a number from 0 to 2^64 - 1; expected random or random:SEED
// FORM: graph-run: error: --input x: expected NAME=FILE
// FILE: graph-run: error: input 'x': cannot read '{{.*}}nowhere.npy': no such file or directory
// FOLDER: graph-run: error: input 'x': cannot read '{{.*}}': it is not a regular file
// FOREIGN: graph-run: error: input 'x': cannot read '{{.*}}': not an npy file: it does not begin with '\x93NUMPY'; save the array with numpy.save
// ARCHIVE: graph-run: error: input 'x': '{{.*}}.npz' is an .npz file with the array 'arr_0', expected one array (.npy); save the one that is meant, as in numpy.save('arr_0.npy', numpy.load('{{.*}}.npz')['arr_0'])
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %y = weir.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32>
  return %y : tensor<2x4xf32>
}
