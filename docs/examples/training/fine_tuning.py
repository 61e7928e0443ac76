#!/usr/bin/env python3
"""Writes a network in ONNX to be fine-tuned, and folders of images for it.

    fine_tuning.py FOLDER

FOLDER/net.onnx has the layers that were trained, from
FOLDER/trained.safetensors, and a last one that has learned nothing. It has a
score for odd and one for even. FOLDER/photos/train and FOLDER/photos/test have
a folder of PNG files for each of these classes.
"""
import json
import pathlib
import struct
import sys
import zlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

CLASSES = ("even", "odd")
TRAINED = ("conv1_weight", "conv1_bias", "conv2_weight", "conv2_bias")
FEATURES = 1600


def read_tensors(path, names):
    """The tensors `names` of a safetensors file, which are of f32."""
    data = path.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    tensors = {}
    for name in names:
        first, last = header[name]["data_offsets"]
        values = numpy.frombuffer(data[begin + first:begin + last], "<f4")
        tensors[name] = values.reshape(header[name]["shape"])
    return tensors


def make_network(tensors):
    node = helper.make_node
    square = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", ["input", "conv1_weight", "conv1_bias"], ["conv1"]),
        node("Relu", ["conv1"], ["relu1"]),
        node("MaxPool", ["relu1"], ["pool1"], **square),
        node("Conv", ["pool1", "conv2_weight", "conv2_bias"], ["conv2"]),
        node("Relu", ["conv2"], ["relu2"]),
        node("MaxPool", ["relu2"], ["pool2"], **square),
        node("Flatten", ["pool2"], ["flat"]),
        node("Gemm", ["flat", "head.weight", "head.bias"], ["logits"],
             transB=1),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
             for name, dims in (("input", ["N", 1, 28, 28]),
                                ("logits", ["N", len(CLASSES)]))]
    weights = [numpy_helper.from_array(value, name)
               for name, value in tensors.items()]
    graph = helper.make_graph(nodes, "digits", ports[:1], ports[1:], weights)
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    # The version of the oldest runtimes which know this opset.
    model.ir_version = 8
    return model


def write_png(path, pixels):
    """Writes a grey image."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                     + chunk(b"IDAT", zlib.compress(rows))
                     + chunk(b"IEND", b""))


def write_photos(folder, source):
    arrays = numpy.load(source)
    for name in CLASSES:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for i, (image, label) in enumerate(zip(arrays["images"], arrays["labels"])):
        write_png(folder / CLASSES[label % 2] / f"{i:04}.png", image[0])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fine_tuning.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    tensors = read_tensors(folder / "trained.safetensors", TRAINED)
    random = numpy.random.default_rng(1)
    head = random.normal(0, FEATURES**-0.5, (len(CLASSES), FEATURES))
    tensors["head.weight"] = head.astype(numpy.float32)
    tensors["head.bias"] = numpy.zeros(len(CLASSES), numpy.float32)
    onnx.save(make_network(tensors), folder / "net.onnx")
    for name in ("train", "test"):
        write_photos(folder / "photos" / name, folder / f"{name}.npz")


if __name__ == "__main__":
    main()
