#!/usr/bin/env python3
"""Compiles and runs random graphs of every op with extreme attributes: windows,
dilations, padding, groups, ranks up to 8, axes, sizes 0 and 1. All of them have
to compile, load, run and give what numpy gives. Of a tenth, one number of an
attribute is another one: those have to run or to be refused with an error that
names the place.

    extreme_graphs.py WORK [--count N] [--first SEED]

Graph number N is of one of the ops in turn, with neighbours at random, and
follows from N alone: `--first N --count 1` repeats it.
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import threading

import numpy as np

from batch import ROOT, Batch
from extreme_draw import FLOATS, INTEGERS, NUMPY_TYPES, Draw, TooLarge, wide
from extreme_oracles import find_draw
from op_records import read_records

SECONDS = 60
LLVM = pathlib.Path("/usr/lib/llvm-22")
# What is wrong with the graph, not with code that Weir made of it.
REFUSAL = re.compile(r"\S+\.mlir:\d+:\d+: error: (?!generated code)")
ATTEMPTS = 40
WRONG_NUMBERS = (-1, 0, 1, 9, -(1 << 40), 1 << 31, 1 << 48, (1 << 63) - 1)
NAMES = {np.dtype(dtype): name for name, dtype in NUMPY_TYPES.items()
         if name != "bf16"}


def tensor(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def element_types(record):
    """The element types that are drawn for the first operand whose type is
    open."""
    letter = next(filter(str.isupper, record.type_spec), "")
    return {"F": FLOATS, "I": INTEGERS, "L": INTEGERS + ("i1",),
            "": ("i1",)}.get(letter, FLOATS + INTEGERS)


class Graph:
    """The text of a graph, its inputs, and the results that numpy gives."""

    def __init__(self, record, number):
        self.record = record
        self.random = np.random.default_rng(number)
        self.inputs, self.lines = {}, []
        self.is_wrong = False
        draw = find_draw(record)
        for _ in range(ATTEMPTS):
            element = self.pick(element_types(record))
            self.draw = Draw(self.random, element)
            try:
                operands, attributes, results = draw(self.draw)
            except TooLarge:
                continue
            return self.build(element, operands, attributes, results)
        sys.exit(f"error: graph {number}: nothing to draw for "
                 f"{record.mnemonic}")

    def pick(self, choices):
        return choices[self.random.integers(len(choices))]

    def build(self, element, operands, attributes, results):
        kept = self.random.random() < 0.3
        values = [self.operand(data, element, i > 0 and kept)
                  for i, data in enumerate(operands)]
        if self.draw.chance(0.3) and element in ("f32", "bf16", "i64"):
            values[0] = self.negated(values[0], operands[0])
        kind = self.record.type_spec.split("->")[1]
        if kind.startswith("@"):
            kind = NAMES[results[0].dtype]
        elif kind not in NUMPY_TYPES:
            kind = element
        names = ", ".join(name for name, _ in values)
        types = ", ".join(text for _, text in values)
        count = f":{len(results)}" if len(results) > 1 else ""
        self.lines.append(
            f"%y{count} = weir.{self.record.mnemonic} {names} "
            f"{{{', '.join(attributes)}}} : {types}")
        if self.random.random() < 0.1:
            self.make_wrong()
        shown = [f"%y#{i}" if count else "%y" for i in range(len(results))]
        self.results = [self.finish(name, np.asarray(value), kind)
                        for name, value in zip(shown, results)]

    def make_wrong(self):
        """Another number in place of one in the attributes of the op."""
        head, brace, rest = self.lines[-1].partition("{")
        attributes, end, types = rest.partition("}")
        numbers = list(re.finditer(r"(?<![\w.])-?\d+(?![\w.])", attributes))
        if not numbers:
            return
        found = self.pick(numbers)
        other = self.pick(WRONG_NUMBERS)
        attributes = (attributes[:found.start()] + str(other)
                      + attributes[found.end():])
        self.lines[-1] = head + brace + attributes + end + types
        self.is_wrong = True

    def operand(self, data, element, is_constant):
        """The name and the type of an input or a constant with `data`."""
        kind = NAMES[data.dtype]
        name = f"x{len(self.inputs)}"
        text = tensor(data.shape, kind)
        if is_constant and 0 < data.size <= 64 and kind in ("f32", "i64"):
            name = f"%c{len(self.lines)}"
            self.lines.append(f"{name} = weir.constant "
                              f"dense<{data.tolist()}> : {text}")
        else:
            self.inputs[name] = data
            name = f"%{name}"
        if element != "bf16" or kind != "f32":
            return name, text
        narrow = f"%n{len(self.lines)}"
        self.lines.append(f"{narrow} = weir.cast {name} {{to = bf16}} : {text}")
        return narrow, tensor(data.shape, "bf16")

    def negated(self, value, data):
        """Something that computes in front of the op: -(-x)."""
        name, text = value
        for _ in range(2):
            self.lines.append(f"%m{len(self.lines)} = weir.neg {name} : {text}")
            name = f"%m{len(self.lines) - 1}"
        return name, text

    def finish(self, name, value, kind):
        """The result's name, type and value, with ops behind it at random."""
        text = tensor(value.shape, kind)
        if kind in ("f32", "bf16") and self.draw.chance(0.4):
            row = self.draw.data(value.shape[-1:], kind)
            other = self.operand(row, kind, True)
            self.lines.append(f"%s{len(self.lines)} = weir.add {name}, "
                              f"{other[0]} : {text}, {other[1]}")
            name, value = f"%s{len(self.lines) - 1}", value + wide(row)
        if kind in ("f32", "bf16") and self.draw.chance(0.4):
            self.lines.append(f"%r{len(self.lines)} = weir.relu {name} : "
                              f"{text}")
            name = f"%r{len(self.lines) - 1}"
            value = np.maximum(value, 0)
        if kind == "bf16":
            self.lines.append(f"%w{len(self.lines)} = weir.cast {name} "
                              f"{{to = f32}} : {text}")
            name, text = f"%w{len(self.lines) - 1}", tensor(value.shape, "f32")
        with np.errstate(all="ignore"):
            return name, text, value.astype(NUMPY_TYPES[kind]), kind

    def text(self):
        operands = ", ".join(
            f"%{name}: {tensor(data.shape, NAMES[data.dtype])}"
            for name, data in self.inputs.items())
        types = ", ".join(text for _, text, _, _ in self.results)
        names = ", ".join(name for name, _, _, _ in self.results)
        body = "".join(f"  {line}\n" for line in self.lines)
        return (f"func.func @main({operands}) -> ({types}) {{\n"
                f"{body}  return {names} : {types}\n}}\n")

    def difference(self, data):
        """What differs between the bytes of a run and numpy; None if nothing
        does."""
        place = 0
        for name, _, expected, kind in self.results:
            found = np.frombuffer(data, expected.dtype, expected.size, place)
            place += expected.nbytes
            expected = expected.reshape(-1)
            if kind in FLOATS:
                same = is_close(found, expected, kind)
            else:
                same = found == expected
            if not np.all(same):
                at = int(np.argmin(same))
                return (f"{name}: element {at} is {found[at]}, expected "
                        f"{expected[at]}; {np.sum(~same)} of {same.size} "
                        "differ")
        return None


