#!/usr/bin/env python3
"""Compiles random graphs with their gradients in f32, and compares losses and
gradients with what the reference kernels compute in f64. These are compared
with central differences by weir-gradient-check (test/Ops/gradients.test).
"""
import argparse
import pathlib
import re

import numpy as np

from batch import Batch, check, run_tool

TOLERANCE = 1e-4


def read_graphs(options):
    text = run_tool("weir-gradient-check", f"--random={options.count}",
                    f"--seed={options.first}", "--print")
    return re.findall(r"^func\.func .*?^\}$", text, re.M | re.S)


def shapes_of(types):
    return [[int(size) for size in dims.split("x")[:-1]]
            for dims in re.findall(r"tensor<((?:\d+x)*)f64>", types)]


def convert(text, element, dtype):
    """The graph with all floats of one type."""
    def encode(found):
        values = np.frombuffer(bytes.fromhex(found[1]), np.float64)
        return f'dense<"0x{values.astype(dtype).tobytes().hex()}">'
    text = re.sub(r'dense<"0x([0-9A-F]*)">(?= : tensor<[0-9x]*f64>)', encode,
                  text)
    return re.sub(r"f64(?=[>,)\s])", element, text)


def split_outputs(path, dtype, shapes):
    data, results, at = np.fromfile(path, dtype), [], 0
    for shape in shapes:
        size = int(np.prod(shape, dtype=int))
        results.append(data[at:at + size].astype(np.float64))
        at += size
    check(at == data.size, f"{path} has {data.size} elements, not {at}")
    return results


def compute(batch, case, text, work, element, flags):
    """The outputs in f64 or f32, from the same numbers."""
    arguments, results = re.match(r"func\.func @\w+\((.*?)\) -> \((.*?)\) \{",
                                  text).groups()
    random = np.random.default_rng(3)
    inputs, dtype = [], {"f32": np.float32, "f64": np.float64}[element]
    for number, shape in enumerate(shapes_of(arguments)):
        file = work / f"x{number}.npy"
        values = random.uniform(-1, 1, shape).astype(np.float32)
        np.save(file, values.astype(dtype))
        inputs.append(f"arg{number}={file}")
    source, outputs = work / "graph.mlir", work / "outputs.bin"
    source.write_text(convert(text, element, dtype))
    batch.run(case, text=source, outputs=outputs, inputs=inputs, **flags)
    return split_outputs(outputs, dtype, shapes_of(results))


def is_close(found, exact):
    """Compares norms of tensors: a sum of large numbers may be small."""
    return all(np.linalg.norm(f - e) <= TOLERANCE * (1 + np.linalg.norm(e))
               for f, e in zip(found, exact))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    compared = 0
    with Batch() as batch:
        for seed, text in enumerate(read_graphs(options), options.first):
            case = f"graph {seed}"
            exact = compute(batch, case, text, options.work, "f64",
                            {"allow_reference": True})
            if not all(np.isfinite(e).all() for e in exact):
                continue
            found = compute(batch, case, text, options.work, "f32", {})
            check(is_close(found, exact), f"{case} is off by " + str(
                [float(abs(f - e).max()) for f, e in zip(found, exact)]) +
                f":\n{text}")
            compared += 1
    check(compared >= options.count * 9 // 10,
          f"only {compared} graphs have finite gradients")
    print(f"{options.count} graphs: as by the reference kernels")


main()
