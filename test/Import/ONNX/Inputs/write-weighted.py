#!/usr/bin/env python3
"""write-weighted.py FILE VALUE [--external]: writes the model y = x + w of 1000
floats as FILE, where each element of w is VALUE and stands in the model, or in
weights.bin beside it."""
import pathlib
import sys

import numpy
import onnx
from onnx import helper, numpy_helper


def main():
    path, value = pathlib.Path(sys.argv[1]), float(sys.argv[2])
    weight = numpy_helper.from_array(numpy.full(1000, value, "float32"), "w")
    if "--external" in sys.argv:
        (path.parent / "weights.bin").write_bytes(weight.raw_data)
        onnx.external_data_helper.set_external_data(weight, "weights.bin")
        weight.ClearField("raw_data")
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1000])
             for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])],
                              "net", ports[:1], ports[1:], [weight])
    model = helper.make_model(graph,
                              opset_imports=[helper.make_opsetid("", 17)])
    path.write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
