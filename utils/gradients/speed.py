#!/usr/bin/env python3
"""Times forward and backward passes of Weir and of its peers in turns.

    speed.py BIN FOLDER [NAME ...] [--rounds N] [--budget-ms T] [--peers A,B]
        [--base BIN] [--train]

FOLDER is what networks.py wrote. Each peer keeps a process that waits for its
turn. In each round each contender computes for the budget, in another order
each round, on two threads; its figure is the least time of a step. A contender
whose first loss is not that of PyTorch is an error. With --base, an older build
is a contender twice: how far both are apart says what the noise of the machine
is worth. `--peers=` leaves out all peers. With --train, a step updates all
parameters; networks.py must have had that flag, too.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from safetensors.numpy import load_file

WARM_UP = 3
LEAST_RUNS = 3
PEERS = ("torch", "torch-channels-last", "torch-compile",
         "torch-compile-channels-last", "tensorflow", "tensorflow-xla", "jax")
# A dropout of another library drops other values.
TOLERANCE = {"keras_step32": 0.5, "keras_step128": 0.5}


def check_loss(contender, name, loss, expected):
    if not abs(loss - expected) <= TOLERANCE.get(name, 1e-4) * abs(expected):
        sys.exit(f"{contender}: loss {loss}, not {expected}")


def serve(peer, folder, name, trains):
    """The process of a peer: a budget per line in, the least time out."""
    import peers
    step, expected = peers.make_step(peer, folder, name, trains == "train")
    check_loss(peer, name, [step() for _ in range(WARM_UP)][0], expected)
    print("ready", flush=True)
    for line in sys.stdin:
        times, end = [], time.perf_counter() + float(line) / 1e3
        while len(times) < LEAST_RUNS or time.perf_counter() < end:
            begin = time.perf_counter()
            step()
            times.append((time.perf_counter() - begin) * 1e3)
        print(min(times), flush=True)


class Peer:
    def __init__(self, peer, folder, name, trains):
        self.name = peer
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", peer, folder, name,
             "train" if trains else "gradients"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"{peer} does not run {name}")

    def measure(self, budget):
        print(budget, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Weir:
    """`name` is that of the build: several may be compared."""

    def __init__(self, tools, folder, name, scratch, entry, build="weir"):
        self.name, self.entry = build, f"--entry={entry}"
        self.tools, self.artifact = tools, scratch / f"{name}.{build}.weir"
        self.inputs = [f"--input={path.name.split('.')[-2]}={path}"
                       for path in sorted(folder.glob(f"{name}.f32.*.npy"))]
        subprocess.run([tools / "graph-compile", f"{name}.f32.mlir",
                        "--threads=2", "-o", self.artifact], cwd=folder,
                       check=True, stderr=subprocess.DEVNULL)
        self.check(name, folder / f"{name}.f32.expected.safetensors", scratch)
        self.expected_ms = 10
        self.measure(100)

    def check(self, name, expected, scratch):
        subprocess.run([self.tools / "graph-run", self.artifact, *self.inputs,
                        self.entry, "--json", f"--output-dir={scratch}"],
                       check=True, stdout=subprocess.DEVNULL)
        check_loss(self.name, name, float(np.load(scratch / "loss.npy")),
                   float(load_file(expected)["loss"]))

    def measure(self, budget):
        count = max(LEAST_RUNS, round(budget / self.expected_ms))
        done = subprocess.run(
            [self.tools / "graph-run", self.artifact, *self.inputs, "--json",
             self.entry, f"--repeat={count}", f"--warmup={WARM_UP}"], text=True,
            check=True, stdout=subprocess.PIPE)
        self.expected_ms = json.loads(done.stdout)["latency_ms"]["min"]
        return self.expected_ms

    def close(self):
        self.artifact.unlink()


def report(name, times):
    """A line for each contender: the least of all rounds, the spread of the
    rounds, and how many times as long as Weir."""
    ours = min(times["weir"])
    for contender, values in times.items():
        least, most = min(values), max(values)
        print(f"{name} {contender}: {least:.2f} ms, median "
              f"{statistics.median(values):.2f}, most {most:.2f}, "
              f"{least / ours:.3f} x Weir", flush=True)


def compare(args, name, scratch):
    builds = {"weir": args.tools}
    if args.base:
        builds |= {"base": args.base, "base-again": args.base}
    contenders = [Weir(tools, args.folder, name, scratch,
                       "train" if args.train else "main", build)
                  for build, tools in builds.items()]
    contenders += [Peer(peer, args.folder, name, args.train)
                   for peer in args.peers]
    times = {contender.name: [] for contender in contenders}
    for turn in range(args.rounds):
        shift = turn % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            times[contender.name].append(contender.measure(args.budget_ms))
    for contender in contenders:
        contender.close()
    report(name, times)


def main():
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget-ms", type=float, default=1000)
    parser.add_argument("--peers", default=PEERS, type=lambda text: [
        name for name in text.split(",") if name])
    args = parser.parse_args()
    args.tools, args.folder = args.tools.resolve(), args.folder.resolve()
    args.base = args.base and args.base.resolve()
    args.names = args.names or [
        "resnet18", "resnet50", "mlp", "transformer4",
        *(("lenet_step", "keras_step32", "keras_step128") if args.train
          else ())]
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.names:
            compare(args, name, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
