#!/usr/bin/env python3
"""Runs the tests of the `onnx` package on graph-compile and graph-run.

    utils/onnx-node-tests.py [--wheel onnx-1.16.2-....whl] [--set NAME ...]
        [--filter REGEX] [--jobs N] [--write docs/onnx-support.md]
    utils/onnx-node-tests.py --newest .deps/onnx-node-tests ...
        [--write docs/onnx-support-newest.md]

The tests come from the wheel, else from the package that is installed. Those of
the newest package come from a folder: utils/bootstrap.sh --checks installs that
package in .deps/onnx-venv and writes its tests. A set is
a folder of them: `node`, which is the default, `pytorch-converted` and
`pytorch-operator`, which PyTorch exported.

Each test of the package is a model of one or a few nodes with inputs and the
outputs that ONNX's own reference or PyTorch gives. A test is compiled; inputs
that the compiler asks to know are bound (--bind); then it is run and every
output compared with the stored one. A test may

  pass       with library and generated kernels alone
  reference  pass under --allow-reference, with the slow kernels of tests
  corrected  give what ONNX corrected the stored output to later
  drawn      give outputs of the stored shapes and types; the numbers are those
             of numpy's generator, and no engine has to draw the same ones
  refused    be refused by graph-compile with exit code 1 and a reason
  WRONG      give another answer
  CRASH      end by a signal, hang, or fail in any other way

Exit code 1 when any is WRONG or CRASHes.

With --compile-for=DEVICE nothing is run. What is compiled for the CPU is
compiled for that device alone as well, and what is not is listed as `missing`.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import os
import pathlib
import queue
import re
import sys
import tempfile
import zipfile

from fork_server import Tool

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = "onnx/backend/test/data/"
SETS = ("node", "pytorch-converted", "pytorch-operator")
TIME = 120
# Writing an artifact waits until it is on the disk, if that is where it goes.
MEMORY = pathlib.Path("/dev/shm")
# A kernel computes something else than its ops, where kernels are checked.
IS_BUG = "this is a bug in Weir"
# The package's own runner has this relative tolerance; f32 sums that cancel and
# small floats are allowed what their precision is.
RTOL, ATOL = 1e-3, 1e-5
SMALL_FLOATS = {10: 1e-2, 16: 2e-2}
# Random numbers may be any.
ANY = 1e6
UINT16, BFLOAT16, TYPE_TAG = 4, 16, 0x10
# The stored averages count what windows cover beyond the padding, which neither
# ONNX Runtime nor later versions do.
MISCOUNTED = {"test_averagepool_3d_dilations_large_count_include_pad_is_1_"
              "ceil_mode_is_True"}
# QLinearMatMul saturates, by its definition and in ONNX Runtime. These outputs
# were stored by a reference implementation that wrapped around: a bug of
# version 1.16.2 (onnx/onnx#7835), of which the correction (onnx/onnx#7868)
# changed the outputs to these.
WRAPPED_2D = {"stored": [41, -12, -9, 1, -75, 20],
              "corrected": [41, -12, -9, 1, -75, -128]}
WRAPPED_3D = {"stored": [-86, 117, 120, 115, 39, -121] * 2,
              "corrected": [-86, -128, -128, 115, 39, -121] * 2}
CORRECTIONS = {
    "test_qlinearmatmul_2D_int8_float16": WRAPPED_2D,
    "test_qlinearmatmul_2D_int8_float32": WRAPPED_2D,
    "test_qlinearmatmul_3D_int8_float16": {
        **WRAPPED_3D, "stored": [-86, 116, 119, 115, 39, -121] * 2},
    "test_qlinearmatmul_3D_int8_float32": WRAPPED_3D,
}
DRAWN = re.compile(r"test_(bernoulli|training_dropout(?!_zero_ratio))")
NEEDS_REFERENCE = "--allow-reference"
ASKS_TO_BIND = re.compile(r"--bind ([^\s=]+)=FILE")


def fields(message):
    """The (number, value) pairs of a protobuf message."""
    place = 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = {1: 8, 5: 4}.get(key & 7) or varint()
            yield key >> 3, message[place:place + size]
            place += size


def all_of(message, number):
    return [value for key, value in fields(message) if key == number]


def ports(model):
    """The graph's inputs that no initialiser gives, and its outputs."""
    graph = all_of(model, 7)[0]
    given = {all_of(tensor, 8)[0] for tensor in all_of(graph, 5)}
    return [[port for port in all_of(graph, number)
             if all_of(port, 1)[0] not in given] for number in (11, 12)]


