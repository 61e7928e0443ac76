"""sequence-errors.py FOLDER: models that use sequences in wrong ways."""
import pathlib
import sys

import onnx.parser

HEAD = '<ir_version: 8, opset_import: ["" : 17]> net (float[3] x) => '
NODES = {
    "position": "(float[1] y) <int64 at = {3}>"
                "{ s = SplitToSequence(x) y = SequenceAt(s, at) }",
    "empty": "(float[1] y)"
             "{ s = SequenceEmpty() y = ConcatFromSequence<axis = 0>(s) }",
    "tensor": "(float[1] y) <int64 at = {0}> { y = SequenceAt(x, at) }",
    "sequence": "(float[1] y) { s = SplitToSequence(x) y = Relu(s) }",
    "output": "(seq(float[1]) y) { y = SplitToSequence(x) }",
    "parts": "(float[1] y) <int64[2] sizes = {1, 1}, int64 at = {0}>"
             "{ s = SplitToSequence(x, sizes) y = SequenceAt(s, at) }",
    "many": "(float[1] y) <int64 size = {0}, int64 at = {0}>"
            "{ s = SplitToSequence(x, size) y = SequenceAt(s, at) }",
    "stacked": "(float[1] y) <int64 two = {2}, bool yes = {1}>"
               "{ y = Loop(two, yes) <body = step (int64 i, bool goes) => "
               "(bool on, seq(float[1]) s) "
               "{ on = Identity(goes) s = SplitToSequence(x) }> }",
}

folder = pathlib.Path(sys.argv[1])
for name, text in NODES.items():
    model = onnx.parser.parse_model(HEAD + text)
    for node in model.graph.node:
        node.name = node.output[0]
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
