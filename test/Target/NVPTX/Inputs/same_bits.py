#!/usr/bin/env python3
"""Compares the bits of pointwise kernels for GPUs, which an emulated GPU runs,
with those of kernels for the CPU: for special values, and for numbers of random
bits.
"""
import argparse
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.append(str(ROOT / "test" / "EndToEnd" / "Inputs"))
from batch import Batch, check  # noqa: E402 (its folder is added above)

UNARY = ("abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor "
         "gelu log mish neg relu round rsqrt sigmoid sign silu sin sinh "
         "softplus sqrt tan tanh").split()
BINARY = "add div max min mul pow sub".split()
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, np.inf, -np.inf, np.nan, 1e-45,
     -1e-45, 1.1754942e-38, 1.1754944e-38, 3.4028235e38, -3.4028235e38,
     88.72284, -87.33655, -103.97208, 0.99999994, 1.0000001, 3.1415927],
    np.float32)


def draw(random, count):
    """Special values, each with each, and numbers of random bits."""
    bits = random.integers(0, 1 << 32, count, np.uint32).view(np.float32)
    left = np.concatenate([np.repeat(SPECIAL, len(SPECIAL)), bits])
    right = np.concatenate([np.tile(SPECIAL, len(SPECIAL)),
                            random.permutation(bits)])
    return left, right


def make_graph(op, size):
    kind = f"tensor<{size}xf32>"
    operands, types = ("%x, %y", f"{kind}, {kind}") if op in BINARY else (
        "%x", kind)
    return (f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{\n"
            f"  %z = weir.{op} {operands} : {types}\n"
            f"  return %z : {kind}\n}}\n")


def compare(batch, op, work, size):
    source, outputs = work / "graph.mlir", work / "outputs.bin"
    source.write_text(make_graph(op, size))
    found = []
    for flags in ({"devices": "cpu:0"},
                  {"devices": "emu:0"}):
        batch.run(op, text=source, outputs=outputs,
                  inputs=[f"{name}={work / name}.npy" for name in "xy"],
                  **flags)
        found.append(np.fromfile(outputs, np.float32))
    left, right = found
    differs = left.view(np.uint32) != right.view(np.uint32)
    check(not differs.any(), f"{op}: {differs.sum()} of {size} differ: "
          f"{left[differs][:4]} on the CPU, {right[differs][:4]} on the GPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1 << 14)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    left, right = draw(np.random.default_rng(1), options.count)
    np.save(options.work / "x.npy", left)
    np.save(options.work / "y.npy", right)
    with Batch() as batch:
        for op in UNARY + BINARY:
            compare(batch, op, options.work, len(left))
    print(f"{len(UNARY + BINARY)} ops: equal bits")


main()
