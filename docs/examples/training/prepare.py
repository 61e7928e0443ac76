#!/usr/bin/env python3
"""Writes 4,000 digits to train on, and the 1,000 held out, as .npz files.

    prepare.py FOLDER

Each file has images (u8, N x 1 x 28 x 28) and labels (i64, N). The digits and
the rows that are held out are those of ../digits.
"""
import pathlib
import sys

import numpy

DIGITS = pathlib.Path(__file__).resolve().parent.parent / "digits"
sys.path.insert(0, str(DIGITS))
from read_mnist import read_rows  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: prepare.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = read_rows()
    test = numpy.load(DIGITS / "test_order.npy")
    train = numpy.setdiff1d(numpy.arange(len(rows)), test)
    for name, order in (("train", train), ("test", test)):
        numpy.savez(folder / f"{name}.npz",
                    images=rows[order, :784].reshape(-1, 1, 28, 28),
                    labels=rows[order, 784].astype(numpy.int64))
    # The network for use reads all held-out digits at once.
    numpy.save(folder / "images.npy",
               (rows[test, :784] / 255).astype(numpy.float32)
               .reshape(-1, 1, 28, 28))
    numpy.save(folder / "labels.npy", rows[test, 784].astype(numpy.int64))


if __name__ == "__main__":
    main()
