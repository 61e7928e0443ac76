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
    "beyond": "(float[1] y) <int64[1] sizes = {9223372036854775807}, "
              "int64 at = {0}>"
              "{ s = SplitToSequence(x, sizes) y = SequenceAt(s, at) }",
    "negative": "(float[1] y) <int64[2] sizes = {2, -1}, int64 at = {0}>"
                "{ s = SplitToSequence(x, sizes) y = SequenceAt(s, at) }",
    "nothing": "(float[1] y) <int64 at = {0}>"
               "{ s = SequenceEmpty() y = SequenceAt(s, at) }",
    "erased": "(float[1] y) <int64 at = {0}>"
              "{ e = SequenceEmpty() s = SequenceErase(e) "
              "y = SequenceAt(s, at) }",
    "long": f"(float[3] y) <int64 at = {{0}}>"
            f"{{ s = SequenceConstruct({', '.join(4097 * ['x'])}) "
            f"y = SequenceAt(s, at) }}",
    "listed": "(float[1] y) <int64[1] count = {4097}, int64 at = {0}>"
              "{ zeros = ConstantOfShape(count) sizes = Cast<to = 7>(zeros) "
              "s = SplitToSequence(x, sizes) y = SequenceAt(s, at) }",
    "inserted": "(float[1] y) <int64[1] count = {4096}, int64 at = {0}>"
                "{ zeros = ConstantOfShape(count) full = SplitToSequence(zeros)"
                " s = SequenceInsert(full, x) y = SequenceAt(s, at) }",
    "lists": "(float[1] y) <int64[1] count = {4095}, int64 runs = {5000}, "
             "bool yes = {1}, int64 at = {0}>"
             "{ zeros = ConstantOfShape(count) first = SplitToSequence(zeros) "
             "all = Loop(runs, yes, first) <body = step "
             "(int64 i, bool goes, seq(float[1]) before) => "
             "(bool on, seq(float[1]) after) { on = Identity(goes) "
             "longer = SequenceInsert(before, x) after = SequenceErase(longer) "
             "}> y = SequenceAt(all, at) }",
    "old_identity": "(float[1] y)"
                    "{ s = SplitToSequence(x) y = Identity(s) }",
    "stacked": "(float[1] y) <int64 two = {2}, bool yes = {1}>"
               "{ y = Loop(two, yes) <body = step (int64 i, bool goes) => "
               "(bool on, seq(float[1]) s) "
               "{ on = Identity(goes) s = SplitToSequence(x) }> }",
}

folder = pathlib.Path(sys.argv[1])
for name, text in NODES.items():
    model = onnx.parser.parse_model(HEAD + text)
    if name.startswith("old"):
        model.opset_import[0].version = 13
    for node in model.graph.node:
        node.name = node.output[0]
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
