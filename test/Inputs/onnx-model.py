#!/usr/bin/env python3
"""onnx-model.py TEST OUT [--unnamed | --nodes=NAME,...]: writes the model in a
test as OUT.

The model is in ONNX's text form (onnx.parser) and begins with the first line
that begins with '<'; it ends with the test. As that form has no names of nodes,
each is called like its first output, unless --unnamed is given, or a list with
the names of the graph's own nodes. An output called _ is left out.
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
    for flag in flags:
        if flag.startswith("--nodes="):
            names = flag.removeprefix("--nodes=").split(",")
            for node, name in zip(model.graph.node, names, strict=True):
                node.name = name
    for node in model.graph.node:
        node.output[:] = ["" if name == "_" else name for name in node.output]
    pathlib.Path(out).write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
