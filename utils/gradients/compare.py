#!/usr/bin/env python3
"""Compares Weir's losses and gradients with PyTorch's.

    compare.py BIN FOLDER [NAME ...]

FOLDER is what networks.py wrote. Gradients in f64 must be within 1e-9 of
PyTorch's, relative, by the norm of each tensor. The distance of those in f32 to
PyTorch's in f64 must be at most three times that of PyTorch's own in f32.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file


# What rounding a number to f32 changes at most.
HALF_ULP = 2.0**-24


def run(tools, model, folder):
    """The outputs of the network by Weir. Only f64 lacks kernels."""
    stem = model.removesuffix(".mlir")
    flags = ["--allow-reference"] if stem.endswith("f64") else []
    inputs = [f"--input={path.name.split('.')[-2]}={path}"
              for path in folder.glob(f"{stem}.*.npy")]
    with tempfile.TemporaryDirectory() as scratch:
        artifact = pathlib.Path(scratch) / "model.weir"
        for command in ([tools / "graph-compile", model, "-o", artifact,
                         *flags],
                        [tools / "graph-run", artifact, *inputs,
                         "--output-dir", scratch]):
            done = subprocess.run(command, cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode:
                sys.exit(f"{model}: {done.stderr}")
        return {path.stem: np.load(path)
                for path in pathlib.Path(scratch).glob("*.npy")}


def distances(found, expected):
    """The relative distance of each tensor, by its norm. Gradients that are
    zero but for rounding are compared with the largest."""
    top = max(np.linalg.norm(v.astype(np.float64)) for v in expected.values())
    result = {}
    for name, tensor in expected.items():
        norm = np.linalg.norm(tensor.astype(np.float64))
        difference = np.linalg.norm(found[name].astype(np.float64) - tensor)
        result[name] = difference / (norm if norm > 1e-8 * top else top)
    return result


def worst(values):
    name = max(values, key=values.get)
    return f"{values[name]:.2e} ({name})"


def check(tools, folder, name):
    exact = load_file(folder / f"{name}.f64.expected.safetensors")
    isGood = True
    f64 = distances(run(tools, f"{name}.f64.mlir", folder), exact)
    bad = [n for n, d in f64.items() if not d <= 1e-9]
    isGood &= not bad
    print(f"{name} f64: worst {worst(f64)}" + (f" BAD {bad}" if bad else ""))
    theirs = distances(load_file(folder / f"{name}.f32.expected.safetensors"),
                       exact)
    ours = distances(run(tools, f"{name}.f32.mlir", folder), exact)
    ratios = {n: ours[n] / max(theirs[n], HALF_ULP) for n in exact}
    bad = [n for n, r in ratios.items() if not r <= 3]
    isGood &= not bad
    print(f"{name} f32: worst {worst(ours)}, PyTorch's {worst(theirs)}, "
          f"ratio at most {worst(ratios)}" + (f" BAD {bad}" if bad else ""))
    return isGood


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = args.names or sorted(
        {p.name.split(".")[0] for p in args.folder.glob("*.f64.mlir")})
    results = [check(args.tools.resolve(), args.folder.resolve(), name)
               for name in names]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
