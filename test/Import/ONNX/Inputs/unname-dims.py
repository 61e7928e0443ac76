#!/usr/bin/env python3
"""unname-dims.py IN.onnx OUT.onnx: writes a model as PaddlePaddle would.

Dims with the name `any` get the name "?", those called `minus` the number -1.
"""
import sys

import onnx


def main():
    model = onnx.load(sys.argv[1])
    for port in [*model.graph.input, *model.graph.output]:
        for dim in port.type.tensor_type.shape.dim:
            if dim.dim_param == "any":
                dim.dim_param = "?"
            elif dim.dim_param == "minus":
                dim.dim_value = -1
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
