"""Runs ops that pick elements by indices in and out of range.

usage: run_time_indices.py FOLDER
"""

import os
import subprocess
import sys

import numpy

FOLDER = sys.argv[1]
X = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
U = -numpy.arange(1, 7, dtype=numpy.float32).reshape(2, 3)


def scatter_rows(indices):
    y = X.copy()
    y[indices[:, 0]] = U
    return y


def scatter_elements(indices):
    y = X.copy()
    numpy.put_along_axis(y, indices, U, 0)
    return y


# For each name: ops, the types of %i and %y, and what numpy makes of the
# indices.
GRAPHS = {
    "gather": (
        "%y = weir.gather %x, %i : tensor<4x3xf32>, tensor<2x2xi64>",
        "2x2xi64", "2x2x3xf32", lambda i: X[i]),
    "gather_nd": (
        "%y = weir.gather_nd %x, %i : tensor<4x3xf32>, tensor<3x2xi32>",
        "3x2xi32", "3xf32", lambda i: X[i[:, 0], i[:, 1]]),
    "take_along_axis": (
        "%y = weir.take_along_axis %x, %i {axis = 1} : "
        "tensor<4x3xf32>, tensor<4x2xi32>",
        "4x2xi32", "4x2xf32", lambda i: numpy.take_along_axis(X, i, 1)),
    "scatter_elements": (
        "%y = weir.scatter_elements %x, %i, %u : "
        "tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>",
        "2x3xi64", "4x3xf32", scatter_elements),
    "scatter_nd": (
        "%y = weir.scatter_nd %x, %i, %u : "
        "tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>",
        "2x1xi64", "4x3xf32", scatter_rows),
    "computed": (
        "%one = weir.constant dense<1> : tensor<2xi64>\n"
        "  %j = weir.add %i, %one : tensor<2xi64>, tensor<2xi64>\n"
        "  %picked = weir.gather %x, %j : tensor<4x3xf32>, tensor<2xi64>\n"
        "  %y = weir.relu %picked : tensor<2x3xf32>",
        "2xi64", "2x3xf32", lambda i: X[i + 1]),
}

# Where no code is generated, the reference kernels of the ops' bodies run.
LIBRARY = os.path.join(FOLDER, "library.json")
with open(LIBRARY, "w", encoding="utf-8") as topology:
    topology.write('{"devices": [{"name": "cpu:0", '
                   '"excluded_kernels": ["generated"]}]}')
REFERENCE = [f"--topology={LIBRARY}", "--allow-reference"]


def compile_graph(op, flags):
    text, indices, result, _ = GRAPHS[op]
    path = os.path.join(FOLDER, op)
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(
            "func.func @main(%x: tensor<4x3xf32>, %u: tensor<2x3xf32>, "
            f"%i: tensor<{indices}>) -> tensor<{result}> {{\n  {text}\n"
            f"  return %y : tensor<{result}>\n}}\n")
    subprocess.run(
        ["graph-compile", path + ".mlir", "-o", path + ".weir", *flags],
        check=True)
    return path


def run(op, what, indices, flags=()):
    path = compile_graph(op, flags)
    *dims, kind = GRAPHS[op][1].split("x")
    indices = numpy.array(indices, kind.replace("i", "int"))
    indices = indices.reshape([int(dim) for dim in dims])
    words = ["graph-run", path + ".weir", "--output", f"y={path}.npy"]
    for name, value in (("x", X), ("u", U), ("i", indices)):
        numpy.save(os.path.join(FOLDER, name + ".npy"), value)
        words += ["--input", f"{name}={FOLDER}/{name}.npy"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode == 0:
        equal = numpy.array_equal(numpy.load(path + ".npy"),
                                  GRAPHS[op][3](indices))
        print(f"{op} {what}:", "as numpy" if equal else "not as numpy")
    else:
        print(f"{op} {what}:", ran.stderr.split("error: ")[-1].strip())


run("gather", "in range", [-4, 3, 0, -1])
run("gather", "4", [0, 1, 4, 2])
run("gather", "-5", [0, 1, -5, 2])
run("gather_nd", "in range", [3, 2, -4, -3, 0, 0])
run("gather_nd", "second dim", [3, 2, 3, 3, 0, 0])
run("take_along_axis", "in range", [-3, 2, 0, 1, 2, 2, -1, 0])
run("take_along_axis", "40000", [0, 0, 0, 0, 0, 0, 0, 40000])
run("scatter_elements", "in range", [3, -4, 1, 2, 1, 0])
run("scatter_elements", "-5", [3, -4, 1, 2, -5, 0])
run("scatter_nd", "in range", [3, -4])
run("scatter_nd", "4", [3, 4])
run("computed", "in range", [2, 0])
run("computed", "4", [2, 3])
run("gather", "in range, reference", [-4, 3, 0, -1], REFERENCE)
run("gather", "4, reference", [0, 1, 4, 2], REFERENCE)
run("gather_nd", "in range, reference", [3, 2, -4, -3, 0, 0], REFERENCE)
run("gather_nd", "second dim, reference", [3, 2, 3, 3, 0, 0], REFERENCE)
run("scatter_elements", "in range, reference", [3, -4, 1, 2, 1, 0], REFERENCE)
run("scatter_elements", "-5, reference", [3, -4, 1, 2, -5, 0], REFERENCE)
run("scatter_nd", "in range, reference", [3, -4], REFERENCE)
run("scatter_nd", "4, reference", [3, 4], REFERENCE)
run("computed", "4, isolated", [2, 3],
    ["--devices=cpu:0-1", "--place=y=cpu:1", "--place=picked=cpu:1",
     "--place=j=cpu:0", "--isolated"])
