#!/usr/bin/env python3
"""Writes points of three classes that planes divide: 1,000 in FOLDER/train.npz
and 100 in FOLDER/valid.npz. FOLDER/rate.npy is a rate of 0.05, and
FOLDER/nan.npy is as x of train.npz, with a NaN in row 5."""
import pathlib
import sys

import numpy as np


def write_data(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(5)
    planes = random.normal(size=(3, 8))
    x = random.normal(size=(1100, 8)).astype(np.float32)
    y = (x @ planes.T).argmax(1)
    np.savez(folder / "train.npz", x=x[:1000], y=y[:1000])
    np.savez(folder / "valid.npz", x=x[1000:], y=y[1000:])
    np.save(folder / "rate.npy", np.float32(0.05))
    damaged = x[:1000].copy()
    damaged[5, 3] = np.nan
    np.save(folder / "nan.npy", damaged)
    return x[:1000], y[:1000]


if __name__ == "__main__":
    write_data(sys.argv[1])
