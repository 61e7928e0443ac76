#!/usr/bin/env python3
"""tensor-names.py DIR: writes DIR/x.npy and what tensor-names.test expects of
it, a file for each value, into DIR/expected."""
import pathlib
import sys

import numpy


def main():
    folder = pathlib.Path(sys.argv[1])
    x = numpy.random.default_rng(7).uniform(-1, 1, (4, 6)).astype("float32")
    numpy.save(folder / "x.npy", x)
    values = {"x": x, "act": numpy.maximum(x, 0)}
    values["power"] = numpy.exp(values["act"])
    values["f_p"] = numpy.sin(values["power"])
    values["once"] = values["f_p"] * values["power"]
    values["f_p_1"] = numpy.sin(values["once"])
    values["twice"] = values["f_p_1"] * values["once"]
    values["q"] = values["same"] = values["twice"] - values["power"]
    values["half"] = values["q"][:, 3:]
    values["out"] = numpy.tanh(values["q"])
    (folder / "expected").mkdir()
    for name, value in values.items():
        numpy.save(folder / "expected" / f"{name}.npy", value)


if __name__ == "__main__":
    main()
