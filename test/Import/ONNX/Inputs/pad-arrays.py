#!/usr/bin/env python3
"""pad-arrays.py FOLDER: inputs and outputs of pad-large-integers.test."""
import sys

import numpy as np

LARGE, MOST = 2**53 + 1, 2**64 - 1
ARRAYS = {
    "x": np.array([[7, 8, 9]], np.int64),
    "u": np.array([5], np.uint64),
    "y": np.array([[LARGE, 8, 9], [LARGE] * 3], np.int64),
    "v": np.array([MOST, MOST, 5], np.uint64),
    "w": np.array([[7, 8, 9, 3]], np.int64),
}
for name, array in ARRAYS.items():
    np.save(f"{sys.argv[1]}/{name}.npy", array)
