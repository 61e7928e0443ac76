"""Runs losses of ONNX on classes in and out of range.

usage: loss_classes.py FOLDER
"""

import os
import subprocess
import sys

import numpy
import onnx
from onnx import helper

FOLDER = sys.argv[1]
X = numpy.linspace(-2, 3, 12, dtype=numpy.float32).reshape(4, 3)
INT32, INT64 = onnx.TensorProto.INT32, onnx.TensorProto.INT64


def expected(op, labels, ignored):
    """The loss of each row: minus the score of its class, 0 if ignored."""
    scores = X
    if op == "SoftmaxCrossEntropyLoss":
        scores = X - numpy.log(numpy.exp(X).sum(1, keepdims=True))
    return numpy.array([0 if label == ignored else -row[label]
                        for row, label in zip(scores, labels)], "float32")


def compile_loss(op, kind, ignored):
    path = os.path.join(FOLDER, op)
    attributes = {} if ignored is None else {"ignore_index": ignored}
    node = helper.make_node(op, ["x", "labels"], ["loss"], name="n",
                            reduction="none", **attributes)
    graph = helper.make_graph(
        [node], "net",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, X.shape),
         helper.make_tensor_value_info("labels", kind, [4])],
        [helper.make_tensor_value_info("loss", onnx.TensorProto.FLOAT, [4])])
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)]), path + ".onnx")
    subprocess.run(["graph-compile", path + ".onnx", "-o", path + ".weir"],
                   check=True)
    return path


def run(op, labels, ignored=None, kind=INT64):
    path = compile_loss(op, kind, ignored)
    numpy.save(FOLDER + "/x.npy", X)
    numpy.save(FOLDER + "/labels.npy",
               numpy.array(labels, helper.tensor_dtype_to_np_dtype(kind)))
    ran = subprocess.run(
        ["graph-run", path + ".weir", f"--input=x={FOLDER}/x.npy",
         f"--input=labels={FOLDER}/labels.npy", f"--output=loss={path}.npy"],
        capture_output=True, text=True, check=False)
    print(f"{op} {labels} {ignored}:", end=" ")
    if ran.returncode != 0:
        print(ran.stderr.split("error: ")[-1].strip())
        return
    wanted = expected(op, labels, ignored)
    numpy.testing.assert_allclose(numpy.load(path + ".npy"), wanted, 1e-5)
    print("as numpy")


for loss in "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss":
    run(loss, [0, 2, 1, 0])
    run(loss, [0, 3, 1, 0])
    run(loss, [0, 2, -1, 0])
    run(loss, [0, 2, -1, -1], -1)
    run(loss, [9, 2, 1, 9], 9, INT32)
    run(loss, [0, 1, 2, 1], 1)
    run(loss, [9, 2, 1, -3], 9, INT32)
    run(loss, [0, 2, -2**63, 0])
