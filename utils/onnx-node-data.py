#!/usr/bin/env python3
"""Writes the node tests of the installed package `onnx` as files.

    utils/onnx-node-data.py FOLDER

The package onnx has not shipped the files since 1.17: it computes the tests.
They become FOLDER/onnx/backend/test/data/node/TEST/model.onnx with the inputs
and outputs beside it, as in 1.16. utils/bootstrap.sh --checks runs this in an
environment that has the newest onnx; utils/onnx-node-tests.py --newest FOLDER
runs the tests.
"""
import pathlib
import sys
import warnings

from onnx import TensorProto, numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, port):
    """`value` as the message that the type of `port` asks for."""
    if isinstance(value, TensorProto):
        return value
    kind = port.type.WhichOneof("value")
    convert = {"sequence_type": numpy_helper.from_list,
               "optional_type": numpy_helper.from_optional,
               "map_type": numpy_helper.from_dict}.get(
                   kind, numpy_helper.from_array)
    return convert(value, port.name)


def write(test, folder):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(test.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(test.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, values, ports in (
                ("input", inputs, test.model.graph.input),
                ("output", outputs, test.model.graph.output)):
            for index, (value, port) in enumerate(zip(values, ports)):
                (data / f"{kind}_{index}.pb").write_bytes(
                    message(value, port).SerializeToString())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1].strip())
    # The package computes what overflows and divides by 0 on purpose.
    warnings.simplefilter("ignore")
    nodes = pathlib.Path(sys.argv[1]) / "onnx/backend/test/data/node"
    for test in collect_testcases(None):
        write(test, nodes / test.name)


if __name__ == "__main__":
    main()
