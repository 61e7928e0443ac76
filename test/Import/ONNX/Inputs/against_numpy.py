"""Compares models of ONNX with values that numpy has computed."""
import subprocess

import numpy
import onnx
from onnx import helper, numpy_helper


def ports(values):
    return [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in values.items()]


def as_stored(value):
    """Values that numpy has computed in f64 are compared in f32."""
    value = numpy.asarray(value)
    return value.astype("f") if value.dtype == numpy.float64 else value


def compare(folder, opset, nodes, inputs, expected, constants=(),
            ir_version=10):
    """Compiles the nodes in FOLDER, runs them on `inputs`, and fails if the
    results are not `expected`. All are arrays by name."""
    inputs, expected = ({name: as_stored(value)
                         for name, value in values.items()}
                        for values in (inputs, expected))
    graph = helper.make_graph(
        nodes, "net", ports(inputs), ports(expected),
        [numpy_helper.from_array(value, name)
         for name, value in dict(constants).items()])
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)],
        ir_version=ir_version), folder / "net.onnx")
    arguments = []
    for flag, tensors in (("--input", inputs), ("--expect", expected)):
        for name, value in tensors.items():
            numpy.save(folder / f"{name}.npy", value)
            arguments += [flag, f"{name}={folder / name}.npy"]
    subprocess.run(["graph-compile", folder / "net.onnx", "-o",
                    folder / "net.weir"], check=True)
    subprocess.run(["graph-run", folder / "net.weir", *arguments],
                   check=True, stdout=subprocess.DEVNULL)
