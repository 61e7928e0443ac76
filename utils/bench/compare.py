#!/usr/bin/env python3
"""Compares Weir with its peers, ONNX Runtime and OpenVINO, network by network.

    utils/bench/setup.sh VENV
    VENV/bin/python utils/bench/compare.py CACHE --bin=build/bin --json=F.json

Run it on a machine that does nothing else. Networks are made in the folder
CACHE unless they are there. Each contender's answer is compared with ONNX
Runtime's before it is timed; one that is wrong is timed all the same, and the
table says so. In each round each contender has a process of its own on as many
cores as it has threads, one after the other, in another order each round; a
round's figure is the least time of a run while --budget-ms lasts. --check
compares answers only, and exits with 1 when Weir has none or a wrong one.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import sys
import tempfile

import numpy as np

import cache
import make_networks
import networks
import report
from contenders.peer import Peer
from contenders.process import Setting, Unable
from contenders.weir import Weir

REFERENCE = "onnxruntime"
PRECISIONS = ("f32", "bf16")
# The most error in f32, as a share of the largest output. What bf16 loses is
# compared with what a peer loses on the same network.
MOST_ERROR, BF16_PEER, MOST_BF16_RATIO = 1e-4, "openvino", 1.5
MEMORY_SETTING = Setting(2, "f32")


def make_contenders(names, tools, scratch):
    known = {"weir": lambda: Weir(tools, scratch),
             "onnxruntime": lambda: Peer("onnxruntime", ("f32",), scratch),
             "openvino": lambda: Peer("openvino", ("f32", "bf16"), scratch)}
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"error: no contender is called {', '.join(sorted(unknown))}; "
                 f"there are {', '.join(known)}")
    return [known[name]() for name in names]


def largest_error(answers, expected):
    """The largest error of all outputs, each relative to its largest element.
    Raises Unable if an output is missing or has another shape."""
    errors = []
    for name, wanted in expected.items():
        got = answers.get(name)
        if got is None or got.shape != wanted.shape:
            shape = "none" if got is None else list(got.shape)
            raise Unable(f"output {name}: shape {shape}, not "
                         f"{list(wanted.shape)}")
        wanted, got = wanted.astype(np.float64), got.astype(np.float64)
        error = np.abs(got - wanted).max() / np.abs(wanted).max()
        errors.append(error if np.isfinite(error) else np.inf)
    return float(max(errors))


class Trial:
    """One contender on one network in one setting."""

    def __init__(self, contender, made, setting):
        self.contender, self.made, self.setting = contender, made, setting
        self.record = {"network": made.name, "overhead": made.overhead,
                       "contender": contender.name, "threads": setting.threads,
                       "precision": setting.precision, "rounds": []}

    @property
    def is_able(self):
        return "reason" not in self.record

    def attempt(self, action):
        """Calls the function, and records the reason if it fails."""
        if not self.is_able:
            return
        try:
            action()
        except Unable as unable:
            self.record["reason"] = str(unable)

    def check(self, expected):
        def action():
            answers = self.contender.answer(self.made, self.setting, expected)
            self.record["error"] = largest_error(answers, expected)
        self.attempt(action)

    def measure(self, budget_ms):
        def action():
            found = self.contender.measure(self.made, self.setting, budget_ms)
            found["machine_load"] = os.getloadavg()[0]
            self.record["rounds"].append(found)
        self.attempt(action)

    def weigh(self):
        """Measures memory, in a process that is not timed."""
        def action():
            found = self.contender.peak(self.made, self.setting)
            self.record["memory"] = {
                key: found[key] for key in ("peak_bytes", "planned_bytes")
                if key in found} | {"weight_bytes": self.made.weight_bytes}
        self.attempt(action)


class Comparison:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.contenders = make_contenders(options.contenders, options.bin,
                                          scratch)
        self.reference = Peer(REFERENCE, ("f32",), scratch)
        self.settings = [Setting(threads, precision)
                         for precision in options.precisions
                         for threads in options.threads]
        self.versions = {contender.name: version(contender)
                         for contender in self.contenders}
        self.baselines = {}
        self.records = []

    def run(self, chosen):
        for network in chosen:
            made = cache.ensure(network, self.options.folder)
            expected = self.reference.answer(made, Setting(
                max(self.options.threads), "f32"))
            for setting in self.settings:
                self.compare(made, setting, expected)
            for contender in self.contenders:
                contender.release(made)
            # A long comparison that is cut off leaves what it has.
            self.save()

    def compare(self, made, setting, expected):
        trials = [Trial(contender, made, setting)
                  for contender in self.contenders
                  if setting.precision in contender.precisions]
        for trial in trials:
            trial.check(expected)
        if not self.options.check:
            for number in range(self.options.rounds):
                turn = number % len(trials)
                for trial in trials[turn:] + trials[:turn]:
                    trial.measure(self.options.budget_ms)
            if setting == MEMORY_SETTING:
                for trial in trials:
                    trial.weigh()
        self.records += [trial.record for trial in trials]
        for trial in trials:
            print(report.progress(trial.record), file=sys.stderr, flush=True)

    def weigh_baselines(self):
        """The memory of a process of each contender with a minimal network."""
        made = cache.ensure(networks.BASELINE, self.options.folder)
        for contender in self.contenders:
            trial = Trial(contender, made, MEMORY_SETTING)
            trial.weigh()
            if trial.is_able:
                self.baselines[contender.name] = (
                    trial.record["memory"]["peak_bytes"])

    def save(self):
        if self.options.json:
            pathlib.Path(self.options.json).write_text(
                json.dumps(self.results(), indent=1), encoding="utf-8")

    def results(self):
        return {"machine": describe_machine(),
                "versions": self.versions,
                "rounds": self.options.rounds,
                "budget_ms": self.options.budget_ms,
                "baseline_bytes": self.baselines, "records": self.records}


def is_right(record, records):
    """Whether an answer is as close as required."""
    if "reason" in record:
        return False
    if record["precision"] == "f32":
        return record["error"] <= MOST_ERROR
    peers = [other["error"] for other in records
             if other["contender"] == BF16_PEER and "error" in other
             and all(other[key] == record[key]
                     for key in ("network", "precision", "threads"))]
    # A network that is not worth bf16 is as exact as in f32.
    return np.isfinite(record["error"]) and all(
        record["error"] <= max(MOST_ERROR, MOST_BF16_RATIO * error)
        for error in peers)


def version(contender):
    try:
        return contender.version()
    except Unable as unable:
        return str(unable)


def describe_machine():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*: (.*)", text)
    return {"cpu": model[1] if model else platform.machine(),
            "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release()}


def words(text):
    return text.split(",")


def numbers(text):
    return [int(word) for word in words(text)]


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="networks by name (repeat)")
    parser.add_argument("--contenders", type=words,
                        default=["weir", "onnxruntime", "openvino"])
    parser.add_argument("--threads", type=numbers, default=[2, 1])
    parser.add_argument("--precisions", type=words, default=list(PRECISIONS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget-ms", type=int, default=1000,
                        help="of one contender in one round")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bin", help="the folder of Weir's tools")
    parser.add_argument("--json", help="where to write all figures; "
                        "report.py prints tables from it")
    options = parser.parse_args()
    if unknown := set(options.precisions) - set(PRECISIONS):
        parser.error(f"no precision {', '.join(unknown)}; there are "
                     f"{', '.join(PRECISIONS)}")
    return options


def main():
    options = parse_options()
    chosen = make_networks.choose(options.only, networks.ALL)
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        comparison = Comparison(options, scratch)
        if not options.check:
            comparison.weigh_baselines()
        comparison.run(chosen)
    print(report.make_text(comparison.results()))
    wrong = [record for record in comparison.records
             if record["contender"] == "weir"
             and not is_right(record, comparison.records)]
    if options.check:
        print(f"\n{len(wrong)} answers of Weir are missing or wrong")
    sys.exit(bool(options.check and wrong))


if __name__ == "__main__":
    main()
