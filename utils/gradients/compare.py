#!/usr/bin/env python3
"""Compares Weir's losses and gradients with PyTorch's.

    compare.py BIN FOLDER [FOLDER ...] [--only NAME ...] [--type f32|f64 ...]

Each FOLDER is what networks.py wrote, with a seed of its own. Gradients in f64
must be within 1e-9 of PyTorch's, relative, by the norm of each tensor. The
distance of those in f32 to PyTorch's in f64 must be at most three times that of
PyTorch's own in f32. Of several folders, medians are compared, because a single
sum may have no error by chance.
"""
import argparse
import collections
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
                        [tools / "graph-run", artifact, "--entry=main",
                         *inputs, "--output-dir", scratch]):
            done = subprocess.run(command, cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode:
                sys.exit(f"{model}: {done.stderr}")
        return {path.stem: np.load(path)
                for path in pathlib.Path(scratch).glob("*.npy")}


def distances(found, expected):
    """The relative distance of each tensor, by its norm; NaN if its shape
    differs. Gradients that are zero but for rounding are compared with the
    largest."""
    top = max(np.linalg.norm(v.astype(np.float64)) for v in expected.values())
    result = {}
    for name, tensor in expected.items():
        if name not in found or found[name].shape != tensor.shape:
            result[name] = np.nan
            continue
        norm = np.linalg.norm(tensor.astype(np.float64))
        difference = np.linalg.norm(found[name].astype(np.float64) - tensor)
        result[name] = difference / (norm if norm > 1e-8 * top else top)
    return result


def worst(values):
    """The largest number, or a NaN."""
    name = max(values, key=lambda n: (np.isnan(values[n]), values[n]))
    return f"{values[name]:.2e} ({name})"


def compare_f64(tools, folders, name):
    """Whether all gradients in f64 are right."""
    worse = {}
    for folder in folders:
        exact = load_file(folder / f"{name}.f64.expected.safetensors")
        found = distances(run(tools, f"{name}.f64.mlir", folder), exact)
        # Unlike max(), it keeps a NaN, which is not equal.
        worse = {n: np.maximum(d, worse.get(n, 0)) for n, d in found.items()}
    bad = [n for n, d in worse.items() if not d <= 1e-9]
    print(f"{name} f64: worst {worst(worse)}" + (f" BAD {bad}" if bad else ""),
          flush=True)
    return not bad


def compare_f32(tools, folders, name):
    """Whether all gradients in f32 are as exact as required."""
    ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
    for folder in folders:
        exact = load_file(folder / f"{name}.f64.expected.safetensors")
        peer = load_file(folder / f"{name}.f32.expected.safetensors")
        found = run(tools, f"{name}.f32.mlir", folder)
        for all_of, values in ((ours, found), (theirs, peer)):
            for n, d in distances(values, exact).items():
                all_of[n].append(d)
    # Unlike those of `statistics`, these medians keep a NaN.
    ours = {n: np.median(d) for n, d in ours.items()}
    theirs = {n: np.median(d) for n, d in theirs.items()}
    ratios = {n: ours[n] / max(theirs[n], HALF_ULP) for n in ours}
    bad = [n for n, r in ratios.items() if not r <= 3]
    print(f"{name} f32: worst {worst(ours)}, PyTorch's {worst(theirs)}, "
          f"ratio at most {worst(ratios)}, its median "
          f"{np.median(list(ratios.values())):.2f}" +
          (f" BAD {bad}" if bad else ""), flush=True)
    return not bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--type", choices=("f32", "f64"), action="append")
    args = parser.parse_args()
    tools, folders = args.tools.resolve(), [f.resolve() for f in args.folders]
    names = args.only or sorted(
        {p.name.split(".")[0] for p in folders[0].glob("*.f64.mlir")})
    results = [compare(tools, folders, name) for name in names
               for dtype, compare in (("f64", compare_f64),
                                      ("f32", compare_f32))
               if dtype in (args.type or ("f32", "f64"))]
    if not results:
        print(f"{folders[0]} has no network of networks.py")
    sys.exit(not results or not all(results))


if __name__ == "__main__":
    main()
