#!/usr/bin/env python3
"""Times the executor and concurrent devices, and prints what was asked for and
what was found.

    utils/bench/run.py [--rounds=10] [--json]

Run it with the tools of build/bin on PATH (or give --bin), on a machine that
does nothing else: the load is printed with each row. A figure is found once a
round, as the best of some runs; rows alternate, so that what disturbs one
disturbs all. The spread is that of the rounds. Nothing here fails when a figure
is bad.
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

from matmul_chains import busy_shares, read_launches, write_chains

MICROSECONDS_PER_MILLISECOND = 1000


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, name, *arguments):
        """The standard output."""
        command = [shutil.which(name, path=self.folder) or name,
                   *map(str, arguments)]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
        return done.stdout

    def compile(self, text, artifact, *flags):
        self.run("graph-compile", text, "-o", artifact, "--threads=1", *flags)
        return artifact

    def fastest(self, artifact, repeats, *flags):
        """Milliseconds of the fastest run."""
        report = self.run("graph-run", artifact, "--input=x=random", "--json",
                          f"--repeat={repeats}", "--warmup=1", *flags)
        return json.loads(report)["latency_ms"]["min"]


class LaunchCost:
    """Microseconds per launch of a chain of 8x8 products. Without generated
    kernels, which would fuse them, each has a launch of its own."""

    def __init__(self, tools, folder, device, length, asked):
        self.name = f"{device}: us per launch, {length} launches"
        self.asked, self.is_most = asked, True
        self.tools, self.length = tools, length
        text = write_chains(folder / f"{device}{length}", 1, length, 8)
        topology = text.with_suffix(".json")
        topology.write_text(json.dumps({"devices": [
            {"name": device, "threads": 1,
             "excluded_kernels": ["generated"]}]}))
        self.artifact = text.with_suffix(".weir")
        stats = json.loads(tools.run(
            "graph-compile", text, "-o", self.artifact, "--stats=json",
            f"--topology={topology}"))
        launches = sum(each["launches"] for each in stats["devices"])
        if launches != length:
            sys.exit(f"error: expected {length} launches, found {launches}")

    def measure(self):
        return (self.tools.fastest(self.artifact, 10)
                * MICROSECONDS_PER_MILLISECOND / self.length)


class TwoDevices:
    """How much faster two devices of one thread run two chains than one."""

    def __init__(self, tools, folder, length, size, asked):
        self.name = f"two chains of {length} {size}x{size} products: speed-up"
        self.asked, self.is_most = asked, False
        self.tools = tools
        text = write_chains(folder / "two", 2, length, size)
        self.one = tools.compile(text, text.with_name("one.weir"),
                                 "--devices=cpu:0")
        self.two = tools.compile(text, text.with_name("two.weir"),
                                 "--devices=cpu:0-1", "--place=a*=cpu:0",
                                 "--place=b*=cpu:1")

    def measure(self):
        return (self.tools.fastest(self.one, 5)
                / self.tools.fastest(self.two, 5))


class BothBusy:
    """The share of a run in which both devices of TwoDevices launch."""

    def __init__(self, two, asked):
        self.name = "trace of the two chains: share with both rows busy"
        self.asked, self.is_most = asked, False
        self.two = two

    def measure(self):
        trace = self.two.two.with_suffix(".json")
        self.two.tools.fastest(self.two.two, 1, f"--profile={trace}")
        # The trace has the run that warms up as well; the pause between them
        # belongs to nobody.
        rows = {device: row[len(row) // 2:]
                for device, row in read_launches(trace).items()}
        return busy_shares(rows)[1]


def make_rows(tools, folder, is_small):
    shrink = 50 if is_small else 1
    two = TwoDevices(tools, folder, 50, 512 // (4 if is_small else 1), 1.7)
    return [LaunchCost(tools, folder, "null:0", 100000 // shrink, 0.1),
            LaunchCost(tools, folder, "cpu:0", 10000 // shrink, 1.0),
            two, BothBusy(two, 0.5)]


def summarise(row, values, load):
    return {"what": row.name, "at_most": row.is_most, "asked": row.asked,
            "min": min(values), "median": statistics.median(values),
            "max": max(values), "load": load}


def print_table(results):
    print(f"{'what':<52} {'asked':>9} {'min':>8} {'median':>8} {'max':>8} "
          f"{'load':>5}")
    for row in results:
        asked = ("<= " if row["at_most"] else ">= ") + str(row["asked"])
        print(f"{row['what']:<52} {asked:>9} {row['min']:8.4f} "
              f"{row['median']:8.4f} {row['max']:8.4f} {row['load']:5.1f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--small", action="store_true",
                        help="small problems, to try this script")
    parser.add_argument("--bin", help="the folder of the tools")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = make_rows(Tools(options.bin), pathlib.Path(folder),
                         options.small)
        values, loads = [[] for _ in rows], [0.0] * len(rows)
        for _ in range(options.rounds):
            for number, row in enumerate(rows):
                values[number].append(row.measure())
                loads[number] = max(loads[number], os.getloadavg()[0])
    results = [summarise(*row) for row in zip(rows, values, loads)]
    if options.json:
        print(json.dumps({"machine": platform.processor(),
                          "cores": os.cpu_count(), "rows": results}, indent=2))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
