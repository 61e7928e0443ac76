#!/usr/bin/env python3
"""Writes the .pb files beside it with the package onnx (1.16.2 made those in
the tree).

TensorProtoTest.cpp knows the values: element i of an array of n is i - 2, or
its truth. The names say the element type and the field that has the elements.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = os.path.dirname(os.path.abspath(__file__))


def save(name, tensor):
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(tensor.SerializeToString())


values = np.arange(6).reshape(2, 3) - 2
types = {"f32": "FLOAT", "f16": "FLOAT16", "bf16": "BFLOAT16", "f64": "DOUBLE",
         "i8": "INT8", "u8": "UINT8", "i16": "INT16", "i32": "INT32",
         "i64": "INT64", "i1": "BOOL", "u16": "UINT16", "u32": "UINT32",
         "u64": "UINT64"}
for name, proto in types.items():
    wrapped = (values.astype("u" + str(int(name[1:]) // 8))
               if name.startswith("u") else values)
    if name == "i1":
        wrapped = values != 0
    number = getattr(TensorProto, proto)
    save(name + "-fields", helper.make_tensor(
        name, number, [2, 3], wrapped.flatten().tolist()))
    if name != "bf16":
        numpy_type = helper.tensor_dtype_to_np_dtype(number)
        save(name + "-raw",
             numpy_helper.from_array(wrapped.astype(numpy_type), name))
save("scalar", numpy_helper.from_array(np.array(1.5, "f4")))
save("empty", numpy_helper.from_array(np.zeros((0, 3), "f4")))
save("complex", numpy_helper.from_array(np.zeros(2, "c8")))
save("text", numpy_helper.from_array(np.array(["a", "b"], object)))
external = numpy_helper.from_array(np.zeros(2, "f4"), "external")
onnx.external_data_helper.set_external_data(external, "weights.bin")
external.ClearField("raw_data")
external.data_location = TensorProto.EXTERNAL
save("external", external)
