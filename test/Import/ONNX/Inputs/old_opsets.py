"""Compares nodes of the opsets 1 to 6 with numpy, which follows the text of
the specification: no runtime computes them any more.

    old_opsets.py FOLDER

Each opset is one model of many nodes over the same inputs.
"""
import pathlib
import sys

import numpy
import onnx
from onnx import helper

from against_numpy import compare

RNG = numpy.random.default_rng(7)
X = RNG.standard_normal((2, 3, 4, 5)).astype(numpy.float32)
CHANNELS = RNG.uniform(0.5, 2, 3).astype(numpy.float32)
MATRIX = RNG.standard_normal((4, 5)).astype(numpy.float32)
PLANE = X[0, 0]
INPUTS = {"x": X, "c": CHANNELS, "m": MATRIX, "p": PLANE,
          "two": numpy.array([2], numpy.float32)}


def along_channels(value):
    return value[:, None, None]


def normalised(mean, variance):
    scale = along_channels(CHANNELS)
    return scale * (X - along_channels(mean)) / numpy.sqrt(
        along_channels(variance) + 1e-5) + scale


def softmax(values):
    powers = numpy.exp(values - values.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


HINT = {"consumed_inputs": [0, 0, 0, 1, 1]}
STATISTICS = ["c", "c", "c", "c"]
BATCH = (0, 2, 3)
# (op type, inputs, attributes, expected results); {2} among the inputs is a
# constant of that number.
BROADCASTS = [
    ("Add", ["x", "c"], {"broadcast": 1, "axis": 1},
     [X + along_channels(CHANNELS)]),
    ("Sub", ["x", "m"], {"broadcast": 1}, [X - MATRIX]),
    ("Mul", ["x", "two"], {"broadcast": 1}, [X * 2]),
    ("Div", ["x", "c"], {"broadcast": 1, "axis": -3},
     [X / along_channels(CHANNELS)]),
    ("Pow", ["x", "two"], {"broadcast": 1}, [X**2]),
    ("Add", ["x", "x"], {}, [X + X]),
    ("Greater", ["x", "m"], {"broadcast": 1}, [X > MATRIX]),
    ("PRelu", ["x", "c"], {},
     [numpy.where(X < 0, X * along_channels(CHANNELS), X)]),
    ("Gemm", ["p", "m", "two"], {"broadcast": 1, "transB": 1, "alpha": 0.5},
     [0.5 * PLANE @ MATRIX.T + 2]),
    ("BatchNormalization", ["x", *STATISTICS], {"is_test": 1, **HINT},
     [normalised(CHANNELS, CHANNELS)]),
    ("BatchNormalization", ["x", *STATISTICS], {"momentum": 0.75, **HINT},
     [normalised(X.mean(BATCH), X.var(BATCH)),
      0.75 * CHANNELS + 0.25 * X.mean(BATCH),
      0.75 * CHANNELS + 0.25 * X.var(BATCH), X.mean(BATCH), X.var(BATCH)]),
    ("Dropout", ["x"], {"is_test": 1}, [X]),
    ("Dropout", ["x"], {"ratio": 0.0}, [X]),
    ("Max", ["x", "x"], {}, [X]),
    ("Split", ["x"], {"axis": 1, "split": [1, 2]}, [X[:, :1], X[:, 1:]]),
    ("Softmax", ["x"], {}, [softmax(X.reshape(2, -1)).reshape(X.shape)]),
]
ATTRIBUTES = [
    ("Relu", ["x"], HINT, [X.clip(0)]),
    ("Clip", ["x"], {"min": -0.5, "max": 0.5, **HINT}, [X.clip(-0.5, 0.5)]),
    ("Sum", ["x", "x", "x"], HINT, [3 * X]),
    ("Mean", ["x", "x"], HINT, [X]),
    ("Selu", ["x"], {"alpha": 2.0, "gamma": 3.0},
     [3 * numpy.where(X < 0, 2 * numpy.expm1(X), X)]),
    ("Reshape", ["x"], {"shape": [0, -1]}, [X.reshape(2, -1)]),
    ("Cast", ["x"], {"to": "INT32"}, [X.astype(numpy.int32)]),
    ("Concat", ["x", "x"], {}, [numpy.concatenate([X, X], 1)]),
    ("Pad", ["m"], {"paddings": [0, 1, 2, 0], "value": 3.0},
     [numpy.pad(MATRIX, ((0, 2), (1, 0)), constant_values=3)]),
    ("Pad", ["m"], {"paddings": [1, 1, 1, 1], "mode": "reflect"},
     [numpy.pad(MATRIX, 1, mode="reflect")]),
    ("Tile", ["m", {2}, {1}], {}, [numpy.tile(MATRIX, (1, 2))]),
    ("Upsample", ["x"], {"height_scale": 2.0, "width_scale": 3.0},
     [X.repeat(2, 2).repeat(3, 3)]),
    ("GlobalLpPool", ["x"], {"p": 3.0},
     [(abs(X)**3).sum((2, 3), keepdims=True)**(1 / 3)]),
    ("InstanceNormalization", ["x", "c", "c"], HINT,
     [along_channels(CHANNELS) * (
         (X - X.mean((2, 3), keepdims=True)) / numpy.sqrt(
             X.var((2, 3), keepdims=True) + 1e-5) + 1)]),
    ("Slice", ["x"], {"starts": [1], "ends": [3], "axes": [2]}, [X[:, :, 1:3]]),
    ("ReduceSum", ["x"], {"axes": [1], "keepdims": 0}, [X.sum(1)]),
    ("LeakyRelu", ["x"], {"alpha": 0.5}, [numpy.where(X < 0, X / 2, X)]),
    ("Flatten", ["x"], {"axis": 2}, [X.reshape(6, 20)]),
]
# Which opsets have the nodes of a list in this form.
MODELS = {1: BROADCASTS[:8] + BROADCASTS[9:14] + ATTRIBUTES,
          6: BROADCASTS}


def constant(number):
    return helper.make_node(
        "Constant", [], [f"number{number}"], value=helper.make_tensor(
            "value", onnx.TensorProto.FLOAT, [], [float(number)]))


def build(opset, cases):
    nodes = [constant(number) for number in (1, 2)] if opset < 6 else []
    expected = {}
    for place, (op, inputs, attributes, results) in enumerate(cases):
        if opset >= 6:
            attributes = {k: v for k, v in attributes.items()
                          if k != "consumed_inputs"}
        names = [name if isinstance(name, str) else f"number{min(name)}"
                 for name in inputs]
        outputs = [f"{op}{place}_{i}" for i in range(len(results))]
        nodes.append(helper.make_node(op, names, outputs, **attributes))
        expected |= dict(zip(outputs, results))
    return nodes, expected


def main(folder):
    for opset, cases in MODELS.items():
        nodes, expected = build(opset, cases)
        compare(folder, opset, nodes, INPUTS, expected, ir_version=3)
        print(f"opset {opset}: {len(expected)} outputs as numpy")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
