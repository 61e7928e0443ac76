#!/usr/bin/env python3
"""Runs per second of networks: two devices against one, many callers against
one, two models at once against both by turns.

    utils/bench/setup.sh VENV
    VENV/bin/python utils/bench/throughput.py CACHE [--bin=build/bin]
        [--only=callers]

Run it on a machine that does nothing else.

pipeline   The network is cut over cpu:0 and cpu:1, with one thread each and
           --in-flight=2, where a profile of its launches says that the halves
           take equal times. Of the nearest cuts with the same bits as one
           device, the one with the most runs per second is taken. The figure is
           its runs per second over those of one device with one thread. Two
           processes at once, each with one such device, say what the machine's
           cores give together.
callers    Eight threads call one session, compiled with --in-flight=2. The
           figure is their calls per second over the most that one thread gets,
           also from a session that is compiled for one run at a time.
models     Two sessions, each called by a thread of its own. The figure is their
           calls per second over those of one thread that calls both by turns.

Contenders alternate, in one process and from process to process. A figure is
that of the best of all rounds.
"""
import argparse
import concurrent.futures
import os
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
CUTS = 6
MOST_CROSSINGS = 3
# One half of a pipeline of two devices has nothing to do for half a run at the
# start and at the end. With so many runs that costs 1 % at most.
PIPELINED_RUNS = 100
CALLERS = 8
ROUNDS_OF_PROCESS = 10


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

    def runs(self, made, artifact, least=10):
        """How many runs take the time of a round."""
        report = self.weir.execute(made, artifact, CORES, "--warmup=2",
                                   "--repeat=3")
        return max(least, round(self.options.budget_ms /
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
    """Nodes behind which few values are alive and a launch begins; those come
    first that divide the time best."""
    names = [node.name or node.output[0] for node in model.graph.node]
    order = {name: at for at, name in enumerate(names)}
    alive = live_values(model)
    total, passed, found = sum(us for _, us in launches), 0.0, []
    for op, us in launches:
        last = order.get(op, 0) - 1
        if last >= 0 and len(alive[last]) <= MOST_CROSSINGS:
            found.append((abs(passed / total - 0.5), names[last]))
        passed += us
    return [name for _, name in sorted(found)[:CUTS]]


def best_cut(bench, made, one, runs):
    """(node, artifact) of the cut with the most runs per second."""
    model = onnx.load(made.model)
    output = model.graph.output[0].name
    expected, measured = bench.output(made, one, output), []
    for cut in find_cuts(model, bench.launches(made, one)):
        two = bench.compile(made, 1, "--devices=cpu:0-1", "--in-flight=2",
                            f"--place=after:{cut}=cpu:1")
        # A cut inside of what would be one launch may change the last bits.
        if bench.output(made, two, output) != expected:
            continue
        measured.append((bench.rate(made, two, CORES, runs), cut, two))
    if not measured:
        raise Unable(f"{made.name} has no cut with few live values behind it "
                     "and the same bits")
    return max(measured)[1:]


def rate_of_processes(bench, made, artifact, runs):
    """Runs per second of one process for each core, all at the same time."""
    def on(core):
        # This thread's children inherit its affinity.
        os.sched_setaffinity(0, {core})
        return bench.rate(made, artifact, 1, runs)

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return sum(pool.map(on, cores(CORES)))


def pipeline(bench, made):
    one = bench.compile(made, 1, "--devices=cpu:0")
    runs = bench.runs(made, one, PIPELINED_RUNS)
    cut, two = best_cut(bench, made, one, runs)
    slow = bound = fast = 0.0
    for _ in range(bench.options.rounds):
        slow = max(slow, bench.rate(made, one, 1, runs))
        bound = max(bound, rate_of_processes(bench, made, one, runs))
        fast = max(fast, bench.rate(made, two, CORES, runs))
    return row(f"{made.name}, cut after {cut}", slow, bound, fast)


def row(name, one, *others):
    """Rates, and those of the others over the first."""
    return [name, f"{one:.1f}", *(text for rate in others for text in
                                  (f"{rate:.1f}", f"{rate / one:.3f}"))]


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

    def seconds(self, threads, calls, artifacts):
        """The times of a process."""
        out = subprocess.run(
            ["taskset", "-c", ",".join(map(str, cores(CORES))), self.program,
             str(threads), str(calls), str(ROUNDS_OF_PROCESS), *artifacts],
            check=True, text=True, stdout=subprocess.PIPE).stdout
        return [float(seconds) for seconds in out.split()]

    def run(self, networks):
        """Calls per second by one thread, and by several."""
        shared = [self.bench.compile(made, CORES, "--in-flight=2")
                  for made in networks]
        calls = max(self.bench.runs(*pair) for pair in zip(networks, shared))
        alone, many = [], []
        single = networks[0] if len(networks) == 1 else None
        if single:
            artifact = self.bench.compile(single, CORES)
        for _ in range(self.bench.options.rounds):
            if single:
                alone += self.seconds(1, calls, [artifact])
            one, several = self.seconds(CALLERS, calls, shared)
            alone.append(one)
            many.append(several)
        return row(" and ".join(made.name for made in networks),
                   *(calls * len(networks) / min(times)
                     for times in (alone, many)))


def measure(bench, options):
    """(title, contenders, rows) of each table."""
    def made(names):
        return [cache.ensure(network, options.folder)
                for network in make_networks.choose(names, networks.ALL)]

    wanted = options.only or ["pipeline", "callers", "models"]
    if "pipeline" in wanted:
        yield ("pipeline", ["one device", "two processes", "ratio",
                            "two devices", "ratio"],
               [pipeline(bench, each) for each in made(PIPELINED)])
    callers = Callers(bench, options.cxx)
    if "callers" in wanted:
        yield ("callers", ["one", f"{CALLERS}", "ratio"],
               [callers.run([each]) for each in made(CALLED)])
    if "models" in wanted:
        yield ("models", ["by turns", "at once", "ratio"],
               [callers.run(made(CALLED))])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--only", action="append",
                        choices=["pipeline", "callers", "models"])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--budget-ms", type=float, default=400)
    parser.add_argument("--bin", help="the folder of Weir's tools")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        bench = Bench(options, scratch)
        try:
            for title, contenders, rows in measure(bench, options):
                print(table([title, *contenders], rows), flush=True)
        except Unable as unable:
            sys.exit(str(unable))


if __name__ == "__main__":
    main()
