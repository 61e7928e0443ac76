#!/usr/bin/env python3
"""odd-files.py FOLDER: writes the inputs of test/Errors/odd-files.test."""

import os
import sys

DEEP = 100_000
ENTRY = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32>"
BODY = " { return %x : tensor<2xf32> }\n"

TEXTS = {
    "empty.mlir": "",
    "modules.mlir": "module {" * DEEP + "}" * DEEP,
    "lists.mlir": f"{ENTRY} attributes {{a = {'[' * DEEP}{']' * DEEP}}}{BODY}",
    "tuples.mlir": f"!t = {'tuple<' * DEEP}f32{'>' * DEEP}\n{ENTRY}{BODY}",
    "signs.mlir": f"#a = affine_map<(d0) -> ({'- ' * DEEP}d0)>\n{ENTRY}{BODY}",
    "dense.mlir": "#a = dense<" + "[" * DEEP,
    # Neither strings, comments, arrows nor closed brackets are depth.
    "wide.mlir": f'{ENTRY} attributes {{a = "{"[" * 1000}\\"{"(" * 1000}"}}'
                 f" // {'{' * 1000}\n{BODY}#b = [{'[], ' * 1000}[]]\n"
                 f"#c = affine_map<({', '.join(f'd{i}' for i in range(1000))})"
                 f" -> (d0)>\n",
    # Characters that a terminal does not show.
    "space.mlir": f"{ENTRY} {{\n  %y = weir.relu \u200b%x : tensor<2xf32>\n}}",
    "escape.mlir": f"{ENTRY} {{\n  %y = weir.relu \x1b%x : tensor<2xf32>\n}}",
    "huge.mlir": "weir.parameter @w : tensor<1099511627776xf32> = "
                 "dense<0.5> : tensor<1099511627776xf32>\n"
                 "func.func @main(%x: tensor<1xf32>)"
                 " -> tensor<1099511627776xf32> {\n"
                 "%w = weir.read @w : tensor<1099511627776xf32>\n"
                 "%y = weir.add %w, %x : tensor<1099511627776xf32>, "
                 "tensor<1xf32>\nreturn %y : tensor<1099511627776xf32>\n}\n",
}


def main():
    folder = sys.argv[1]
    for name, text in TEXTS.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "bytes.mlir"), "wb") as file:
        file.write(bytes(range(256)))
    os.symlink("loop.mlir", os.path.join(folder, "loop.mlir"))


if __name__ == "__main__":
    main()