def port_names(model):
    return [[all_of(port, 1)[0].decode() for port in kind]
            for kind in ports(model)]


def op_types(model):
    graph = all_of(model, 7)[0]
    return sorted({all_of(node, 4)[0].decode() for node in all_of(graph, 1)})


def element_type(tensor):
    return (all_of(tensor, 2) or [0])[0]


def port_types(model):
    """The element types of inputs and outputs; 0 for what is no tensor."""
    def type_of(port):
        tensor = all_of((all_of(port, 2) or [b""])[0], 1)
        return (all_of(tensor[0], 1) or [0])[0] if tensor else 0

    return [[type_of(port) for port in kind] for kind in ports(model)]


def scratch_folder():
    return tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)


class Test:
    def __init__(self, folder, scratch, is_first):
        self.name = folder.name
        self.folder = folder
        self.scratch = scratch
        model = (folder / "model.onnx").read_bytes()
        self.inputs, self.outputs = port_names(model)
        self.types = dict(zip(("input", "output"), port_types(model)))
        self.ops = op_types(model)
        self.draws = bool(DRAWN.match(self.name))
        # The package with the files that were corrected later.
        self.is_first = is_first
        self.has_data = (folder / "test_data_set_0").is_dir()

    def file(self, kind, index):
        """The stored tensor. The package keeps bfloat16 as bits in uint16."""
        path = self.folder / "test_data_set_0" / f"{kind}_{index}.pb"
        message = path.read_bytes()
        if kind == "output" and self.is_corrected and self.name in CORRECTIONS:
            return self.changed(path, *(
                bytes(number % 256 for number in numbers)
                for numbers in CORRECTIONS[self.name].values()))
        if (self.types[kind][index] != BFLOAT16 or
                element_type(message) != UINT16):
            return path
        return self.changed(path, bytes([TYPE_TAG, UINT16]),
                            bytes([TYPE_TAG, BFLOAT16]))

    @property
    def is_corrected(self):
        return self.is_first and (self.name in CORRECTIONS or
                                  self.name in MISCOUNTED)

    def changed(self, path, old, new):
        """A copy of a file in which bytes that are there are others."""
        message = path.read_bytes()
        if old not in message:
            sys.exit(f"{path}: expected the file of onnx 1.16.2, found another")
        copy = self.scratch / f"{self.name}-{path.name}"
        copy.write_bytes(message.replace(old, new, 1))
        return copy

    def compile(self, tools, out, allow_reference, *flags):
        """Compiles, binding what the compiler asks for; the last result and
        the bound inputs."""
        bound = set()
        while True:
            arguments = [self.folder / "model.onnx", "-o", out, *flags]
            for name in sorted(bound):
                path = self.file("input", self.inputs.index(name))
                arguments.append(f"--bind={name}={path}")
            if allow_reference:
                arguments.append("--allow-reference")
            code, message = tools.run("graph-compile", arguments)
            wanted = set(ASKS_TO_BIND.findall(message))
            if code != 1 or not wanted - bound:
                return code, message, bound
            bound |= wanted

    def execute(self, tools, model, bound):
        arguments = [model]
        tolerance = RTOL
        for index, name in enumerate(self.inputs):
            if name not in bound:
                arguments += ["--input", f"{name}={self.file('input', index)}"]
        for index, name in enumerate(self.outputs):
            path = self.file("output", index)
            kind = element_type(path.read_bytes())
            tolerance = max(tolerance, SMALL_FLOATS.get(kind, 0))
            arguments += ["--expect", f"{name}={path}"]
        # Only shapes and types are compared of random and of wrong numbers.
        is_any = self.draws or (self.is_corrected and
                                self.name in MISCOUNTED)
        tolerance = ANY if is_any else tolerance
        arguments += ["--rtol", str(tolerance), "--atol",
                      str(ATOL if tolerance == RTOL else tolerance)]
        return tools.run("graph-run", arguments)

    def compiles(self, tools, device):
        """(state, detail)"""
        with scratch_folder() as scratch:
            out = pathlib.Path(scratch) / "model.weir"
            code, message, _ = self.compile(tools, out, False)
            state = "refused"
            if code == 0:
                code, message, _ = self.compile(
                    tools, out, False, f"--devices={device}", "--strict")
                state = "missing" if code else "pass"
            if code == 1 and IS_BUG in message:
                return "WRONG", message
            if code == 0:
                return state, ""
            if code == 1 and "error: " in message:
                return state, reason(message)
            return "CRASH", f"graph-compile ended with {code}: {message}"

    def verdict(self, tools):
        """(state, detail)"""
        with scratch_folder() as scratch:
            out = pathlib.Path(scratch) / "model.weir"
            state = ("corrected" if self.is_corrected else
                     "drawn" if self.draws else "pass")
            code, message, bound = self.compile(tools, out, False)
            if code == 1 and NEEDS_REFERENCE in message:
                state = "reference"
                code, message, bound = self.compile(tools, out, True)
            if code == 1 and IS_BUG in message:
                return "WRONG", message
            if code == 1 and "error: " in message:
                return "refused", reason(message)
            if code != 0:
                return "CRASH", f"graph-compile ended with {code}: {message}"
            if not self.has_data:
                return "refused", "the package has no data for it"
            code, message = self.execute(tools, out, bound)
            if code == 0:
                return state, ""
            if code == 1:
                return "WRONG", message
            return "CRASH", f"graph-run ended with {code}: {message}"


