#!/usr/bin/env python3
"""Runs per second of networks: two devices against one, many callers against
one, two models at once against both by turns.

    utils/bench/setup.sh VENV
    VENV/bin/python utils/bench/throughput.py CACHE [--bin=build/bin]
        [--only=callers]

Run it on a machine that does nothing else.

pipeline   The network is cut over cpu:0 and cpu:1, with one thread each and
           --in-flight=2, where a profile of its launches says that the halves
           take equal times. Of the nearest cuts, the one with the most runs per
           second is taken. The figure is its runs per second over those of one
           device with one thread. Both give the same bits.
callers    Eight threads call one session, compiled with --in-flight=2. The
           figure is their calls per second over those of one thread.
models     Two sessions, each called by a thread of its own. The figure is their
           calls per second over those of one thread that calls both by turns.

Contenders alternate. A figure is that of the best of all rounds.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import onnx

import cache
import make_networks
import networks
import profile_table
from contenders.process import Unable, cores
from contenders.weir import Weir
from report import table
from same_bits import live_values

HERE = pathlib.Path(__file__).resolve().parent
CORES = 2
PIPELINED = ["resnet50", "bert_base", "mobilenet_v2"]
CALLED = ["resnet50", "mobilenet_v2"]
# The number of cuts that are measured.
CUTS = 4
MOST_CROSSINGS = 3
CALLERS = 8


class Bench:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.weir = Weir(options.bin, scratch)
        self.artifacts = 0

    def compile(self, made, threads, *flags):
        self.artifacts += 1
        path = self.scratch / f"{made.name}-{self.artifacts}.weir"
        self.weir.translate(made, path, threads, *flags)
        return path

    def runs(self, made, artifact):
        """How many runs take the time of a round."""
        report = self.weir.execute(made, artifact, CORES, "--warmup=2",
                                   "--repeat=3")
        return max(10, round(self.options.budget_ms /
                             report["latency_ms"]["min"]))

    def rate(self, made, artifact, devices, runs):
        """Runs per second on as many cores as devices, with as many runs in
        flight."""
        return self.weir.execute(
            made, artifact, devices, f"--in-flight={devices}", "--warmup=5",
            f"--repeat={runs}")["runs_per_second"]

    def output(self, made, artifact, name):
        file = self.scratch / "output.npy"
        self.weir.execute(made, artifact, CORES, f"--output={name}={file}")
        return file.read_bytes()

    def launches(self, made, artifact):
        """(op, us) of each launch."""
        flags = [f"--input={name}={file}"
                 for name, file in made.inputs.items()]
        launches, _ = profile_table.run(
            self.weir.tool("graph-run"), artifact,
            [*flags, "--warmup=2", "--repeat=10"])
        return [(launch.op, launch.us) for launch in launches]


def find_cuts(model, launches):
    """Nodes behind which few values are alive; those come first that divide the
    time best."""
    order = {node.name or node.output[0]: at
             for at, node in enumerate(model.graph.node)}
    alive = live_values(model)
    total, passed, found = sum(us for _, us in launches), 0.0, []
    for op, us in launches:
        passed += us
        if op in order and len(alive[order[op]]) <= MOST_CROSSINGS:
            found.append((abs(passed / total - 0.5), op))
    return [op for _, op in sorted(found)[:CUTS]]


def best_cut(bench, made, one, runs):
    """(node, artifact) of the cut with the most runs per second."""
    model = onnx.load(made.model)
    output = model.graph.output[0].name
    expected, measured = bench.output(made, one, output), []
    for cut in find_cuts(model, bench.launches(made, one)):
        two = bench.compile(made, 1, "--devices=cpu:0-1", "--in-flight=2",
                            f"--place=after:{cut}=cpu:1")
        if bench.output(made, two, output) != expected:
            raise Unable(f"other bits when cut after {cut}")
        measured.append((bench.rate(made, two, CORES, runs), cut, two))
    if not measured:
        raise Unable("no node has few live values behind it")
    return max(measured)[1:]


def pipeline(bench, made):
    one = bench.compile(made, 1, "--devices=cpu:0")
    runs = bench.runs(made, one)
    cut, two = best_cut(bench, made, one, runs)
    slow = fast = 0.0
    for _ in range(bench.options.rounds):
        slow = max(slow, bench.rate(made, one, 1, runs))
        fast = max(fast, bench.rate(made, two, CORES, runs))
    return row(f"{made.name}, cut after {cut}", slow, fast)


def row(name, slow, fast):
    return [name, f"{slow:.1f}", f"{fast:.1f}", f"{fast / slow:.3f}"]


class Callers:
    """The program callers.cpp."""

    def __init__(self, bench, compiler):
        build = pathlib.Path(bench.weir.tool("graph-run")).resolve().parents[1]
        self.bench, self.program = bench, bench.scratch / "callers"
        subprocess.run(
            [compiler, "-std=c++20", "-O2", f"-I{HERE.parents[1] / 'include'}",
             f"-I{build / 'include'}", HERE / "callers.cpp", "-o",
             self.program, f"-L{build / 'lib'}", "-lWeirRuntime",
             f"-Wl,-rpath,{build / 'lib'}"], check=True)

    def run(self, networks):
        """Calls per second by one thread, and by several."""
        artifacts = [self.bench.compile(made, CORES, "--in-flight=2")
                     for made in networks]
        calls = max(self.bench.runs(*pair)
                    for pair in zip(networks, artifacts))
        out = subprocess.run(
            ["taskset", "-c", ",".join(map(str, cores(CORES))), self.program,
             str(CALLERS), str(calls), str(self.bench.options.rounds),
             *artifacts], check=True, text=True, stdout=subprocess.PIPE).stdout
        return row(" and ".join(made.name for made in networks),
                   *(calls * len(networks) / float(seconds)
                     for seconds in out.split()))


def measure(bench, options):
    """(title, contenders, rows) of each table."""
    def made(names):
        return [cache.ensure(network, options.folder)
                for network in make_networks.choose(names, networks.ALL)]

    wanted = options.only or ["pipeline", "callers", "models"]
    if "pipeline" in wanted:
        yield ("pipeline", ["one device", "two devices"],
               [pipeline(bench, each) for each in made(PIPELINED)])
    callers = Callers(bench, options.cxx)
    if "callers" in wanted:
        yield ("callers", ["one", f"{CALLERS}"],
               [callers.run([each]) for each in made(CALLED)])
    if "models" in wanted:
        yield ("models", ["by turns", "at once"], [callers.run(made(CALLED))])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--only", action="append",
                        choices=["pipeline", "callers", "models"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--budget-ms", type=float, default=1000)
    parser.add_argument("--bin", help="the folder of Weir's tools")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        bench = Bench(options, scratch)
        try:
            for title, contenders, rows in measure(bench, options):
                print(table([title, *contenders, "ratio"], rows), flush=True)
        except Unable as unable:
            sys.exit(str(unable))


if __name__ == "__main__":
    main()
