#!/usr/bin/env python3
"""misfits.py DIR: compiles models with one wrong node each, written into DIR,
and prints for each its name and the message, without the file's name."""
import pathlib
import subprocess
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

FLOAT = onnx.TensorProto.FLOAT


def make(op, shape, constants, opset=17, x="x", **attributes):
    """A model of one node `op` of the input named `x` and of what `constants`
    name; those called - are left out."""
    inits = [numpy_helper.from_array(numpy.array(value), name)
             for name, value in constants if name != "-"]
    names = ["" if name == "-" else name for name, _ in constants]
    node = helper.make_node(op, [x, *names], ["y"], name="n", **attributes)
    graph = helper.make_graph(
        [node], "net", [helper.make_tensor_value_info(x, FLOAT, shape)],
        [helper.make_tensor_value_info("y", FLOAT, None)], inits)
    return helper.make_model(graph,
                             opset_imports=[helper.make_opsetid("", opset)])


def with_mask(model):
    model.graph.node[0].output.append("mask")
    model.graph.output.append(
        helper.make_tensor_value_info("mask", 9, None))
    return model


def without_inputs(model):
    del model.graph.node[0].input[:]
    return model


def reshape(*sizes):
    return make("Reshape", [2, 3], [("s", numpy.array(sizes, "int64"))])


def conv(weight, bias=None, **attributes):
    constants = [("w", numpy.ones(weight, "float32"))]
    if bias:
        constants.append(("b", numpy.ones(bias, "float32")))
    return make("Conv", [1, 6, 8, 8], constants, **attributes)


def resize(scales=None, sizes=None):
    constants = [("-", None)]
    constants.append(("scales", numpy.array(scales, "float32"))
                     if scales else ("-", None))
    if sizes:
        constants.append(("sizes", numpy.array(sizes, "int64")))
    return make("Resize", [1, 3, 4, 4], constants)


def loss(*labels, **attributes):
    constants = [("labels", numpy.array(labels, "int64"))]
    return make("NegativeLogLikelihoodLoss", [2, 3], constants, **attributes)


def short_initializer():
    model = make("Add", [4], [("w", numpy.ones(4, "f"))])
    tensor = next(t for t in model.graph.initializer if t.name == "w")
    tensor.raw_data = tensor.raw_data[:-4]
    return model


def resize_mode(opset, **attributes):
    op = "Upsample" if opset == 9 else "Resize"
    scales = ("scales", numpy.array([1, 1, 2, 2], "float32"))
    return make(op, [1, 3, 4, 4],
                [scales] if opset < 11 else [("-", None), scales], opset,
                **attributes)


def layer(op="LSTM", gates=4, shape=(5, 1, 8), hidden=4, inputs=8, columns=4,
          more=(), **attributes):
    """A recurrent layer of 4 values, whose weights fit unless asked for."""
    rows = gates * hidden
    return make(op, shape, [("w", numpy.ones((1, rows, inputs), "f")),
                            ("r", numpy.ones((1, rows, columns), "f")), *more],
                **{"hidden_size": 4, **attributes})


NONE = ("-", None)

