#!/usr/bin/env python3
"""Writes Resize<Mode>.inc: rows of numbers resized by ONNX's own definition.

    python3 -m venv oracle
    oracle/bin/pip install numpy onnx
    oracle/bin/python test/Unit/Analysis/generate-resize-cases.py

The definition is the reference evaluator of the package onnx, here on rank 1.
"""
import itertools
import pathlib
import textwrap

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
               "align_corners", "asymmetric", "tf_crop_and_resize"]
NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
SCALES = [2.0, 0.5, 1.5, 0.6, 0.3]
FILES = {"nearest": "ResizeNearest.inc", "linear": "ResizeLinear.inc",
         "cubic": "ResizeCubic.inc"}
HEADER = """\
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Written by generate-resize-cases.py; do not edit.
//
//===----------------------------------------------------------------------===//

// clang-format off
"""


def resize(row, scale, attributes, roi):
    inputs = [helper.make_tensor_value_info(
        name, onnx.TensorProto.FLOAT, None) for name in ("x", "roi", "scales")]
    output = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    node = helper.make_node("Resize", ["x", "roi", "scales"], ["y"],
                            **attributes)
    model = helper.make_model(
        helper.make_graph([node], "resize", inputs, [output]),
        opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    feeds = {"x": row, "roi": np.array(roi, np.float32),
             "scales": np.array([scale], np.float32)}
    return ReferenceEvaluator(model).run(None, feeds)[0]


def numbers(values):
    return "{" + ", ".join(f"{float(v):.9g}" for v in values) + "}"


def rows():
    row = np.array([1, 4, -2, 3, 0.5, 7, -6], np.float32)
    modes = [("nearest", nearest, False, False) for nearest in NEAREST]
    modes += [(mode, "floor", excludes, antialias)
              for mode in ("linear", "cubic")
              for excludes in (False, True) for antialias in (False, True)
              # The definition divides integers here, which numpy refuses.
              if (mode, excludes, antialias) != ("linear", True, False)]
    for coordinates, scale, (mode, nearest, excludes, antialias) in (
            itertools.product(COORDINATES, SCALES, modes)):
        crops = coordinates == "tf_crop_and_resize"
        # What the definition leaves outside is no number.
        if crops and excludes:
            continue
        # Positions are rounded to either side of whole numbers, and the
        # definition takes weights for the one and elements for the other.
        if coordinates == "half_pixel_symmetric" and scale in (0.5, 1.5):
            continue
        roi = [0.2, 1.1] if crops else [0, 1]
        y = resize(row, scale, {
            "mode": mode, "coordinate_transformation_mode": coordinates,
            "nearest_mode": nearest, "exclude_outside": int(excludes),
            "antialias": int(antialias), "extrapolation_value": 99.0}, roi)
        # All taps are outside and count nothing.
        if np.isnan(y).any():
            continue
        fields = [f'"{mode}"', f'"{coordinates}"', f'"{nearest}"',
                  int(excludes), int(antialias), float(np.float32(scale)),
                  *(float(np.float32(end)) for end in roi), numbers(y)]
        yield mode, "{" + ", ".join(map(str, fields)) + "},"


def main():
    written = list(rows())
    for wanted, name in FILES.items():
        title = f"//===- {name} - Rows resized by onnx {onnx.__version__} "
        text = title.ljust(75, "-") + "===//\n" + HEADER
        for mode, row in written:
            if mode == wanted:
                text += "\n".join(textwrap.wrap(row, 80)) + "\n"
        pathlib.Path(__file__).with_name(name).write_text(text)


if __name__ == "__main__":
    main()
