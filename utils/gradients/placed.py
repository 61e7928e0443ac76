#!/usr/bin/env python3
"""Checks that losses and gradients do not depend on where ops run.

    placed.py BIN FOLDER [NAME ...] [--seeds N]

FOLDER is what networks.py wrote. Each network is compiled for one CPU device,
and for two and three with memory of their own and groups placed at random.
Every output must have the same bits. A value must reach each device at most
once.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

THREADS = "--threads=1"


def run(command, folder):
    done = subprocess.run(list(map(str, command)), cwd=folder, text=True,
                          capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def compute(args, model, *flags):
    """The bytes of each output."""
    stem = model.removesuffix(".mlir")
    inputs = [f"--input={path.name.split('.')[-2]}={path}"
              for path in args.folder.glob(f"{stem}.*.npy")]
    with tempfile.TemporaryDirectory() as scratch:
        artifact = pathlib.Path(scratch, "model.weir")
        run([args.tools / "graph-compile", model, THREADS, "-o", artifact,
             *flags], args.folder)
        run([args.tools / "graph-run", artifact, "--entry=main", *inputs,
             f"--output-dir={scratch}"], args.folder)
        return {path.stem: path.read_bytes()
                for path in pathlib.Path(scratch).glob("*.npy")}


def find_repeats(args, model, *flags):
    """The copies that occur twice, and the number of all."""
    text = run([args.tools / "graph-compile", model, THREADS,
                "--emit=partitioned", *flags], args.folder)
    copies = collections.Counter(re.findall(
        r'= weir\.copy (\S+) from "\S+" to ("\S+")', text))
    return [c for c, n in copies.items() if n > 1], sum(copies.values())


def check(args, model):
    wanted = compute(args, model)
    isGood = bool(wanted)
    for last in (1, 2):
        for seed in range(1, args.seeds + 1):
            flags = [f"--devices=cpu:0-{last}", "--isolated",
                     f"--placement=random:{seed}"]
            found = compute(args, model, *flags)
            different = [n for n in wanted.keys() | found.keys()
                         if found.get(n) != wanted.get(n)]
            repeats, count = find_repeats(args, model, *flags)
            isGood &= not different and not repeats and count > 0
            print(f"{model} {last + 1} devices, seed {seed}: {count} "
                  f"copies, {len(repeats)} twice {repeats[:3]}, "
                  f"{len(different)} of {len(wanted)} outputs differ "
                  f"{different[:3]}", flush=True)
    return isGood


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    args.tools, args.folder = args.tools.resolve(), args.folder.resolve()
    models = ([f"{name}.f32.mlir" for name in args.names] or
              sorted(path.name for path in args.folder.glob("*.f32.mlir")))
    results = [check(args, model) for model in models]
    if not results:
        print(f"{args.folder} has no network of networks.py")
    sys.exit(not results or not all(results))


if __name__ == "__main__":
    main()
