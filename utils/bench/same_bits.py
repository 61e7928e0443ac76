#!/usr/bin/env python3
"""Shows that networks give the same bits on two devices as on one.

    VENV/bin/python utils/bench/same_bits.py CACHE [--bin=build/bin]

Runs each network on cpu:0, cut near its middle over cpu:0 and cpu:1, and on
random placements over both, with one thread per device. Exits with 1 when a bit
of an output differs, or when more values cross at the cut than are alive there.
"""
import argparse
import pathlib
import sys
import tempfile

import onnx

import cache
import make_networks
import networks
from contenders.process import Unable
from contenders.weir import Weir

# Sources of values that are known when a graph is compiled.
KNOWN = ("Constant", "Shape")
CORES = 2


def live_values(model):
    """After each node the values that later ones read, without those that are
    known when the graph is compiled."""
    graph = model.graph
    known = {tensor.name for tensor in graph.initializer}
    last = {value.name: len(graph.node) for value in graph.output}
    for at, node in enumerate(graph.node):
        if node.op_type in KNOWN or known.issuperset(filter(None, node.input)):
            known.update(node.output)
            continue
        # The latest reader is found last.
        last.update((name, max(at, last.get(name, 0))) for name in node.input)
    alive, found = {value.name for value in graph.input} - known, []
    for at, node in enumerate(graph.node):
        alive = alive | (set(node.output) - known)
        alive = {name for name in alive if last.get(name, -1) > at}
        found.append(alive)
    return found


def find_cut(model):
    """The name of the node with the fewest live values after it in the middle
    third, the middle one of them, and their number."""
    nodes, counts = model.graph.node, list(map(len, live_values(model)))
    first, end = len(nodes) // 3, max(2 * len(nodes) // 3, 1)
    middle = (first + end) // 2
    count, _, at = min((counts[at], abs(at - middle), at)
                       for at in range(first, end) if counts[at])
    return nodes[at].name or nodes[at].output[0], count


def placements(model, seeds):
    """(name, flags, most crossings or None)."""
    node, count = find_cut(model)
    both = "--devices=cpu:0-1"
    yield f"cut after {node}", [both, f"--place=after:{node}=cpu:1"], count
    for seed in range(seeds):
        yield f"random {seed}", [both, f"--placement=random:{seed}"], None


class Runner:
    def __init__(self, tools, scratch):
        self.scratch = pathlib.Path(scratch)
        self.weir = Weir(tools, scratch)

    def run(self, made, names, flags):
        """The bytes of the outputs, and how many values crossed."""
        artifact = self.scratch / "network.weir"
        files = [self.scratch / f"{at}.npy" for at in range(len(names))]
        self.weir.translate(made, artifact, 1, *flags)
        report = self.weir.execute(made, artifact, CORES, *(
            f"--output={name}={file}" for name, file in zip(names, files)))
        return ([file.read_bytes() for file in files],
                sum(device["crossings"] for device in report["devices"]))


def check(runner, made, seeds):
    """Lines with the errors of a network."""
    model = onnx.load(made.model)
    names = [value.name for value in model.graph.output]
    expected, _ = runner.run(made, names, ["--devices=cpu:0"])
    for name, flags, most in placements(model, seeds):
        answer, crossings = runner.run(made, names, flags)
        if answer != expected:
            yield f"{name}: other bits"
        if most is not None and crossings > most:
            yield f"{name}: {crossings} crossings, {most} values are alive"
        print(f"{made.name}, {name}: {crossings} crossings", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", help="the cache of networks")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="networks by name (repeat)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--bin", help="the folder of Weir's tools")
    options = parser.parse_args()
    chosen = make_networks.choose(options.only, networks.ALL)
    pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    wrong = []
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        runner = Runner(options.bin, scratch)
        for network in chosen:
            made = cache.ensure(network, options.folder)
            try:
                wrong += [f"{made.name}, {line}"
                          for line in check(runner, made, options.seeds)]
            except Unable as unable:
                wrong.append(f"{made.name}: {unable}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
