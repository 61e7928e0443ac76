#!/usr/bin/env python3
"""Writes the .npy files beside it with numpy (2.4.6 made those in the
tree).

NpyTest.cpp knows the values: element i of an array of n is i - 2, or its truth.
"""
import os

import numpy as np
from numpy.lib import format as npy

folder = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(folder, name + ".npy")


values = np.arange(6).reshape(2, 3) - 2
for code in ("f2", "f4", "f8", "i1", "u1", "i2", "i4", "i8", "b1",
             "u2", "u4", "u8"):
    wrapped = values % 256 if code == "u1" else values
    np.save(path(code), wrapped.astype(code))
np.save(path("f4-fortran"), np.asfortranarray(values.astype("f4")))
np.save(path("f4-big-endian"), values.astype(">f4"))
cube = (np.arange(24).reshape(2, 3, 4) - 2).astype(">i2")
np.save(path("i2-cube-fortran-big-endian"), np.asfortranarray(cube))
np.save(path("scalar"), np.float32(1.5))
np.save(path("empty"), np.zeros((0, 3), "f4"))
np.save(path("vector"), np.arange(5, dtype="f4"))
for version in ((2, 0), (3, 0)):
    with open(path(f"f4-version-{version[0]}"), "wb") as file:
        npy.write_array(file, values.astype("f4"), version=version)
np.save(path("structured"), np.zeros(2, [("a", "f4"), ("b", "i4")]))
np.save(path("complex"), np.zeros(2, "c8"))
