#!/usr/bin/env python3
"""many-kernels.py N: a graph of N kernels, no two of one shape."""

import sys

number = int(sys.argv[1])
types = [f"tensor<3x{size + 1}xf32>" for size in range(number)]
print("func.func @main(" +
      ", ".join(f"%x{i}: {type}" for i, type in enumerate(types)) + ") -> (" +
      ", ".join(types) + ") {")
for i, type in enumerate(types):
    print(f"  %y{i} = weir.tanh %x{i} : {type}")
print("  return " + ", ".join(f"%y{i}" for i in range(number)) + " : " +
      ", ".join(types))
print("}")