def reason(message):
    """Why the test was refused, without what differs from node to node."""
    lines = [line for line in message.splitlines() if line.strip()]
    first = next(i for i, line in enumerate(lines) if "error: " in line)
    text = lines[first].split("error: ", 1)[1]
    nested = [line.split(": ", 2)[-1] for line in lines[first + 1:]
              if line.startswith("  node ")]
    if nested:
        text = ", ".join(sorted(set(nested)))
    text = re.sub(r"^\S*model\.onnx: ", "", text)
    return re.sub(r"^node '[^']*' \((\w+)\): ", r"\1: ", text)


class Tools:
    """graph-compile and graph-run of one thread that runs tests."""

    def __init__(self, folders, library):
        self.tools = {name: Tool(folder / name, TIME, library)
                      for name, folder in folders.items()}

    def run(self, tool, arguments):
        """The exit code, None after a time-out, and standard error."""
        code, _, message = self.tools[tool].run(arguments)
        return code, message.decode(errors="replace")

    def end(self):
        for tool in self.tools.values():
            tool.end()


def judge(tests, folders, options):
    """What each test gives, in their order."""
    idle = queue.SimpleQueue()
    all_tools = [Tools(folders, options.fork_server)
                 for _ in range(options.jobs)]
    for tools in all_tools:
        idle.put(tools)

    def run(test):
        tools = idle.get()
        verdict = (test.compiles(tools, options.compile_for)
                   if options.compile_for else test.verdict(tools))
        idle.put(tools)
        return verdict

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(run, tests))
    for tools in all_tools:
        tools.end()
    return verdicts


def find_tests(wheel, scratch):
    """The folder of the sets, unpacked into `scratch` if need be."""
    if not wheel:
        package = importlib.util.find_spec("onnx")
        if not package:
            sys.exit("the package onnx is not installed; give --wheel")
        wheel = pathlib.Path(package.origin).parent.parent
    if os.path.isdir(wheel):
        return pathlib.Path(wheel) / FOLDER
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(scratch, [name for name in archive.namelist()
                                     if name.startswith(FOLDER)])
    return scratch / FOLDER


# What the page says about the tests of each package.
FIRST_TITLE, NEWEST_TITLE = "The ONNX node tests", "The newest ONNX node tests"
FIRST_ORIGIN = ("that come with the package `onnx` 1.16.2.",)
NEWEST_ORIGIN = ("that the package", "`onnx` 1.23.2 computes. "
                 "[onnx-support.md](onnx-support.md) has those of 1.16.2.")
CORRECTED_TEXT = [
    "The corrected outputs are those of `QLinearMatMul` on int8. By "
    "definition the op saturates, as in", "ONNX Runtime. The outputs in "
    "1.16.2 wrapped around, a bug of the reference implementation (issue",
    "7835 of onnx/onnx). They were replaced later (pull request 7868). Of one "
    "`AveragePool` with", "`ceil_mode` and `count_include_pad`, 1.16.2 counted "
    "what windows cover beyond the padding. Its", "shape is compared here, its "
    "later numbers by the tests of the newest package.", ""]


