"""Runs graphs that draw random numbers, and compares every bit with numpy.

usage: random_numbers.py FOLDER ORACLES
"""
import os
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
sys.path.insert(0, sys.argv[2])
from oracles.draws import (  # noqa: E402
    UNIT, dropout, normal, numbers, uniform)

RNG = np.random.default_rng(1)
MATRIX = RNG.standard_normal((6, 10)).astype(np.float32)
IMAGES = RNG.integers(1, 9, (2, 8, 5, 5)).astype(np.float32)
LARGE = RNG.standard_normal((1025, 523)).astype(np.float32)
MOST = 2**63 - 1


def drop(x, step, **attributes):
    return dropout(x, step, attributes).astype(np.float32)


def text_of(attributes):
    return "{" + ", ".join(f"{name} = {value}" for name, value in
                           attributes.items()) + "}"


def shape_of(array):
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + "f32>"


def identity_conv(name, source):
    return f"%{name} = weir.conv %{source}, %w : {I}, tensor<8x8x1x1xf32>"


ONE = {"stream": 7, "seed": 5}


def drop_op(kind):
    return f"weir.dropout %x, %step {text_of(ONE)} : {kind}, tensor<i64>"


M = "tensor<6x10xf32>"
I = "tensor<2x8x5x5xf32>"
IDENTITY = "%w = weir.constant dense<[" + ", ".join(
    "[" + ", ".join(f"[[{float(i == j)}]]" for j in range(8)) + "]"
    for i in range(8)) + "]> : tensor<8x8x1x1xf32>"
# For each name: x, the ops, and what numpy makes of x and the step.
GRAPHS = {
    "dropout": (MATRIX, "%y = " + drop_op(M),
                lambda x, s: drop(x, s, **ONE)),
    # What follows takes elements elsewhere, and they keep their numbers.
    "sliced": (MATRIX, f"%d = {drop_op(M)}\n%y = weir.slice %d "
               f"{{starts = [3, 1], sizes = [2, 4], steps = [1, 2]}} : {M}",
               lambda x, s: drop(x, s, **ONE)[3:5, 1:9:2]),
    "transposed": (MATRIX, f"%d = {drop_op(M)}\n%t = weir.transpose %d "
                   f"{{perm = [1, 0]}} : {M}\n"
                   "%y = weir.neg %t : tensor<10x6xf32>",
                   lambda x, s: -drop(x, s, **ONE).T),
    "reshaped": (MATRIX, f"%d = {drop_op(M)}\n%r = weir.reshape %d "
                 f"{{shape = [4, 15]}} : {M}\n"
                 "%y = weir.neg %r : tensor<4x15xf32>",
                 lambda x, s: -drop(x, s, **ONE).reshape(4, 15)),
    # What comes before does not matter either.
    "of a slice": (MATRIX, "%x1 = weir.slice %x {starts = [2, 0], "
                   f"sizes = [3, 10]}} : {M}\n%y = weir.dropout %x1, %step "
                   f"{text_of(ONE)} : tensor<3x10xf32>, tensor<i64>",
                   lambda x, s: drop(x[2:5], s, **ONE)),
    "of a transpose": (MATRIX, f"%x1 = weir.transpose %x {{perm = [1, 0]}} : "
                       f"{M}\n%y = weir.dropout %x1, %step {text_of(ONE)} : "
                       "tensor<10x6xf32>, tensor<i64>",
                       lambda x, s: drop(x.T, s, **ONE)),
    "of a reshape": (MATRIX, f"%n = weir.neg %x : {M}\n%x1 = weir.reshape %n "
                     f"{{shape = [3, 20]}} : {M}\n%y = weir.dropout %x1, %step "
                     f"{text_of(ONE)} : tensor<3x20xf32>, tensor<i64>",
                     lambda x, s: drop(-x.reshape(3, 20), s, **ONE)),
    "concat": (MATRIX, f"%d = {drop_op(M)}\n"
               f"%y = weir.concat %x, %d {{axis = 0}} : {M}, {M}",
               lambda x, s: np.concatenate([x, drop(x, s, **ONE)])),
    # Rows are computed apart, as ones whose sums are exact.
    "row sums": (np.ones((300, 37), np.float32), "%d = " + drop_op(
        "tensor<300x37xf32>") + "\n%y = weir.reduce_sum %d {axes = [1], "
        "keepdims = false} : tensor<300x37xf32>",
        lambda x, s: drop(x, s, **ONE).sum(1)),
    # Channels-last in memory.
    "between convs": (IMAGES, "\n".join([
        IDENTITY, identity_conv("c", "x"),
        f"%d = weir.dropout %c, %step {text_of(ONE)} : {I}, tensor<i64>",
        identity_conv("y", "d")]), lambda x, s: drop(x, s, **ONE)),
    "gradient between convs": (IMAGES, "\n".join([
        IDENTITY, identity_conv("c", "x"),
        f"%d = weir.dropout %c, %step {text_of(ONE)} : {I}, tensor<i64>",
        identity_conv("e", "d"), f"%p = weir.mul %e, %e : {I}, {I}",
        f"%l = weir.reduce_sum %p {{keepdims = false}} : {I}",
        f"%y = weir.gradient %l of %x : tensor<f32> of {I}"]),
        lambda x, s: 2 * 2 * drop(x, s, **ONE)),
    "large": (LARGE, "%y = " + drop_op(shape_of(LARGE)),
              lambda x, s: drop(x, s, **ONE)),
    "uniform": (MATRIX, "%u = weir.random_uniform %step {shape = [6, 10], "
                f"type = f32}} : tensor<i64>\n%y = weir.mul %x, %u : {M}, {M}",
                lambda x, s: x * uniform_named("u", s, (6, 10))),
    # Computed by the compiler.
    "constant step": (MATRIX, "%c = weir.constant dense<-4> : tensor<i64>\n"
                      "%u = weir.random_uniform %c {shape = [6, 10], "
                      "stream = 9, type = f32} : tensor<i64>\n"
                      f"%y = weir.mul %x, %u : {M}, {M}",
                      lambda x, s: x * (numbers(-4, {"stream": 9}, (6, 10))
                                        * UNIT).astype(np.float32)),
    "gradient": (MATRIX, f"%d = {drop_op(M)}\n%p = weir.mul %d, %d : "
                 f"{M}, {M}\n%l = weir.reduce_sum %p {{keepdims = false}} : "
                 f"{M}\n%y = weir.gradient %l of %x : tensor<f32> of {M}",
                 lambda x, s: 2 * 2 * drop(x, s, **ONE)),
}
STREAMS = {}


