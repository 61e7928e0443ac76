"""Runs reductions to few elements on 1 to 8 threads and compares with numpy.

usage: whole_reductions.py FOLDER
"""

import json
import os
import subprocess
import sys

import numpy

FOLDER = sys.argv[1]
THREADS = (1, 2, 3, 4, 5, 6, 7, 8)
random = numpy.random.default_rng(11)


def tensor(array):
    dims = "".join(f"{dim}x" for dim in array.shape)
    kinds = {"float32": "f32", "int64": "i64", "bool": "i1"}
    return f"tensor<{dims}{kinds[str(array.dtype)]}>"


def run_on(threads, artifact, inputs):
    arguments = []
    for name, array in inputs.items():
        path = os.path.join(FOLDER, name + ".npy")
        numpy.save(path, array)
        arguments.append(f"--input={name}={path}")
    report = subprocess.run(
        ["graph-run", artifact, *arguments, f"--threads={threads}", "--no-pin",
         f"--output-dir={FOLDER}", "--json"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    launches = json.loads(report.stdout)["devices"][0]["launches"]
    return launches, numpy.load(os.path.join(FOLDER, "y.npy"))


def check_op(what, op, inputs, expected, attributes=""):
    names = ", ".join("%" + name for name in inputs)
    types = ", ".join(tensor(array) for array in inputs.values())
    check(what, f"%y = weir.{op} {names} {attributes} : {types}", inputs,
          expected)


def check(what, ops, inputs, expected):
    """`ops` on `inputs` have to give `expected` within 2e-6 of its largest."""
    arguments = ", ".join(f"%{name}: {tensor(array)}"
                          for name, array in inputs.items())
    source = os.path.join(FOLDER, "net.mlir")
    with open(source, "w") as text:
        text.write(f"func.func @main({arguments}) -> {tensor(expected)} {{\n"
                   f"  {ops}\n"
                   f"  return %y : {tensor(expected)}\n}}\n")
    artifact = os.path.join(FOLDER, "net.weir")
    subprocess.run(["graph-compile", source, "-o", artifact], check=True)
    runs = [run_on(threads, artifact, inputs) for threads in THREADS]
    launches, first = runs[0]
    error = numpy.abs(first.astype("float64") - expected).max()
    is_right = (first.shape == expected.shape
               and error <= 2e-6 * numpy.abs(expected.astype("float64")).max())
    are_same = all(first.tobytes() == other.tobytes() for _, other in runs)
    print(f"{what}: {launches} launches, "
          f"{'as numpy' if is_right else f'{error} off'}, "
          f"{'the same bits' if are_same else 'other bits'}")


def floats(*shape):
    return random.uniform(-0.4, 0.6, shape).astype("float32")


def single(array):
    return numpy.asarray(array).astype("float32")


def softmax(x):
    e = numpy.exp(x.astype("float64") - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normalized(x, scale, bias):
    wide = x.astype("float64")
    normal = (wide - wide.mean()) / numpy.sqrt(wide.var() + 1e-5)
    channels = (1, -1, 1, 1)
    return normal * scale.reshape(channels) + bias.reshape(channels)


def total(x, axis=None):
    return single(x.sum(axis, dtype="float64", keepdims=True))


for x in (floats(152339), floats(3, 5, 10007)):
    check_op(f"sums of {x.shape}", "reduce_sum", {"x": x}, total(x))
x = floats(4099, 48)
check_op(f"sums of {x.shape}, axis 0", "reduce_sum", {"x": x}, total(x, 0),
         "{axes = [0]}")
x = floats(2, 140001)
check_op(f"sums of {x.shape}, axis 1", "reduce_sum", {"x": x}, total(x, 1),
         "{axes = [1]}")
check_op(f"largest of {x.shape}, axis 1", "reduce_max", {"x": x},
         x.max(1, keepdims=True), "{axes = [1]}")
factors = single(random.choice([-1, 1], 262147))
factors[::50000] = 3
check_op(f"products of {factors.shape}", "reduce_prod", {"x": factors},
         single(factors.prod(dtype="float64", keepdims=True)))
check_op(f"means of {x.shape}, axis 1", "reduce_mean", {"x": x},
         single(x.mean(1, dtype="float64", keepdims=True)), "{axes = [1]}")
check_op(f"softmax of {x.shape}", "softmax", {"x": x}, single(softmax(x)))
check_op(f"index of the largest of {x.shape}", "arg_max", {"x": x},
         x.argmax(1).reshape(-1, 1), "{axis = 1 : i64}")
x, scale, bias = floats(1, 6, 151, 163), floats(6), floats(6)
check_op(f"norm of one group of {x.shape}", "group_norm",
         {"x": x, "s": scale, "b": bias}, single(normalized(x, scale, bias)),
         "{groups = 1 : i64}")
truths = numpy.zeros(152339, dtype=bool)
truths[152338] = True
check_op(f"truth of {truths.shape}", "reduce_max", {"x": truths},
         truths.max(keepdims=True))

x, z = floats(131, 1013), floats(131, 1013)
check("mean square of a difference", """
  %d = weir.sub %x, %z : tensor<131x1013xf32>, tensor<131x1013xf32>
  %q = weir.mul %d, %d : tensor<131x1013xf32>, tensor<131x1013xf32>
  %y = weir.reduce_mean %q : tensor<131x1013xf32>""", {"x": x, "z": z},
      single(((x - z).astype("float64") ** 2).mean(keepdims=True)))
x, label = floats(1, 152339), numpy.array([[140001]])
check("loss", """
  %l = weir.log_softmax %x : tensor<1x152339xf32>
  %p = weir.take_along_axis %l, %label {axis = 1 : i64}
      : tensor<1x152339xf32>, tensor<1x1xi64>
  %y = weir.neg %p : tensor<1x1xf32>""", {"x": x, "label": label},
      single(-numpy.log(softmax(x)[:, label[0]])))
