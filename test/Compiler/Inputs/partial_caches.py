#!/usr/bin/env python3
"""partial_caches.py GRAPH ARTIFACT CACHE

Compiles GRAPH with copies of CACHE that lack entries, and eight times at once
with an empty cache. Each time the result must be the bytes of ARTIFACT, without
a message.
"""
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "utils"))

import kernel_cache_file

HOLES, PROCESSES = 12, 8


def start(graph, output, cache):
    return subprocess.Popen(
        ["graph-compile", graph, "-o", output, f"--kernel-cache={cache}"],
        stderr=subprocess.PIPE)


def finish(process, output, expected, what):
    message = process.communicate()[1]
    if process.returncode or message:
        sys.exit(f"{what}: exit code {process.returncode}: {message.decode()}")
    if output.read_bytes() != expected:
        sys.exit(f"{what}: other bytes")


def main():
    graph, artifact, cache = map(pathlib.Path, sys.argv[1:])
    expected = artifact.read_bytes()
    copy, output = cache.with_name("copy"), cache.with_name("copy.weir")
    copy.mkdir(mode=0o700)
    file = copy / kernel_cache_file.NAME
    whole = (cache / kernel_cache_file.NAME).read_bytes()
    for seed in range(HOLES):
        file.write_bytes(
            kernel_cache_file.lose_entries(whole, random.Random(seed), 0.6))
        finish(start(graph, output, copy), output, expected, f"seed {seed}")
    shutil.rmtree(copy)
    outputs = [cache.with_name(f"{i}.weir") for i in range(PROCESSES)]
    running = [start(graph, output, copy) for output in outputs]
    for process, output in zip(running, outputs):
        finish(process, output, expected, output.name)
    print(f"{HOLES} caches with holes, {PROCESSES} processes at once: the same "
          "bytes")


if __name__ == "__main__":
    main()
