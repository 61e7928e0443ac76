#!/usr/bin/env python3
"""make-initializers.py DIR: a model with initialisers stored in every way.

DIR/net.onnx adds to each input x_NAME the initialiser w_NAME; DIR/x_NAME.npy
and DIR/y_NAME.npy are inputs and expected outputs by numpy. Initialisers whose
name ends in _large have more than a KiB.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FIELDS = {"float": TensorProto.FLOAT, "double": TensorProto.DOUBLE,
          "float16": TensorProto.FLOAT16, "int8": TensorProto.INT8,
          "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
          "int32": TensorProto.INT32, "int64": TensorProto.INT64}


def stored(name, kind, values, how):
    if how == "raw":
        return numpy_helper.from_array(values, name)
    if how == "fields":
        return helper.make_tensor(name, FIELDS[kind], values.shape,
                                  values.flatten().tolist())
    tensor = numpy_helper.from_array(values, name)
    return tensor


def main():
    folder = pathlib.Path(sys.argv[1])
    nodes, inputs, outputs, weights = [], [], [], []
    external = bytearray(b"not part of a tensor")
    for kind, number in FIELDS.items():
        numpy_type = helper.tensor_dtype_to_np_dtype(number)
        for how in ("raw", "fields", "external"):
            for size, count in (("small", 6), ("large", 2000)):
                name = f"{kind}_{how}_{size}"
                values = (np.arange(count) % 100).astype(numpy_type)
                weight = stored("w_" + name, kind, values, how)
                if how == "external":
                    onnx.external_data_helper.set_external_data(
                        weight, "data/weights.bin", len(external),
                        values.nbytes)
                    external += weight.raw_data
                    weight.ClearField("raw_data")
                    weight.data_location = TensorProto.EXTERNAL
                weights.append(weight)
                nodes.append(helper.make_node(
                    "Add", ["x_" + name, "w_" + name], ["y_" + name]))
                for ports, prefix in ((inputs, "x_"), (outputs, "y_")):
                    ports.append(helper.make_tensor_value_info(
                        prefix + name, number, [count]))
                x = np.ones(count, numpy_type)
                np.save(folder / f"x_{name}.npy", x)
                np.save(folder / f"y_{name}.npy", x + values)
    graph = helper.make_graph(nodes, "net", inputs, outputs, weights)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)])
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data/weights.bin").write_bytes(external)
    (folder / "net.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
