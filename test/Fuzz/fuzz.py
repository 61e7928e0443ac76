#!/usr/bin/env python3
"""fuzz.py KIND PROGRAM --corpus FOLDER [--seconds N]

Fills FOLDER/seeds with files of KIND, which come from the tests, the docs and
the package onnx, then lets libFuzzer's PROGRAM change them for N seconds. What
it adds to the corpus stays in FOLDER/corpus for the next call. An input that
ends the program is kept in FOLDER, and the exit code is not 0.
"""
import argparse
import importlib.util
import io
import itertools
import pathlib
import re
import shutil
import subprocess
import sys

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = ROOT / "test"
MOST_BYTES = 8192
NODE_TESTS = "backend/test/data/node"
GRAPHS = (TEST / "Errors" / "Inputs" / "damaged.mlir",
          TEST / "Fuzz" / "Inputs" / "buckets.mlir",
          TEST / "Fuzz" / "Inputs" / "kernels.mlir")
FLAGS = ([], ["--devices=cpu:0-1", "--placement=random:1"],
         ["--devices=cpu:0-1", "--placement=random:2", "--isolated"],
         ["--allow-reference", "--precision=bf16"])


def small(paths):
    """The bytes of those files that are not too large."""
    contents = (path.read_bytes() for path in sorted(paths))
    return [content for content in contents if len(content) <= MOST_BYTES]


def node_tests(pattern):
    package = pathlib.Path(importlib.util.find_spec("onnx").origin).parent
    return small((package / NODE_TESTS).glob(pattern))


def npy(options):
    arrays = [numpy.arange(6).astype(kind).reshape(shape)
              for kind in ("?", "<i1", "<u2", "<i8", "<f2", "<f4", ">f8")
              for shape in ((6,), (2, 3), (1, 6, 1))]
    arrays += [numpy.float32(3), numpy.zeros((0, 4), "f4"),
               numpy.asfortranarray(arrays[1])]
    seeds = []
    for array in arrays:
        file = io.BytesIO()
        numpy.save(file, array)
        seeds.append(file.getvalue())
    return seeds + node_tests("*_[a-e]*/test_data_set_0/*.pb")


def safetensors(options):
    return small((TEST / "Ops" / "Inputs").glob("*.safetensors"))


def topology(options):
    page = (ROOT / "docs" / "topology.md").read_text(encoding="utf-8")
    return [block.encode()
            for block in re.findall(r"```json\n(.*?)```", page, re.S)]


def text(options):
    parts = []
    for content in small(TEST.rglob("*.mlir")):
        parts += content.split(b"// -----")
    return parts


def onnx(options):
    return node_tests("*/model.onnx")


def artifact(options):
    folder = options.corpus / "artifacts"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(TEST / "Ops" / "Inputs" / "abs.safetensors", folder)
    seeds = []
    for graph, flags in itertools.product(GRAPHS, FLAGS):
        shutil.copy(graph, folder)
        path = folder / "graph.weir"
        subprocess.run([options.tools / "graph-compile", folder / graph.name,
                        "-o", path, "--target-cpu=x86-64-v3", *flags],
                       check=True)
        seeds.append(path.read_bytes())
    return seeds


def code_object(options):
    """An artifact ends with its code."""
    return [seed[seed.index(b"\x7fELF"):] for seed in artifact(options)]


KINDS = {"npy": npy, "safetensors": safetensors, "topology": topology,
         "text": text, "onnx": onnx, "artifact": artifact,
         "code-object": code_object}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--tools", type=pathlib.Path,
                        default=ROOT / "build" / "bin",
                        help="the folder of graph-compile")
    options = parser.parse_args()
    seeds = KINDS[options.kind](options)
    if not seeds:
        sys.exit(f"error: found no seeds of the kind {options.kind}")
    corpus, start = options.corpus / "corpus", options.corpus / "seeds"
    for folder in (corpus, start):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (start / str(number)).write_bytes(seed)
    done = subprocess.run(
        [options.program, f"-max_total_time={options.seconds}", "-timeout=20",
         "-rss_limit_mb=2048", "-print_final_stats=1",
         f"-artifact_prefix={options.corpus}/", corpus, start])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