def is_close(found, expected, kind):
    small = kind in ("bf16", "f16")
    relative = 0.03 if small else 2e-4
    finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
    absolute = relative * (0.2 if small else 0.05) * max(
        1, finite.max(initial=0))
    return np.isclose(found.astype(np.float64), expected.astype(np.float64),
                      relative, absolute, equal_nan=True)


class Runner:
    """A weir-batch that is started anew when a graph ends it."""

    def __init__(self, work):
        self.work = work
        self.batch = Batch()

    def ask(self, **request):
        process = self.batch.process
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        print(json.dumps(request), file=process.stdin, flush=True)
        line = process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        code = process.wait()
        self.batch = Batch()
        return {"error": f"weir-batch ended with {code}"}

    def judge(self, graph):
        """("ran", "ran otherwise", "refused" or "FAILED", why)"""
        source, outputs = self.work / "graph.mlir", self.work / "outputs.bin"
        source.write_text(graph.text(), encoding="utf-8")
        arguments = []
        for name, data in graph.inputs.items():
            np.save(self.work / f"{name}.npy", data)
            arguments.append(f"{name}={self.work / name}.npy")
        answer = self.ask(text=str(source), inputs=arguments,
                          artifact=str(self.work / "graph.weir"),
                          outputs=str(outputs))
        error = answer.get("error")
        if error and graph.is_wrong and REFUSAL.match(error):
            return "refused", error.split("error: ", 1)[1].splitlines()[0]
        if error:
            return "FAILED", error
        if graph.is_wrong:
            return "ran otherwise", ""
        difference = graph.difference(outputs.read_bytes())
        return ("FAILED", difference) if difference else ("ran", "")


# Their shapes follow from attributes or from each other; test/Ops has them.
APART = ("accuracy", "conv_weight_gradient", "dropout", "leaf",
         "random_normal", "random_uniform", "softmax_cross_entropy",
         "sparse_softmax_cross_entropy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--op", help="draw this op alone")
    parser.add_argument("--verbose", action="store_true",
                        help="list what was refused, and why")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    records = [record for record in read_records(ROOT, LLVM)
               if record.is_computing and not record.is_internal
               and record.mnemonic not in APART
               and options.op in (None, record.mnemonic)]
    if unknown := [r.mnemonic for r in records if not find_draw(r)]:
        sys.exit("error: extreme_oracles.py does not draw "
                 f"{', '.join(unknown)}; add what numpy says of them")
    runner, counts, ran = Runner(options.work), collections.Counter(), set()
    for number in range(options.first, options.first + options.count):
        record = records[number % len(records)]
        graph = Graph(record, number)
        state, why = runner.judge(graph)
        counts[state] += 1
        if state == "ran":
            ran.add(record.mnemonic)
        if state == "FAILED" or options.verbose and state == "refused":
            print(f"{state} graph {number} ({record.mnemonic}): {why}",
                  flush=True)
        if state == "FAILED":
            print(graph.text())
    idle = {r.mnemonic for r in records} - ran
    print(f"{options.count} graphs: {counts['ran']} as numpy, with a wrong "
          f"number {counts['refused']} refused and {counts['ran otherwise']} "
          f"run, {counts['FAILED']} failed; ops that never ran: "
          f"{', '.join(sorted(idle)) or 'none'}")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
