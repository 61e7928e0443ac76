#!/usr/bin/env python3
"""Compiles networks of utils/bench for a GPU in each precision, and makes
cuDNN's plans for their convolutions:

    network_plans.py NETWORKS WORK

NETWORKS is a folder of utils/bench/make_networks.py.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

PRECISIONS = ("f32", "bf16", "f16")


def run(*command):
    """The last line that a command prints, or what it says of its failure."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stderr).splitlines()
    return done.returncode == 0, lines[-1] if lines else ""


def shape_options(folder):
    inputs = json.loads((folder / "network.json").read_text())["inputs"]
    for name, file in inputs.items():
        dims = np.load(folder / file, mmap_mode="r").shape
        yield f"--shape={name}:{'x'.join(str(dim) for dim in dims)}"


def plan(folder, precision, work):
    artifact = work / "network.weir"
    succeeded, line = run("graph-compile", folder / "model.onnx", "-o",
                          artifact, "--devices=cuda:0", "--strict",
                          f"--precision={precision}", *shape_options(folder))
    if succeeded:
        succeeded, line = run("weir-cudnn-plans", artifact)
    print(f"{folder.name} in {precision}: {line}", flush=True)
    artifact.unlink(missing_ok=True)
    return succeeded


def main():
    networks, work = (pathlib.Path(path) for path in sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    folders = [path.parent for path in sorted(networks.glob("*/network.json"))]
    failures = [folder.name for folder in folders for precision in PRECISIONS
                if not plan(folder, precision, work)]
    print(f"{len(folders)} networks, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
