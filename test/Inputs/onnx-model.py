#!/usr/bin/env python3
"""onnx-model.py TEST OUT [--unnamed]: writes the model in a test as OUT.

The model is in ONNX's text form (onnx.parser) and begins with the first line
that begins with '<'; it ends with the test. As that form has no names of nodes,
each is called like its first output, unless --unnamed is given.
"""
import pathlib
import sys

import onnx.parser


def name_nodes(nodes):
    for node in nodes:
        node.name = node.output[0]
        for attribute in node.attribute:
            name_nodes(attribute.g.node)


def main():
    test, out, *flags = sys.argv[1:]
    lines = pathlib.Path(test).read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("<"))
    model = onnx.parser.parse_model("\n".join(lines[first:]))
    if "--unnamed" not in flags:
        name_nodes(model.graph.node)
        for function in model.functions:
            name_nodes(function.node)
    pathlib.Path(out).write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
