#!/usr/bin/env python3
"""check_scores.py FOLDER: compares scores.csv and scores.npy with the products
of train.npz and the weights of the checkpoint."""
import json
import pathlib
import struct
import sys

import numpy as np


def read(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__")
    return {name: np.frombuffer(data[8 + length:][slice(
        *entry["data_offsets"])], "<f4").reshape(entry["shape"])
        for name, entry in header.items() if entry["dtype"] == "F32"}


def main():
    folder = pathlib.Path(sys.argv[1])
    weights = read(folder / "folder" / "step-00000004.safetensors")
    x = np.load(folder / "train.npz")["x"].astype(np.float64)
    expected = x @ weights["w"].T.astype(np.float64) + weights["b"]
    lines = (folder / "scores.csv").read_text().splitlines()
    print(lines[0])
    text = np.array([[np.float32(part) for part in line.split(",")]
                     for line in lines[1:]])
    array = np.load(folder / "scores.npy")
    assert np.array_equal(text, array), "the files differ"
    np.testing.assert_allclose(array, expected, rtol=1e-5, atol=1e-6)
    print(len(array), "rows are those of numpy")


if __name__ == "__main__":
    main()
