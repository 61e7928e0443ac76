"""Runs ONNX nodes that draw random numbers.

usage: random_nodes.py FOLDER
"""
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

FOLDER = sys.argv[1] + "/"
FLOAT = onnx.TensorProto.FLOAT
X = np.arange(1, 40001, dtype=np.float32).reshape(200, 200) / 40000


def build(name, opset, nodes, outputs, constants=()):
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", FLOAT, X.shape)],
        [helper.make_tensor_value_info(output, kind, None)
         for output, kind in outputs.items()],
        [numpy_helper.from_array(np.array(value), key)
         for key, value in dict(constants).items()])
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8), FOLDER + name + ".onnx")
    subprocess.run(["graph-compile", FOLDER + name + ".onnx", "-o",
                    FOLDER + name + ".weir"], check=True)


def run(name, outputs, times=1):
    """The outputs of the last of some runs."""
    np.save(FOLDER + "x.npy", X)
    subprocess.run(["graph-run", FOLDER + name + ".weir",
                    f"--input=x={FOLDER}x.npy", f"--output-dir={FOLDER}out",
                    f"--repeat={times}"], check=True, stdout=subprocess.DEVNULL)
    return [np.load(f"{FOLDER}out/{output}.npy") for output in outputs]


def show(what, holds):
    print(what + ":", "yes" if holds else "NO")


def is_near(share, wanted, deviation):
    """Whether the mean of X.size numbers is within 5 standard deviations."""
    return abs(share - wanted) < 5 * deviation / X.size**0.5


TRAINING = {"ratio": np.float32(0.3), "on": np.bool_(True)}
node = helper.make_node
build("dropout", 13, [
    node("Dropout", ["x", "ratio", "on"], ["a", "mask"], name="a"),
    node("Dropout", ["x", "ratio", "on"], ["b"], name="b"),
    node("Dropout", ["x", "ratio", "on"], ["c"], name="c", seed=7)],
    {"a": FLOAT, "mask": onnx.TensorProto.BOOL, "b": FLOAT, "c": FLOAT},
    TRAINING)
a, mask, b, c = run("dropout", ["a", "mask", "b", "c"])
show("mask says what is kept", np.array_equal(mask, a != 0))
show("the rest is scaled", np.allclose(a[mask], X[mask] / 0.7, 1e-6))
show("two nodes drop others", is_near(np.mean((a == 0) == (b == 0)), 0.58, .5))
for dropped in a, b, c:
    show("share", is_near(np.mean(dropped == 0), 0.3, 0.46))
again = run("dropout", ["a"])[0]
show("same when loaded again", np.array_equal(a, again))
later = run("dropout", ["a"], 2)[0]
show("another run drops others",
     is_near(np.mean((a == 0) == (later == 0)), 0.58, 0.5))

build("old", 6, [node("Dropout", ["x"], ["a", "m"], name="a", ratio=0.3)],
      {"a": FLOAT, "m": FLOAT})
a, mask = run("old", ["a", "m"])
show("old mask", np.array_equal(mask, (a != 0).astype("f")))
show("old share", is_near(np.mean(mask), 0.7, 0.46))

# A mask does not change how numbers of 16 bits are rounded.
for name, results in ("half", ["a"]), ("masked_half", ["a", "m"]):
    build(name, 13, [
        node("Cast", ["x"], ["h"], to=10),
        node("Dropout", ["h", "ratio", "on"], results, name="a")],
        {result: {"a": 10, "m": 9}[result] for result in results}, TRAINING)
show("same with a mask", np.array_equal(*(
    run(name, ["a"])[0].view(np.uint16) for name in ("half", "masked_half"))))

build("draws", 15, [
    node("RandomUniform", [], ["u"], name="u", shape=X.shape, low=-1.0,
         high=3.0),
    node("RandomUniformLike", ["x"], ["v"], name="v", dtype=11),
    node("RandomNormal", [], ["n"], name="n", shape=X.shape, mean=2.0,
         scale=3.0, seed=1.5),
    node("RandomNormalLike", ["x"], ["o"], name="o"),
    node("Bernoulli", ["x"], ["p"], name="p", dtype=9)],
    {"u": FLOAT, "v": 11, "n": FLOAT, "o": FLOAT, "p": 9})
u, v, n, o, p = run("draws", ["u", "v", "n", "o", "p"])
show("uniform", u.min() >= -1 and u.max() <= 3
     and is_near(u.mean(), 1, 4 / 12**0.5)
     and is_near((u**2).mean(), 1 + 16 / 12, 2.3))
show("uniform like", v.dtype == np.float64 and is_near(v.mean(), 0.5, 0.29))
show("normal", is_near(n.mean(), 2, 3) and is_near(
    ((n - 2)**2).mean(), 9, 9 * 2**0.5))
show("normal like", o.dtype == np.float32 and is_near(
    (o**4).mean(), 3, 96**0.5) and is_near((o**3).mean(), 0, 15**0.5))
show("bernoulli", p.dtype == bool and is_near(p.mean(), X.mean(), 0.41)
     and is_near((p * X).mean(), (X * X).mean(), 0.3))
