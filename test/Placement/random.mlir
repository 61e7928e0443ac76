// --placement=random:SEED draws among the devices that have the kernels and
// leaves annotations alone; a seed always draws the same.
// RUN: split-file %s %t
// RUN: %python %t/legal.py %t
// RUN: graph-compile %t/net.mlir --topology=%t/cpus.json \
// RUN:   --placement=random:7 --emit=placed > %t/first
// RUN: graph-compile %t/net.mlir --topology=%t/cpus.json \
// RUN:   --placement=random:7 --emit=placed > %t/second
// RUN: cmp %t/first %t/second

//--- net.mlir
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %a = weir.matmul %x, %w : tensor<32x32xf32>, tensor<32x32xf32>
  %b = weir.softmax %a {axis = 1} : tensor<32x32xf32>
  %c = weir.matmul %b, %w on "cpu:2" : tensor<32x32xf32>, tensor<32x32xf32>
  %d = weir.softmax %c {axis = 1} : tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}

//--- cpus.json
{"devices": [{"name": "cpu:0"}, {"name": "cpu:2"},
             {"name": "cpu:1", "excluded_kernels": ["matmul", "generated"]}]}

//--- legal.py
import json
import subprocess
import sys

folder = sys.argv[1]
drawn = {name: set() for name in "abcd"}
for seed in range(16):
    report = json.loads(subprocess.run(
        ["graph-compile", folder + "/net.mlir", "-o", folder + "/net.weir",
         "--topology=" + folder + "/cpus.json", "--explain=json",
         f"--placement=random:{seed}"],
        check=True, stdout=subprocess.PIPE).stdout)
    for group in report["groups"]:
        drawn[group["name"]].add(group["device"])
# 16 draws miss a device of three with a chance of about 0.005; seeds are fixed.
every = {"cpu:0", "cpu:1", "cpu:2"}
assert drawn == {"a": every - {"cpu:1"}, "b": every, "c": {"cpu:2"},
                 "d": every}, drawn
