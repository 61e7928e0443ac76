#!/usr/bin/env python3
"""Runs random graphs with variables several times and compares with numpy:
updates of optimisers, variables in a bucket, values that several variables get,
swaps, old values that are read late or returned, on one device and on two.

Structure and data of a graph follow from its seed alone.
"""
import argparse
import json
import pathlib

import numpy as np

from batch import check, run_tool

RUNS = (1, 3)
TOLERANCE = 1e-4
PLACES = (
    [],
    ["--devices=cpu:0-1", "--placement=random:{seed}"],
    ["--devices=cpu:0-1", "--placement=random:{seed}", "--isolated"],
)


def kind(value):
    return f"tensor<{''.join(f'{size}x' for size in value.shape)}f32>"


def dense(value):
    return f'dense<"0x{value.tobytes().hex()}">'


class Op:
    """An op on values, by their numbers."""

    def __init__(self, name, operands, function, attributes=""):
        self.name, self.operands, self.function = name, operands, function
        self.attributes = attributes


class StateGraph:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        rows, columns = self.random.choice((1, 2, 3, 8, 17, 40), 2)
        if self.random.random() < 0.5:
            columns = rows
        self.shapes = [(rows, columns), (1, columns), (rows, 1)]
        # The values of a run: variables, the input, then one for each op.
        kinds = self.random.choice(3, self.random.integers(1, 7),
                                   p=(.6, .2, .2))
        self.state = [self.draw(self.shapes[number]) for number in kinds]
        self.input = self.draw(self.shapes[0])
        self.ops = []
        self.values = self.state + [self.input]
        # The number of the value that each variable gets.
        self.assigned = {}
        for _ in range(self.random.integers(3, 16)):
            self.random.choice((self.binary, self.binary, self.unary,
                                self.reduce, self.square, self.update,
                                self.update))()
        for number in range(len(self.state)):
            if number not in self.assigned and self.random.random() < 0.4:
                self.assign_any(number)
        self.outputs = sorted({int(number) for number in self.random.integers(
            len(self.values), size=self.random.integers(1, 4))})
        # The variables in a bucket, in its order.
        count = self.random.integers(len(self.state) + 1)
        self.bucket = [int(n) for n in
                       self.random.permutation(len(self.state))[:count]]
        self.computes = self.random.random() < 0.5

    def draw(self, shape):
        return self.random.uniform(-1, 1, shape).astype(np.float32)

    def pick(self, fits=lambda value: True):
        """The number of a value, often of a late one; None if none fits."""
        fitting = [n for n, value in enumerate(self.values) if fits(value)]
        if not fitting:
            return None
        if self.random.random() < 0.5:
            fitting = fitting[-3:]
        return int(self.random.choice(fitting))

    def add(self, *op):
        self.ops.append(Op(*op))
        op = self.ops[-1]
        self.values.append(op.function(*(self.values[n] for n in op.operands)))
        return len(self.values) - 1

    def binary(self):
        left = self.pick()
        right = self.pick(lambda value: len(
            {value.shape, self.values[left].shape} - {self.shapes[0]}) < 2)
        name, function = [
            ("add", lambda a, b: a + b), ("sub", lambda a, b: a - b),
            ("mul", lambda a, b: a * b),
            ("max", np.maximum)][self.random.integers(4)]
        operands = (left, right) if self.random.random() < 0.5 else (right,
                                                                     left)
        # Values stay small in all runs.
        self.add("tanh", (self.add(name, operands, function),), np.tanh)

    def unary(self):
        name, function = [("neg", np.negative), ("abs", np.abs),
                          ("tanh", np.tanh)][self.random.integers(3)]
        self.add(name, (self.pick(),), function)

    def reduce(self):
        axis = int(self.random.integers(2))
        self.add("reduce_mean", (self.pick(),),
                 lambda a: a.mean(axis, keepdims=True),
                 f"axes = [{axis}], keepdims = true")

    def square(self):
        """A transpose or a matrix product, if there is a square."""
        number = self.pick(lambda a: a.shape[0] == a.shape[1])
        if number is None:
            return
        if self.random.random() < 0.5:
            self.add("transpose", (number,), np.transpose, "perm = [1, 0]")
            return
        shape = self.values[number].shape
        other = self.pick(lambda a: a.shape == shape)
        product = self.add("matmul", (number, other), np.matmul)
        self.add("tanh", (product,), np.tanh)

    def update(self):
        """Assigns to a variable what depends on its old value."""
        number = int(self.random.integers(len(self.state)))
        if number in self.assigned:
            return
        shape = self.values[number].shape
        step = self.pick(lambda a: a.shape == shape)
        half = self.add("tanh", (step,), np.tanh)
        self.assigned[number] = self.add("sub", (number, half), np.subtract)
        if self.random.random() < 0.5:
            self.assigned[number] = self.add(
                "tanh", (self.assigned[number],), np.tanh)

    def assign_any(self, number):
        shape = self.values[number].shape
        self.assigned[number] = self.pick(lambda a: a.shape == shape)

    def text(self):
        count = len(self.state)
        names = [f"%old{n}" for n in range(count)] + ["%x"] + [
            f"%v{n}" for n in range(len(self.ops))]
        lines = [f"weir.parameter @w{n} : {kind(value)} = {dense(value)} : "
                 f"{kind(value)}" for n, value in enumerate(self.state)]
        if self.bucket:
            parts = ", ".join(f"@w{n}" for n in self.bucket)
            lines.append(f"weir.bucket @all : {self.whole()} of [{parts}]")
        types = ", ".join(kind(self.values[n]) for n in self.outputs)
        lines.append(f"func.func @main(%x: {kind(self.input)}) -> ({types}) {{")
        for n, value in enumerate(self.state):
            lines.append(f"  {names[n]} = weir.read @w{n} : {kind(value)}")
        for n, op in enumerate(self.ops):
            operands = ", ".join(names[m] for m in op.operands)
            kinds = ", ".join(kind(self.values[m]) for m in op.operands)
            attributes = f" {{{op.attributes}}}" if op.attributes else ""
            lines.append(f"  %v{n} = weir.{op.name} {operands}{attributes} : "
                         f"{kinds}")
        if set(self.bucket) & set(self.assigned):
            lines += self.assign_bucket(names)
        for number, value in sorted(self.assigned.items()):
            if number in self.bucket:
                continue
            lines.append(f"  weir.assign @w{number}, {names[value]} : "
                         f"{kind(self.values[value])}")
        returned = ", ".join(names[n] for n in self.outputs)
        lines.append(f"  return {returned} : {types}\n}}\n")
        return "\n".join(lines)

    def whole(self):
        """The type of the bucket, whose parts begin at multiples of 16."""
        sizes = [-(-self.state[n].size // 16) * 16 for n in self.bucket]
        return f"tensor<{sum(sizes)}xf32>"

    def assign_bucket(self, names):
        """What is not assigned keeps its value. A launch computes the bucket,
        or its parts are copied."""
        parts = ", ".join(names[self.assigned.get(n, n)] for n in self.bucket)
        kinds = ", ".join(kind(self.state[n]) for n in self.bucket)
        lines = [f"  %p = weir.pack {parts} : {kinds}"]
        if self.computes:
            lines += [f"  %q = weir.exp %p : {self.whole()}",
                      f"  %r = weir.log %q : {self.whole()}"]
        result = "%r" if self.computes else "%p"
        return lines + [f"  weir.assign @all, {result} : {self.whole()}"]

    def run(self, runs):
        """The outputs of the last run."""
        state = list(self.state)
        for _ in range(runs):
            values = state + [self.input]
            for op in self.ops:
                values.append(op.function(*(values[n] for n in op.operands)))
            for number, value in self.assigned.items():
                state[number] = values[value]
        return [values[n] for n in self.outputs]


def compile_graph(source, artifact, flags):
    """The compiler's report."""
    return json.loads(run_tool("graph-compile", source, "-o", artifact,
                               "--stats=json", *flags))


def check_runs(graph, artifact, work, case):
    dump = json.loads(run_tool("graph-dump", artifact, "--json"))
    outputs = dump["variants"][0]["entries"][0]["outputs"]
    for runs in RUNS:
        run_tool("graph-run", artifact, "--input", f"x={work / 'x.npy'}",
                 "--warmup", runs - 1, "--output-dir", work / "out")
        for port, expected in zip(outputs, graph.run(runs)):
            found = np.load(work / "out" / f"{port['name']}.npy")
            check(np.allclose(found, expected, TOLERANCE, TOLERANCE),
                  f"{case}, run {runs}: {port['name']} is off by "
                  f"{abs(found - expected).max()}\n{graph.text()}")


def check_graph(seed, work):
    """The numbers of updates in place and of others."""
    graph = StateGraph(seed)
    source, artifact = work / "graph.mlir", work / "graph.weir"
    source.write_text(graph.text())
    np.save(work / "x.npy", graph.input)
    counts = np.zeros(2, int)
    for flags in PLACES:
        flags = [flag.format(seed=seed) for flag in flags]
        stats = compile_graph(source, artifact, flags)
        counts += (stats["updates"]["in_place"], stats["updates"]["copied"])
        check_runs(graph, artifact, work, f"graph {seed} {' '.join(flags)}")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=16)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / "out").mkdir(exist_ok=True)
    in_place, copied = sum(
        check_graph(seed, options.work)
        for seed in range(options.first, options.first + options.count))
    check(in_place > 0 and copied > 0,
          f"{in_place} updates in place, {copied} copied")
    print(f"{options.count} graphs with variables: as numpy")


main()