def uniform_named(name, step, shape):
    """With the stream that the compiler has given the op."""
    return (numbers(step, {"stream": STREAMS[name]}, shape) * UNIT).astype(
        np.float32)


# Where no code is generated, the reference kernels run.
LIBRARY = os.path.join(FOLDER, "library.json")
with open(LIBRARY, "w", encoding="utf-8") as topology:
    topology.write('{"devices": [{"name": "cpu:0", '
                   '"excluded_kernels": ["generated"]}]}')
FLAGS = {
    "generated": [],
    "one thread": ["--threads=1"],
    "reference": [f"--topology={LIBRARY}", "--allow-reference"],
    "older": ["--target-cpu=x86-64-v3"],
    "gpu": ["--devices=emu:0"],
}


def compile_graph(name, x, ops, result, flags):
    path = os.path.join(FOLDER, name.replace(" ", "-"))
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(f"func.func @main(%x: {shape_of(x)}, %step: tensor<i64>) -> "
                   f"{shape_of(result)} {{\n{ops}\n"
                   f"return %y : {shape_of(result)}\n}}\n")
    subprocess.run(["graph-compile", path + ".mlir", "-o", path + ".weir",
                    *flags], check=True)
    return path


def read_streams(path):
    lifted = subprocess.run(
        ["graph-compile", path + ".mlir", "--emit=lifted"],
        capture_output=True, text=True, check=True).stdout
    for line in lifted.splitlines():
        if "stream = " in line:
            STREAMS[line.split("=")[0].strip().removeprefix("%")] = int(
                line.split("stream = ")[1].split()[0])


def run(path, x, step):
    np.save(FOLDER + "/x.npy", x)
    np.save(FOLDER + "/step.npy", np.int64(step))
    subprocess.run(["graph-run", path + ".weir", f"--input=x={FOLDER}/x.npy",
                    f"--input=step={FOLDER}/step.npy",
                    f"--output=y={path}.npy"], check=True)
    return np.load(path + ".npy")


STREAMS["u"] = 0
for graph, (data, body, expected) in GRAPHS.items():
    for kind, options in FLAGS.items():
        # It is slow, and has no convolution.
        if (kind, graph) in {("reference", "large"), ("gpu", "large"),
                             ("gpu", "between convs"),
                             ("gpu", "gradient between convs")}:
            continue
        like = expected(data, 0)
        file = compile_graph(graph, data, body, like, options)
        read_streams(file)
        same = all(np.array_equal(run(file, data, step), expected(data, step))
                   for step in (0, 3, MOST, -MOST - 1))
        print(f"{graph}, {kind}:", "as numpy" if same else "NOT as numpy")


def round_alike(name, op, attributes, oracle):
    """Compares numbers that are computed from the drawn ones and rounded."""
    drawn = {"shape": [6, 10], "type": "f32", "stream": 9, **attributes}
    ops = (f"%d = weir.{op} %step {text_of(drawn)} : tensor<i64>\n"
           f"%y = weir.mul %x, %d : {M}, {M}")
    ones = np.ones_like(MATRIX)
    found = {kind: [run(compile_graph(name, ones, ops, ones, flags), ones, step)
                    for step in (0, 3)] for kind, flags in FLAGS.items()}
    exact = [oracle(step, drawn) for step in (0, 3)]
    for kind, results in found.items():
        isNear = np.allclose(results, exact, rtol=1e-6, atol=1e-6)
        # The reference kernels compute in f64.
        isEqual = kind == "reference" or np.array_equal(results,
                                                        found["generated"])
        print(f"{name}, {kind}:", "near numpy" if isNear else "NOT near numpy",
              "with the bits of others" if isEqual else "with NOT these bits")


round_alike("normal", "random_normal", {"mean": 2.0, "scale": 3.0}, normal)
round_alike("bounds", "random_uniform", {"low": -0.1, "high": 0.3}, uniform)
