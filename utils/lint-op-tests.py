#!/usr/bin/env python3
"""Checks that the test of every op shows what the test of an op has to show.

For each record of an op that computes there is `test/Ops/<op>.mlir`. It takes
the op through both textual forms and back, compares shapes, flops and bytes,
and compares stored values of another program's making with the reference, with
the library's kernels and with the linalg body run by mlir-runner. What it says
of these four is the same for every op, so its RUN lines are, too. There is no
list of exceptions.
"""
import argparse
import json
import pathlib
import re
import struct
import sys

import op_records
from source_tree import Finding

FOLDER = "test/Ops"
RUNS = [
    "split-file %s %t",
    "graph-opt %t/cases.mlir | graph-opt -mlir-print-op-generic"
    " | graph-opt | FileCheck %t/cases.mlir",
    "weir-op-check %t/cases.mlir --expect={data}"
    " | FileCheck %t/cases.mlir --check-prefix=COST",
    "weir-op-check %t/cases.mlir --expect={data} --emit-linalg | %run_linalg"
    " | weir-op-check %t/cases.mlir --expect={data} --linalg-output=-",
    "graph-opt %t/errors.mlir -verify-diagnostics -split-input-file",
]
CASE = re.compile(r"^func\.func @(\w+)\((.*?)\)\s*->(.*?)\{\n(.*?)\n\}",
                  re.S | re.M)
DIMS = re.compile(r"tensor<((?:\d+x)*)\w")
MIN_SHAPES = MIN_ERRORS = MIN_LIBRARY = 3


def run_lines(text):
    """The commands of a test, each on one line."""
    lines = re.findall(r"^// RUN: *(.*)$", text, re.M)
    joined = "\n".join(lines).replace("\\\n", "")
    return [" ".join(line.split()) for line in joined.split("\n")]


def check_runs(op, text):
    found = run_lines(text)
    for run in RUNS:
        wanted = run.format(data=f"%S/Inputs/{op.mnemonic}.safetensors")
        if wanted not in found:
            yield f"lacks 'RUN: {wanted}'"


def read_cases(text):
    """(name, shapes of the operands, shapes of the results, body) of each
    case."""
    cases = text.partition("//--- cases.mlir")[2].partition("//--- errors")[0]
    return [(name, tuple(DIMS.findall(operands)), tuple(DIMS.findall(results)),
             body) for name, operands, results, body in CASE.findall(cases)]


def has_unit_or_broadcast(shapes):
    dims = [shape.split("x")[:-1] for shape in shapes]
    return (any("1" in one for one in dims)
            or len(dims) > 1 and any(one != dims[0] for one in dims))


def check_cases(op, text):
    cases = read_cases(text)
    # If all operands are scalars, only the results have shapes.
    all_shapes = {operands if any(operands) else results
                  for _, operands, results, _ in cases}
    if len(all_shapes) < MIN_SHAPES:
        yield f"has operands of less than {MIN_SHAPES} different shapes"
    if not any(map(has_unit_or_broadcast, all_shapes)):
        yield "has no case with a dim of size 1 or broadcasting"
    for name, _, _, body in cases:
        if f"weir.{op.mnemonic} " not in body:
            yield f"case '{name}' is not about the op"
        if not re.search(rf"^// COST: {name}: tensor.*, \d+ flops, \d+ bytes, "
                         r"library [\w{]", text, re.M):
            yield f"case '{name}' has no line 'COST: {name}: ...'"
        if not re.search(rf"CHECK-LABEL: func\.func @{name}\(\n"
                         rf"// CHECK: .*weir\.{op.mnemonic} ", text):
            yield f"case '{name}' is not checked to come back"
    served = len(re.findall(r"^// COST: .* library ok$", text, re.M))
    if op.kernels and served < MIN_LIBRARY:
        yield (f"has {served} cases that a library kernel serves, "
               f"{MIN_LIBRARY} are needed")


def takes_any_types(op):
    """Whether the op has no operands, so that no types can be wrong."""
    return op.type_spec[0] in "ST" and len(op.operands) == 1 and (
        not op.operands[0].is_variadic)


def check_errors(op, text):
    errors = text.partition("//--- errors.mlir")[2]
    if errors.count("func.func ") < MIN_ERRORS:
        yield f"has less than {MIN_ERRORS} errors"
    if any(attribute.default is None and not attribute.is_optional
           for attribute in op.attributes) and (
               "requires attribute" not in errors):
        yield "has no error about an attribute that is needed and not there"
    if not takes_any_types(op) and not re.search(
            r"expected-error.*element type", errors):
        yield "has no error about an element type"


def check_data(op, text, header):
    """`header` is what begins the safetensors file, as JSON."""
    if not header.get("__metadata__", {}).get("source"):
        yield "its data do not say who computed them"
    for name, shapes, _, _ in read_cases(text):
        wanted = [f"{name}.in{i}" for i in range(len(shapes))]
        for tensor in wanted + [f"{name}.out0"]:
            if tensor not in header:
                yield f"its data lack '{tensor}'; run {FOLDER}/gen-oracles.py"


def read_header(path):
    if not path.exists():
        return {}
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size])


def check_op(op, text, header):
    """The requirements that the test of `op` does not meet."""
    return [*check_runs(op, text), *check_cases(op, text),
            *check_errors(op, text), *check_data(op, text, header)]


def check(root, llvm):
    findings = []
    for op in op_records.read_records(root, llvm):
        if not op.is_computing:
            continue
        path = f"{FOLDER}/{op.mnemonic}.mlir"
        if not (root / path).exists():
            findings.append(Finding(op.place, 0, f"has no test {path}"))
            continue
        header = read_header(
            root / FOLDER / "Inputs" / f"{op.mnemonic}.safetensors")
        findings += [Finding(path, 0, message) for message in check_op(
            op, (root / path).read_text(encoding="utf-8"), header)]
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the repository (default: the script's)")
    parser.add_argument("--llvm", type=pathlib.Path,
                        default="/usr/lib/llvm-22",
                        help="LLVM's installation (default: %(default)s)")
    options = parser.parse_args()
    findings = check(options.root, options.llvm)
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
