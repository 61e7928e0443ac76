#!/usr/bin/env python3
"""Writes what rapidocr-onnxruntime reads in a picture as JSON, for comparison.

usage: make_reference.py PICTURE.png EXPECTED.json

Needs rapidocr-onnxruntime with all its dependencies (onnxruntime, OpenCV,
Shapely, pyclipper, Pillow), in an environment of its own. They are used as they
come, without any setting, on one thread.
"""
import importlib.metadata
import json
import pathlib
import sys

from rapidocr_onnxruntime import RapidOCR

PACKAGES = ("rapidocr-onnxruntime", "onnxruntime", "opencv-python-headless",
            "shapely", "pyclipper", "pillow", "numpy")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines, _ = RapidOCR(intra_op_num_threads=1)(sys.argv[1])
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    entries = [json.dumps({"text": text, "score": round(score, 4),
                           "box": [[int(x), int(y)] for x, y in box]})
               for box, text, score in lines]
    # A line of the file for each line of text.
    pathlib.Path(sys.argv[2]).write_text(
        f'{{"versions": {json.dumps(versions, indent=1)},\n"lines": [\n'
        + ",\n".join(entries) + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
