#!/usr/bin/env python3
"""Compares the ops that docs/onnx.md lists with those that the importer has a
handler for.

usage: check-onnx-ops.py ROOT [--fix]
"""
import pathlib
import re
import sys
import textwrap

ROW = re.compile(r'\{"([A-Z]\w*)",\s*\d+,')
SECTION = re.compile(r"(?<=<!-- ops -->\n).*?(?=<!-- end of ops -->)", re.S)


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "docs/onnx.md"
    ops = sorted({op for path in (root / "lib/Import/ONNX").glob("*.cpp")
                  for op in ROW.findall(path.read_text(encoding="utf-8"))})
    listed = textwrap.fill(", ".join(f"`{op}`" for op in ops) + ".", 100,
                           break_long_words=False) + "\n"
    text = page.read_text(encoding="utf-8")
    if "--fix" in sys.argv:
        page.write_text(SECTION.sub(lambda _: listed, text), encoding="utf-8")
    elif SECTION.search(text)[0] != listed:
        sys.exit(f"{page}: the ops are not those of lib/Import/ONNX; run "
                 f"{sys.argv[0]} {root} --fix")


if __name__ == "__main__":
    main()
