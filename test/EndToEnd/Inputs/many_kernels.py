#!/usr/bin/env python3
"""Compiles a network of more kernels than LLVM takes at a time, on all cores
and on one: the artifacts are the same bytes, and each result is numpy's.
"""
import argparse
import os
import pathlib

import numpy

from batch import check, run_tool

COUNT = 20


def write_network(path):
    arguments = [f"%x{i}: tensor<{i + 3}x{2 * i + 5}xf32>"
                 for i in range(COUNT)]
    types = [argument.split(": ")[1] for argument in arguments]
    lines = [f"func.func @main({', '.join(arguments)}) -> "
             f"({', '.join(types)}) {{"]
    lines += [f"  %y{i} = weir.softmax %x{i} {{axis = -1}} : {types[i]}"
              for i in range(COUNT)]
    lines.append(f"  return {', '.join(f'%y{i}' for i in range(COUNT))} : "
                 f"{', '.join(types)}\n}}\n")
    path.write_text("\n".join(lines))


def compile_on(cores, text, artifact):
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    run_tool("graph-compile", text, "-o", artifact, "--threads=1",
             "--kernel-cache=off")
    os.sched_setaffinity(0, own)
    return artifact.read_bytes()


def softmax(x):
    powers = numpy.exp(x.astype(numpy.float64) - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    text = work / "net.mlir"
    write_network(text)
    cores = os.sched_getaffinity(0)
    artifact = work / "all.weir"
    check(compile_on(cores, text, artifact) ==
          compile_on({min(cores)}, text, work / "one.weir"),
          "one core, other bytes")
    arrays = numpy.random.default_rng(5)
    arguments, inputs = [], []
    for i in range(COUNT):
        inputs.append(arrays.standard_normal((i + 3, 2 * i + 5), "float32"))
        numpy.save(work / f"x{i}.npy", inputs[-1])
        arguments += ["--input", f"x{i}={work / f'x{i}.npy'}",
                      "--output", f"y{i}={work / f'y{i}.npy'}"]
    run_tool("graph-run", artifact, *arguments)
    for i, x in enumerate(inputs):
        difference = abs(numpy.load(work / f"y{i}.npy") - softmax(x)).max()
        check(difference < 1e-6, f"y{i} is off by {difference}")
    print(f"{COUNT} kernels: the same bytes on one core, numpy's results")


if __name__ == "__main__":
    main()
