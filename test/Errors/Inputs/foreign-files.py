#!/usr/bin/env python3
"""foreign-files.py DIR: writes files that are no graphs into DIR, compiles each
and prints its name and the first line of the message."""
import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import zipfile

import numpy
import onnx.parser


def make_array():
    file = io.BytesIO()
    numpy.save(file, numpy.ones(3))
    return file.getvalue()


def make_archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.pkl", "weights")
    return file.getvalue()


def make_model(has_version):
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]>\n'
        "net (float[4] x) => (float[4] y) { y = Relu(x) }")
    if not has_version:
        model.ClearField("ir_version")
    return model.SerializeToString()


def make_artifact(folder):
    (folder / "net.onnx").write_bytes(make_model(True))
    subprocess.run(["graph-compile", folder / "net.onnx", "-o",
                    folder / "net.weir"], check=True)
    return (folder / "net.weir").read_bytes()


def compile_bytes(folder, name, content):
    argument, data = folder / name, None
    if name == "standard input":
        argument, data = "-", content
    else:
        argument.write_bytes(content)
    run = subprocess.run(
        ["graph-compile", argument, "-o", folder / "none.weir"],
        stderr=subprocess.PIPE, input=data, check=False)
    if run.returncode != 1:
        sys.exit(f"{name}: expected exit code 1, found {run.returncode}")
    print(f"{name}: {run.stderr.decode().splitlines()[0]}")


def main():
    folder = pathlib.Path(sys.argv[1])
    header = json.dumps({"w": {"dtype": "F32", "shape": [0],
                               "data_offsets": [0, 0]}}).encode()
    artifact = make_artifact(folder)
    for name, content in {
            "artifact.mlir": artifact,
            "artifact.onnx": artifact,
            "array.mlir": make_array(),
            "archive.mlir": make_archive(),
            "weights.mlir": struct.pack("<Q", len(header)) + header,
            "packed.mlir": gzip.compress(b"module {}"),
            "pointer.onnx": b"version https://git-lfs.github.com/spec/v1\n",
            "page.onnx": b"<!DOCTYPE html>\n<title>Not found</title>\n",
            "model.mlir": make_model(False),
            "standard input": make_model(True),
            "unknown.mlir": bytes(range(256)),
            "wide.mlir": "module {}".encode("utf-16"),
            "marked.mlir": "module {}".encode("utf-8-sig"),
            "net.json": b'{"nodes": []}\n',
            "net.py": b"import torch\n",
            "net.prototxt": b'name: "net"\nlayer {\n  name: "data"\n}\n',
            "solver.prototxt": b'net: "net.prototxt"\nbase_lr: 0.01\n',
            "frozen.pb": b"\n\x1a\n\x01x\x12\x0bPlaceholder*\x08\n\x05dtype",
            "half.onnx": make_model(True)[:30]}.items():
        compile_bytes(folder, name, content)


if __name__ == "__main__":
    main()
