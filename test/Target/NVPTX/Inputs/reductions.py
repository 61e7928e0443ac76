#!/usr/bin/env python3
"""Compares reductions and softmaxes of an emulated GPU with those of numpy: of
rows that a warp or a block reduces, with strips of four, two and one elements,
of columns, of two axes, and of all elements.
"""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.append(str(ROOT / "test" / "EndToEnd" / "Inputs"))
from batch import Batch, check  # noqa: E402 (its folder is added above)

TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16,
         "i8": np.int8, "i32": np.int32, "i64": np.int64, "ui8": np.uint8}
CASES = [((300, 37), (1,)), ((70, 66), (1,)), ((40, 384), (1,)),
         ((9, 1024), (1,)), ((5, 3000), (1,)), ((5, 3001), (1,)),
         ((500, 100), (0,)), ((6, 50, 20), (0, 2)), ((600, 500), (0, 1))]
OPS = {"sum": np.sum, "max": np.max, "min": np.min}


def softmax(values, axes):
    powers = np.exp(values - values.max(axes, keepdims=True))
    return powers / powers.sum(axes, keepdims=True)


def make_graph(name):
    """The graph, and for each result the case and what computes it."""
    inputs, body, results, types, expected = [], [], [], [], []

    def add(op, case, kept, attributes, compute):
        value = f"%{op}{case}"
        body.append(f"  {value} = weir.{op} %x{case} {{{attributes}}} : "
                    f"tensor<{'x'.join(map(str, CASES[case][0]))}x{name}>")
        results.append(value)
        types.append(f"tensor<{'x'.join(map(str, kept))}x{name}>")
        expected.append((case, compute))

    for case, (shape, axes) in enumerate(CASES):
        inputs.append(f"%x{case}: tensor<{'x'.join(map(str, shape))}x{name}>")
        kept = [1 if axis in axes else size for axis, size in enumerate(shape)]
        for op, compute in OPS.items():
            add("reduce_" + op, case, kept, f"axes = {list(axes)}",
                lambda x, axes, compute=compute: compute(x, axes))
        if name.startswith("f") and len(axes) == 1:
            add("softmax", case, shape, f"axis = {axes[0]}", softmax)
    return (f"func.func @main({', '.join(inputs)}) -> ({', '.join(types)}) {{\n"
            + "\n".join(body) + f"\n  return {', '.join(results)} : "
            f"{', '.join(types)}\n}}\n"), expected


def draw(random, shape, kind):
    if np.issubdtype(kind, np.floating):
        return random.standard_normal(shape).astype(kind)
    return random.integers(0, 100, shape).astype(kind)


def compare(batch, name, work):
    kind, random = TYPES[name], np.random.default_rng(1)
    source, outputs = work / "graph.mlir", work / "outputs.bin"
    text, expected = make_graph(name)
    source.write_text(text)
    values = [draw(random, shape, kind) for shape, _ in CASES]
    for case, value in enumerate(values):
        np.save(work / f"x{case}.npy", value)
    batch.run(name, text=source, outputs=outputs, devices="emu:0",
              inputs=[f"x{case}={work}/x{case}.npy"
                      for case in range(len(CASES))])
    found = np.fromfile(outputs, kind)
    is_float = np.issubdtype(kind, np.floating)
    for case, compute in expected:
        shape, axes = CASES[case]
        exact = values[case].astype(np.float64 if is_float else np.int64)
        right = compute(exact, axes).astype(np.float64 if is_float else kind)
        part, found = found[:right.size], found[right.size:]
        # A sum of n random numbers is about as far from exact as n roundings.
        near = np.finfo(kind).eps * exact.size ** 0.5 * 4 if is_float else 0
        check(np.allclose(part, right.ravel(), rtol=near, atol=near),
              f"{name}: {shape} over {axes}: {part[:4]}, not "
              f"{right.ravel()[:4]}")
    check(found.size == 0, f"{name}: more results than expected")


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    with Batch() as batch:
        for name in TYPES:
            compare(batch, name, work)
    print(f"{len(TYPES)} types: as numpy")


main()
