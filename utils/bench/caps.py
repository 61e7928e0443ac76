#!/usr/bin/env python3
"""Checks that a memory cap bounds the memory of a process.

    utils/bench/caps.py CACHE [--bin=build/bin] [--only=NAME,...]

CACHE has the networks of utils/bench/make_networks.py. Each is compiled with a
cap of one byte, and the error names a cap that suffices. With that one the
network must compile, load and run, the report must say that it holds so much,
and the process may grow by at most the cap and 30 MB above graph-run with one
8x8 product. One byte less must be refused. Growth is that of the peak memory,
while the model is loaded or run. Exits with 1 if something is not as it must
be.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import memory
import tools

MOST_MB = 30
SUFFICES = re.compile(r"--memory-cap=cpu:0=(\d+) suffices")


def run(folder, name, *flags):
    return subprocess.run([tools.find(folder, name), *map(str, flags)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


class Capped:
    """A network under caps. `wrong` says what is not as it must be."""

    def __init__(self, bin_folder, folder, work):
        self.bin, self.folder, self.name = bin_folder, folder, folder.name
        self.artifact = work / "capped.weir"
        self.cap = self.growth = self.held = 0
        self.weights_alone, self.smallest, self.wrong = False, False, []

    def compile(self, cap):
        """The error, or an empty text."""
        static = self.folder / "static.onnx"
        model = static if static.exists() else self.folder / "model.onnx"
        done = run(self.bin, "graph-compile", model, "-o", self.artifact,
                   f"--memory-cap=cpu:0={cap}")
        return done.stderr if done.returncode else ""

    def measure(self, base):
        error = self.compile(1)
        found = SUFFICES.search(error)
        if not found:
            self.wrong.append(f"no cap named: {error.strip()}")
            return
        self.cap = int(found[1])
        self.weights_alone = "the weights alone take" in error
        self.smallest = "the smallest" in error
        if SUFFICES.search(self.compile(self.cap - 1)) is None:
            self.wrong.append("one byte less is not refused")
        if error := self.compile(self.cap):
            self.wrong.append(f"the named cap is refused: {error.strip()}")
            return
        self.run(base)

    def run(self, base):
        described = json.loads((self.folder / "network.json").read_text())
        inputs = [f"--input={name}={self.folder / file}"
                  for name, file in described["inputs"].items()]
        done = run(self.bin, "graph-run", self.artifact, *inputs,
                   "--repeat=3", "--json")
        if done.returncode:
            self.wrong.append(f"does not run: {done.stderr.strip()}")
            return
        report = json.loads(done.stdout)
        self.held = report["devices"][0]["held_bytes"]
        self.growth = report["peak_rss_bytes"] - base
        if self.held != self.cap:
            self.wrong.append(f"holds {self.held} bytes, not {self.cap}")
        if self.growth > self.cap + MOST_MB * memory.BYTES_PER_MB:
            self.wrong.append(f"grows by more than {MOST_MB} MB above the cap")

    def line(self):
        mega = memory.BYTES_PER_MB
        return (f"{self.name:24} {self.cap:>12} {self.cap / mega:8.1f} "
                f"{self.growth / mega:8.1f} "
                f"{(self.growth - self.cap) / mega:8.1f}  "
                f"{'smallest' if self.smallest else '-':8} "
                f"{'; '.join(self.wrong) or 'ok'}")


def compile_product(bin_folder, work):
    """Makes product.weir, one product."""
    memory.write_product(work)
    memory.run(bin_folder, "graph-compile", work / "product.mlir")


def base_bytes(bin_folder, work):
    """The peak memory of graph-run with one product."""
    compile_product(bin_folder, work)
    return json.loads(memory.run(
        bin_folder, "graph-run", work / "product.weir", "--input=x=random",
        "--repeat=3", "--json"))["peak_rss_bytes"]


def find_networks(cache, only):
    """The folders of all networks, or of those that `only` names."""
    folders = sorted(path.parent for path in cache.glob("*/network.json"))
    if only:
        folders = [folder for folder in folders
                   if folder.name in only.split(",")]
    if not folders:
        sys.exit(f"error: no such networks in {cache}; make them with "
                 f"utils/bench/make_networks.py")
    return folders


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--only", help="names of networks, separated by commas")
    options = parser.parse_args()
    folders = find_networks(options.cache, options.only)
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        base = base_bytes(options.bin, work)
        print(f"{'network':24} {'cap':>12} {'MB':>8} {'growth':>8} {'more':>8}")
        for folder in folders:
            network = Capped(options.bin, folder, work)
            network.measure(base)
            failed += bool(network.wrong)
            print(network.line(), flush=True)
    print(f"{len(folders) - failed} of {len(folders)} networks stay within "
          f"their caps")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