CASES = {
    "operands": make("MatMul", [4, 5], [("w", numpy.ones((6, 7), "f"))]),
    "operand-names": make("MatMul", [4, 5], [
        ("operand 1", numpy.ones((6, 7), "f"))], x="operand 0"),
    "gemm": make("Gemm", [2, 4], [("w", numpy.ones((8, 4), "f"))]),
    "broadcast": make("Add", [2, 4], [("w", numpy.ones(3, "f"))]),
    "perm-twice": make("Transpose", [2, 4], [], perm=[0, 0]),
    "axes-twice": make("Unsqueeze", [2, 4], [("axes", numpy.int64([0, 0]))]),
    "einsum-unknown": make("Einsum", [2, 4], [], equation="ij->il"),
    "einsum-none": make("Einsum", [2, 4], []),
    "einsum-twice": make("Einsum", [2, 4], [], equation="ij->ii"),
    "not-attribute": make("TopK", [4, 5], [("k", numpy.int64([50]))]),
    "reshape-count": reshape(5, 5),
    "reshape-rest": reshape(-1, 5),
    "reshape-two": reshape(-1, -1),
    "reshape-negative": reshape(-2, 3),
    "reshape-copy": reshape(2, 3, 0),
    "conv-rank": make("Conv", [6, 8], [("w", numpy.ones((4, 6, 3, 3), "f"))]),
    "conv-channels": conv((4, 5, 3, 3)),
    "conv-channels-last": conv((4, 8, 3, 3)),
    "conv-groups": conv((4, 6, 3, 3), group=2),
    "conv-no-group": conv((4, 6, 3, 3), group=0),
    "conv-results": conv((5, 3, 3, 3), group=2),
    "conv-bias": conv((4, 6, 3, 3), (5,)),
    "conv-kernel": conv((4, 6, 3, 3), kernel_shape=[5, 5]),
    "conv-pads": conv((4, 6, 3, 3), pads=[1, 1]),
    "resize-both": resize([1, 1, 2, 2], [1, 3, 8, 8]),
    "resize-neither": resize(),
    "resize-scales": resize([2, 2]),
    "resize-sizes": resize(None, [8, 8]),
    "resize-negative": resize([1, 1, -2, 2]),
    "old": make("Erf", [2], [], opset=6),
    "old-cast": make("Cast", [2], [], opset=5, to="STRING"),
    "dropout": make("Dropout", [2], [("ratio", numpy.float32(1.5)),
                                     ("training", numpy.bool_(True))]),
    "dropout-mask": with_mask(make(
        "Dropout", [2], [("ratio", numpy.float32(-0.5)),
                         ("training", numpy.bool_(True))])),
    "dropout-nan": with_mask(make(
        "Dropout", [2], [("ratio", numpy.float32("nan")),
                         ("training", numpy.bool_(True))])),
    "dropout-old": with_mask(make("Dropout", [2], [], opset=6, ratio=1.5)),
    "dropout-ratios": make("Dropout", [2], [
        ("ratio", numpy.float32([0.1, 0.9])),
        ("training", numpy.bool_(True))]),
    "dropout-none": make("Dropout", [2], [("ratio", numpy.zeros(0, "f")),
                                          ("training", numpy.bool_(True))]),
    "dropout-flags": make("Dropout", [2], [
        ("ratio", numpy.float32(0.5)), ("training", numpy.bool_([0, 1]))]),
    "random": make("RandomUniformLike", [2], [], dtype=7),
    "random-shape": without_inputs(make("RandomNormal", [2], [])),
    "random-bounds": make("RandomUniformLike", [2], [], dtype=10, high=1e6),
    "old-gemm": make("Gemm", [2, 2], [("b", numpy.ones((2, 2), "f")),
                                      ("c", numpy.ones(2, "f"))], opset=6),
    "old-shape": make("Add", [2, 3], [("b", numpy.ones(2, "f"))], opset=6,
                      broadcast=1),
    "grid": make("GridSample", [1, 3, 4, 4],
                 [("g", numpy.ones((1, 4, 3), "f"))], opset=16),
    "grid-mode": make("GridSample", [1, 3, 4, 4],
                      [("g", numpy.ones((1, 5, 5, 2), "f"))], opset=16,
                      mode="area"),
    "sequence": make("ReverseSequence", [4, 2], [
        ("lengths", numpy.ones(3, "int64"))]),
    "unpool": make("MaxUnpool", [1, 1, 2, 2], [
        ("indices", numpy.zeros((1, 1, 2, 2), "int64")),
        ("shape", numpy.array([1, 1, 4, 3]))], kernel_shape=[2, 2],
        strides=[2, 2]),
    "cast": make("Add", [2], [("b", numpy.ones(2, "int64"))]),
    "loss": loss(0, 3),
    "loss-negative": loss(-1, 0, ignore_index=3),
    "short": short_initializer(),
    "resize-policy": resize_mode(18, keep_aspect_ratio_policy="not_bigger"),
    "resize-policy-old": resize_mode(13, keep_aspect_ratio_policy="stretch"),
    "resize-bilinear": resize_mode(11, mode="bilinear"),
    "resize-old-cubic": resize_mode(10, mode="cubic"),
    "upsample-cubic": resize_mode(9, mode="cubic"),
    "cast-to": make("Cast", [2], []),
    "cast-to-old": make("Cast", [2], [], 5),
    "cast-word": make("Cast", [2], [], 5, to="FLOAT8"),
    "moved": make("ReduceMean", [2, 3], [], 18, axes=[1]),
    "moved-needed": make("Unsqueeze", [2, 3], [], 13, axes=[0]),
    "moved-dropout": make("Dropout", [2], [], 13, ratio=0.5),
    "no-size": make("LRN", [1, 3, 4, 4], []),
    "near-attribute": make("Softmax", [2, 3], [], axes=1),
    "far-attribute": make("Softmax", [2, 3], [], temperature=2.0),
    "slice-lengths": make("Slice", [2, 3], [("b", numpy.int64([0, 0])),
                                            ("e", numpy.int64([1]))]),
    "depth": make("DepthToSpace", [1, 3, 4, 4], [], blocksize=2),
    "one-hot": make("OneHot", [3], [("d", numpy.int64(-3)),
                                    ("v", numpy.ones(2, "f"))]),
    "one-hot-depths": make("OneHot", [3], [("d", numpy.int64([2, 3])),
                                           ("v", numpy.ones(2, "f"))]),
    "scales": make("QuantizeLinear", [2, 8], [("s", numpy.ones(3, "f"))]),
    "layer-direction": layer(direction="bidi"),
    "layer-directions": layer(direction="bidirectional"),
    "layer-layout": layer(layout=2),
    "layer-rank": layer(shape=(5, 8)),
    "layer-hidden": layer("GRU", 3, hidden_size=5),
    "layer-inputs": layer(inputs=7),
    "layer-recurrent": layer(columns=3),
    "layer-no-hidden": layer(hidden_size=0),
    "layer-activations": layer(activations=["Sigmoid", "Tanh"]),
    "layer-bias": layer(more=[("b", numpy.ones((1, 16), "f"))]),
    "layer-state": layer(more=[NONE, NONE, ("h", numpy.ones((1, 2, 4), "f"))]),
    "layer-cell": layer(more=[NONE, NONE, NONE,
                              ("c", numpy.ones((1, 4), "f"))]),
    "layer-peepholes": layer(more=[NONE, NONE, NONE, NONE,
                                   ("p", numpy.ones((1, 4), "f"))]),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, model in CASES.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString())
        run = subprocess.run(["graph-compile", path, "-o", folder / "net.weir"],
                             stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode != 1:
            sys.exit(f"{name}: expected exit code 1, found {run.returncode}")
        print(f"{name}: {run.stderr.strip().split('.onnx: ', 1)[1]}")


if __name__ == "__main__":
    main()
