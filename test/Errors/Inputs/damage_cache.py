#!/usr/bin/env python3
"""damage_cache.py GRAPH CACHE --count=N

Compiles GRAPH N times with the folder CACHE as kernel cache, each time with
another damage of its file, and often without some entries. Each run must end by
itself with exit code 0 and give the bytes that the compiler gives without a
cache. Damages are drawn by seeds 0, 1, 2, ...
"""
import argparse
import pathlib
import random
import shutil

from damage import TIME, damage
from fork_server import Tool
import kernel_cache_file

BLOCK = 64
# Which share of the entries goes.
LOST = (0, 0, 0.3, 0.7)


def compile_graph(tool, options, cache):
    """The artifact (None: there is none) and the messages."""
    output = f"{options.graph}.weir"
    pathlib.Path(output).unlink(missing_ok=True)
    code, _, message = tool.run(
        [options.graph, "-o", output, f"--kernel-cache={cache}"])
    return (pathlib.Path(output).read_bytes() if code == 0 else None), message


def damage_used(data, seed):
    """Damages the blocks of a file that are not zeros; most are."""
    blocks = [at for at in range(0, len(data), BLOCK)
              if any(data[at:at + BLOCK])]
    changed = damage(b"".join(data[at:at + BLOCK] for at in blocks), seed,
                     False)
    result = bytearray(data)
    for at in blocks:
        size = len(result[at:at + BLOCK])
        block, changed = changed[:size], changed[size:]
        result[at:at + len(block)] = block
        if len(block) < size:  # It was cut off.
            return bytes(result[:at + len(block)])
    return bytes(result) + changed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--fork-server", metavar="LIBRARY")
    options = parser.parse_args()
    tool = Tool("graph-compile", TIME, options.fork_server)
    expected, _ = compile_graph(tool, options, "off")
    compile_graph(tool, options, options.cache)
    file = options.cache / kernel_cache_file.NAME
    whole = file.read_bytes()
    noted = problems = 0
    for seed in range(options.count):
        draw = random.Random(seed)
        data = kernel_cache_file.lose_entries(whole, draw, draw.choice(LOST))
        file.unlink()
        file.write_bytes(damage_used(data, seed))
        found, message = compile_graph(tool, options, options.cache)
        noted += b"note: kernel cache: " in message
        if found != expected:
            problems += 1
            print(f"seed {seed}: {message[-500:]!r}")
    tool.end()
    shutil.rmtree(options.cache)
    print(f"{options.count} damages, {noted} noted, {problems} problems")


if __name__ == "__main__":
    main()
