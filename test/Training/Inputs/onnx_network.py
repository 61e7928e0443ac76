#!/usr/bin/env python3
"""onnx_network.py FOLDER: writes a network in ONNX and examples for it.

FOLDER/net.onnx reads which quarter of an image is bright: Conv,
BatchNormalization, Relu, Dropout, Flatten and Gemm, with weights that have
learned nothing. Its batch has no size yet. FOLDER/train.npz has 1,024 examples,
FOLDER/valid.npz 128 others.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE, CHANNELS, CLASSES = 8, 4, 4


def parameters(random):
    features = CHANNELS * SIZE * SIZE
    return {
        "body.weight": random.normal(0, 0.3, (CHANNELS, 1, 3, 3)),
        "norm.scale": np.ones(CHANNELS),
        "norm.bias": np.zeros(CHANNELS),
        "norm.mean": np.zeros(CHANNELS),
        "norm.variance": np.ones(CHANNELS),
        "head.weight": random.normal(0, features**-0.5, (CLASSES, features)),
        "head.bias": np.zeros(CLASSES),
    }


def network(random):
    nodes = [
        helper.make_node("Conv", ["image", "body.weight"], ["conv"],
                         name="body", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization",
                         ["conv", "norm.scale", "norm.bias", "norm.mean",
                          "norm.variance"], ["norm"], name="norm"),
        helper.make_node("Relu", ["norm"], ["relu"], name="relu"),
        helper.make_node("Dropout", ["relu", "ratio"], ["kept"], name="drop"),
        helper.make_node("Flatten", ["kept"], ["flat"], name="flatten"),
        helper.make_node("Gemm", ["flat", "head.weight", "head.bias"],
                         ["logits"], name="head", transB=1),
    ]
    weights = [numpy_helper.from_array(value.astype(np.float32), name)
               for name, value in parameters(random).items()]
    weights.append(numpy_helper.from_array(np.float32(0.25), "ratio"))
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT,
                                       ["N", 1, SIZE, SIZE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT,
                                       ["N", CLASSES])], weights)
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def examples(random, count):
    labels = random.integers(0, CLASSES, count)
    images = random.normal(0, 1, (count, 1, SIZE, SIZE)).astype(np.float32)
    half = SIZE // 2
    for image, label in zip(images, labels):
        row, column = half * (label // 2), half * (label % 2)
        image[0, row:row + half, column:column + half] += 1
    return {"image": images, "labels": labels}


def main():
    folder = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(3)
    onnx.save(network(random), folder / "net.onnx")
    np.savez(folder / "train.npz", **examples(random, 1024))
    np.savez(folder / "valid.npz", **examples(random, 128))


if __name__ == "__main__":
    main()