def table(tests, verdicts, is_first):
    """The page that says what is supported, as Markdown."""
    counts = collections.Counter(state for state, _ in verdicts)
    per_op = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(list)
    for test, (state, detail) in zip(tests, verdicts):
        op = test.ops[0] if len(test.ops) == 1 else "(several)"
        per_op[op][state] += 1
        if state == "refused":
            reasons[detail].append(test.name)
    origin = FIRST_ORIGIN if is_first else NEWEST_ORIGIN
    lines = [
        f"# {FIRST_TITLE if is_first else NEWEST_TITLE}", "",
        "Written by `utils/onnx-node-tests.py`; [onnx.md](onnx.md) describes "
        "the front end. Each of the", f"{len(tests)} tests is a small model "
        f"with inputs and outputs {origin[0]}", *origin[1:],
        "", "| outcome | tests |", "|---|---|",
        f"| pass | {counts['pass']} |",
        f"| pass under `--allow-reference` | {counts['reference']} |",
        "| give what ONNX corrected the stored output to later | "
        f"{counts['corrected']} |",
        f"| run, and draw other random numbers | {counts['drawn']} |",
        f"| refused by graph-compile, with a reason | {counts['refused']} |",
        f"| wrong answer or crash | {counts['WRONG'] + counts['CRASH']} |",
        "", *(CORRECTED_TEXT if is_first else ()),
        "The random numbers in the package are those of numpy's generator. "
        "ONNX lets each engine draw its", "own, so of the outputs of these "
        "tests only shapes and types are compared.",
        "", "## By op", "", "Tests of one op type; expanded functions and "
        "other models of several are counted together.", "",
        "| op | pass | reference | corrected | drawn | refused |",
        "|---|---|---|---|---|---|"]
    for op in sorted(per_op):
        count = per_op[op]
        lines.append(f"| {op} | {count['pass']} | {count['reference']} | "
                     f"{count['corrected']} | {count['drawn']} | "
                     f"{count['refused']} |")
    lines += ["", "## Why tests are refused", "", "| reason | tests |",
              "|---|---|"]
    for why, names in sorted(reasons.items(), key=lambda r: (-len(r[1]), r)):
        lines.append(f"| {why.replace('|', '/')} | {len(names)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel",
                        help="the wheel of onnx, or a folder it is unpacked in")
    parser.add_argument("--newest", metavar="FOLDER", type=pathlib.Path,
                        help="run the tests that onnx-node-data.py wrote to "
                        "this folder, instead of a wheel's")
    parser.add_argument("--set", action="append", choices=SETS,
                        help="the tests to run (default: node)")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin",
                        help="the folder of graph-compile and graph-run")
    parser.add_argument("--run-bin", type=pathlib.Path,
                        help="the folder of graph-run, if it is another")
    parser.add_argument("--fork-server", type=pathlib.Path,
                        help="test/ForkServer's library, which saves the time "
                        "that tools take to start")
    parser.add_argument("--compile-for", metavar="DEVICE",
                        help="compile for this device, and run nothing")
    parser.add_argument("--filter", default="", help="regex on test names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", help="where the table goes")
    parser.add_argument("--verbose", action="store_true",
                        help="list every test, not only the bad ones")
    options = parser.parse_args()
    with scratch_folder() as name:
        scratch = pathlib.Path(name)
        folder = find_tests(options.newest or options.wheel, scratch)
        tests = [Test(path, scratch, not options.newest)
                 for name in options.set or ["node"]
                 for path in sorted((folder / name).iterdir())
                 if re.search(options.filter, path.name)]
        folders = {"graph-compile": options.bin,
                   "graph-run": options.run_bin or options.bin}
        verdicts = judge(tests, folders, options)
    for test, (state, detail) in zip(tests, verdicts):
        if options.verbose or state in ("WRONG", "CRASH", "missing"):
            print(f"{state:10} {test.name} {detail.strip()}")
    counts = collections.Counter(state for state, _ in verdicts)
    print(", ".join(f"{counts[state]} {state}" for state in
                    ("pass", "reference", "corrected", "drawn", "refused",
                     "missing", "WRONG", "CRASH")
                    if counts[state] or state != "missing"),
          f"of {len(tests)}")
    if options.write:
        text = table(tests, verdicts, not options.newest)
        pathlib.Path(options.write).write_text(text, encoding="utf-8")
    return 1 if counts["WRONG"] + counts["CRASH"] else 0


if __name__ == "__main__":
    sys.exit(main())
