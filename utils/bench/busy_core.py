#!/usr/bin/env python3
"""Runs per second of networks on all cores against one thread, while another
process keeps a core busy.

    utils/bench/setup.sh VENV
    VENV/bin/python utils/bench/busy_core.py CACHE [--bin=build/bin]
        [--only=NETWORK] [--rounds=5]

Run it on a machine that does nothing else. The other process computes without
end and is bound to no core. So one thread may always have a core of its own,
and a team of all cores never has all of them. Contenders alternate, each in a
process of its own. On the idle machine there is one run. Behind it are the
medians of all rounds, and the least and the median of the rounds' ratios.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import cache
import make_networks
import networks
from contenders.process import Unable
from contenders.weir import Weir
from report import table

CHOSEN = ["digits_1", "resnet18", "bert_base"]
LEAST_RUNS = 5
CORES = len(os.sched_getaffinity(0))
ENDLESS = "while True: pass"


def rate(weir, made, artifact, threads, runs):
    """Runs per second of `threads` threads, which may be on any core."""
    return weir.execute(made, artifact, CORES, f"--threads={threads}",
                        "--warmup=3", f"--repeat={runs}")["runs_per_second"]


def measure(weir, made, options):
    artifact = weir.scratch / f"{made.name}.weir"
    weir.translate(made, artifact, CORES)
    runs = max(LEAST_RUNS, round(options.budget_ms / 1e3 * rate(
        weir, made, artifact, 1, LEAST_RUNS)))
    idle = rate(weir, made, artifact, CORES, runs)
    busy = subprocess.Popen([sys.executable, "-c", ENDLESS])
    try:
        rounds = [(rate(weir, made, artifact, CORES, runs),
                   rate(weir, made, artifact, 1, runs))
                  for _ in range(options.rounds)]
    finally:
        busy.kill()
        busy.wait()
    teams, alone = zip(*rounds)
    ratios = [team / one for team, one in rounds]
    return [made.name, f"{idle:.1f}", f"{statistics.median(teams):.1f}",
            f"{statistics.median(alone):.1f}", f"{min(ratios):.2f}",
            f"{statistics.median(ratios):.2f}"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--only", action="append", metavar="NETWORK")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget-ms", type=float, default=1000)
    parser.add_argument("--bin", help="the folder of Weir's tools")
    options = parser.parse_args()
    header = ["network, runs/s", f"{CORES} threads, idle machine",
              f"{CORES} threads", "1 thread", "least ratio", "ratio"]
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        weir = Weir(options.bin, scratch)
        try:
            rows = [measure(weir, cache.ensure(network, options.folder),
                            options)
                    for network in make_networks.choose(
                        options.only or CHOSEN, networks.ALL)]
        except Unable as unable:
            sys.exit(str(unable))
    print(table(header, rows))


if __name__ == "__main__":
    main()
