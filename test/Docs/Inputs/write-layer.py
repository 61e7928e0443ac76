#!/usr/bin/env python3
"""Writes the safetensors file that docs/parameters.md names.

usage: write-layer.py UTILS FILE
"""
import pathlib
import sys

import numpy as np


def main():
    utils, path = sys.argv[1:]
    sys.path.insert(0, utils)
    import safetensors_file
    safetensors_file.save(pathlib.Path(path), {
        "fc.weight": np.ones((4, 8), np.float32),
        "bias": np.zeros(4, np.float32)})


if __name__ == "__main__":
    main()
