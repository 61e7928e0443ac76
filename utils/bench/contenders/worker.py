"""Loads one network in one peer's library, runs it, times it, and prints what
came of it as JSON.

    worker.py ENGINE TASK      TASK: what contenders/peer.py writes
    worker.py ENGINE --version

Inputs and outputs are bound before the timed runs, and nothing else runs in the
process. A run is timed from here by one call into the library.
"""
import importlib
import json
import pathlib
import re
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

WARM_UP_SHARE = 0.2
LEAST_RUNS = 3
NS_PER_MS = 1e6


def time_runs(run, budget_ms):
    """The nanoseconds of each run, for as long as the budget lasts, and of at
    least three."""
    times, clock = [], time.perf_counter_ns
    end = clock() + budget_ms * NS_PER_MS
    while len(times) < LEAST_RUNS or clock() < end:
        begin = clock()
        run()
        times.append(clock() - begin)
    return times


def peak_bytes():
    """The peak memory of this process. Unlike getrusage, it does not include
    that of the parent."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def perform(engine_class, task):
    inputs = {name: np.load(file) for name, file in task["inputs"].items()}
    begin = time.perf_counter_ns()
    engine = engine_class(task["model"], task["threads"], task["precision"])
    load_ms = (time.perf_counter_ns() - begin) / NS_PER_MS
    engine.bind(inputs)
    time_runs(engine.run, task["budget_ms"] * WARM_UP_SHARE)
    times = sorted(time_runs(engine.run, task["budget_ms"]))
    report = {"load_ms": load_ms, "peak_bytes": peak_bytes(),
              "latency_ms": {"min": times[0] / NS_PER_MS,
                             "median": times[len(times) // 2] / NS_PER_MS}}
    if "answers" in task:
        answers = engine.answers()
        for at, array in enumerate(answers.values()):
            np.save(pathlib.Path(task["answers"], f"{at}.npy"), array)
        report["outputs"] = list(answers)
    return report


def main():
    name, task = sys.argv[1:]
    engine = importlib.import_module(f"contenders.{name}_engine")
    report = ({"version": engine.version()} if task == "--version"
              else perform(engine.Engine, json.loads(task)))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
