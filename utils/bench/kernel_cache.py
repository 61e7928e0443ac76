#!/usr/bin/env python3
"""Shows what the cache of compiled kernels gains.

    VENV/bin/python utils/bench/kernel_cache.py CACHE [--bin=build/bin]

Compiles a random mix of 1,000 ops, ResNet-50 and DenseNet-121 without a cache,
with an empty one and with a full one, in turns, and with eight processes at
once that fill an empty one. All artifacts of a graph must have the same bytes.
CACHE is the folder of networks. Prints the least seconds of ROUNDS, and the CPU
time of that round.
"""
import argparse
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import cache
import growing_graphs
import kernel_cache_file
import networks
import tools

PROCESSES = 8
KINDS = ("off", "cold", "warm")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, options, scratch):
        self.tool = tools.find(options.bin, "graph-compile")
        self.rounds, self.scratch = options.rounds, scratch
        self.kernels = scratch / "kernels"

    def start(self, graph, output, folder):
        return subprocess.Popen([self.tool, graph, "--threads=2", "-o", output,
                                 f"--kernel-cache={folder}"])

    def compile(self, graph, kind):
        """Wall and CPU seconds, and the artifact's bytes."""
        if kind == "cold":
            shutil.rmtree(self.kernels, ignore_errors=True)
        output = self.scratch / "made.weir"
        output.unlink(missing_ok=True)
        begin, before = time.perf_counter(), cpu_seconds()
        done = self.start(graph, output,
                          "off" if kind == "off" else self.kernels).wait()
        took = time.perf_counter() - begin, cpu_seconds() - before
        if done:
            sys.exit(f"{graph}: {kind}: exit code {done}")
        return took, output.read_bytes()

    def compile_at_once(self, graph):
        """Seconds until all processes have ended, and their artifacts."""
        shutil.rmtree(self.kernels)
        outputs = [self.scratch / f"{i}.weir" for i in range(PROCESSES)]
        begin = time.perf_counter()
        running = [self.start(graph, output, self.kernels)
                   for output in outputs]
        if any([process.wait() for process in running]):
            sys.exit(f"{graph}: a process failed")
        took = time.perf_counter() - begin
        made = [output.read_bytes() for output in outputs]
        for output in outputs:
            output.unlink()
        return took, made

    def measure(self, name, graph):
        best, artifacts = dict.fromkeys(KINDS, (1e9, 0)), set()
        for _ in range(self.rounds):
            for kind in KINDS:
                took, made = self.compile(graph, kind)
                best[kind] = min(best[kind], took)
                artifacts.add(hash(made))
        data = (self.kernels / kernel_cache_file.NAME).read_bytes()
        entries = kernel_cache_file.slots(data)
        held = sum(kernel_cache_file.entry(data, slot)[1] for slot in entries)
        at_once, made = self.compile_at_once(graph)
        artifacts |= set(map(hash, made))
        print(f"{name}: " + ", ".join(
            f"{kind} {wall:.3f} s ({cpu:.3f} s CPU)"
            for kind, (wall, cpu) in best.items()) +
            f"; {len(entries)} entries of {held} bytes; {PROCESSES} at once "
            f"{at_once:.2f} s", flush=True)
        if len(artifacts) != 1:
            sys.exit(f"{name}: {len(artifacts)} different artifacts")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--bin", default="build/bin",
                        help="the folder of Weir's tools")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        bench = Bench(options, pathlib.Path(scratch))
        mix = bench.scratch / "mix.mlir"
        mix.write_text(growing_graphs.random_mix(1000))
        bench.measure("mix of 1000", mix)
        for network in networks.ALL:
            if network.name in ("resnet50", "densenet121"):
                made = cache.ensure(network, options.folder)
                bench.measure(network.name, made.model)


if __name__ == "__main__":
    main()
