#!/usr/bin/env python3
"""make-external.py OUT LOCATION OFFSET LENGTH: a model whose weight of four
floats is said to be elsewhere."""
import pathlib
import sys

import onnx
from onnx import TensorProto, helper


def main():
    out, location, offset, length = sys.argv[1:]
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4],
                         data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset),
                       ("length", length)):
        if value:
            weight.external_data.append(
                onnx.StringStringEntryProto(key=key, value=value))
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
             for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])],
                              "net", ports[:1], ports[1:], [weight])
    model = helper.make_model(graph)
    pathlib.Path(out).write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
