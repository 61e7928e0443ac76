#!/usr/bin/env python3
"""Writes the expected results of test/Ops: Inputs/<op>.safetensors.

A case of test/Ops/<op>.mlir is a function with one op. This script reads its
text, draws inputs from a seed that follows from the names, and computes the
results with numpy or ONNX Runtime; it shares no code with Weir. Counts of flops
are closed forms of the shapes. The folder `oracles` has the parts: cases and
their inputs, oracles by family, their table, flops.

    python3 -m venv oracle
    oracle/bin/pip install numpy onnx onnxruntime
    oracle/bin/python test/Ops/gen-oracles.py [test/Ops/relu.mlir ...]

The same versions give the same bytes.
"""
import json
import pathlib
import struct
import sys

import numpy as np
import onnxruntime

from oracles.cases import FUNCTION, INDEXED, LABELLED, SAFE_NAMES, Case
from oracles.flops import count_flops
from oracles.table import ORACLES

PREDICATES = ("equal", "greater", "greater_equal", "is_inf", "is_nan", "less",
              "less_equal", "not_equal", "one_hot")
POSITIONS = ("arg_max", "arg_min", "class_index", "first_tap",
             "inverse_index", "max_pool_taps", "positions", "top_k")

# Results behind the first have types of their own.
NUMBERED = ("max_pool_training",)


def result_dtype(case, inputs):
    if case.op in PREDICATES:
        return np.bool_
    if case.op in POSITIONS:
        return np.int64
    if case.op == "accuracy":
        return np.float32
    if case.op == "cast":
        return case.attrs["to"]
    if "type" in case.attrs:
        return case.attrs["type"]
    if case.op == "dropout" or (case.op, 1) in {**INDEXED, **LABELLED}:
        return inputs[0].dtype
    return inputs[-1].dtype


def write_safetensors(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": SAFE_NAMES[array.dtype],
                        "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def run_case(case, tensors, metadata):
    inputs = [case.draw(i) for i in range(len(case.types))]
    source, function = ORACLES[case.op]
    with np.errstate(all="ignore"):
        results = function(inputs, case.attrs)
    if not isinstance(results, list):
        results = [results]
    dtype = result_dtype(case, inputs)
    results = [np.asarray(result).astype(
        result.dtype if n > 0 and case.op in NUMBERED else dtype)
        for n, result in enumerate(results)]
    for i, array in enumerate(inputs):
        tensors[f"{case.name}.in{i}"] = array
    for i, array in enumerate(results):
        tensors[f"{case.name}.out{i}"] = array
    metadata[f"{case.name}.flops"] = str(count_flops(case, inputs, results[0]))
    if source[0].isupper() and " " not in source:
        source = f"ONNX Runtime {onnxruntime.__version__}, {source}"
    metadata["source"] = source


def main(paths):
    root = pathlib.Path(__file__).resolve().parent
    for path in map(pathlib.Path, paths or sorted(root.glob("*.mlir"))):
        text = path.read_text().partition("//--- errors.mlir")[0]
        tensors, metadata = {}, {}
        for found in FUNCTION.finditer(text):
            run_case(Case(found), tensors, metadata)
        target = path.parent / "Inputs" / (path.stem + ".safetensors")
        target.parent.mkdir(exist_ok=True)
        write_safetensors(target, tensors, metadata)


if __name__ == "__main__":
    main(sys.argv[1:])
