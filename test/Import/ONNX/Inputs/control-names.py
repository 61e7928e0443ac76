"""control-names.py OUT: a model with control characters in a node's name."""
import sys

import onnx
from onnx import helper

PORTS = [[helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])]
         for name in "xy"]
NODE = helper.make_node("Relu", ["x"], ["y"], name="a\x1b[31m\nb")
onnx.save(helper.make_model(helper.make_graph([NODE], "net", *PORTS)),
          sys.argv[1])
