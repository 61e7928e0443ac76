#!/usr/bin/env python3
"""Prints a graph with a concat of 600 inputs, which is one kernel."""

count = 600
one = "tensor<16x1xf32>"
inputs = ", ".join(f"%x{i}: {one}" for i in range(count))
operands = ", ".join(f"%x{i}" for i in range(count))
print(f"func.func @main({inputs}) -> tensor<16x{count}xf32> {{")
print(f"  %y = weir.concat {operands} {{axis = 1}} : "
      + ", ".join([one] * count))
print(f"  return %y : tensor<16x{count}xf32>")
print("}")
