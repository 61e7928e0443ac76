"""Compiles graphs that move elements and compares with numpy: channels in the
order of a convolution's layout, parts that are joined, and blocks of few rows
for each vector width."""
import pathlib
import sys

import numpy as np

from batch import check, run_tool

SEED = 3
TYPES = {"f32": np.float32, "i8": np.int8, "i1": np.bool_}


def kind(shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def draw(shape, element="f32"):
    values = np.random.RandomState(SEED).uniform(0, 100, shape)
    return values > 50 if element == "i1" else values.astype(TYPES[element])


class Moves:
    """A chain of ops on %x whose result numpy knows, behind a convolution that
    changes nothing but the layout."""

    def __init__(self, name, shape):
        self.name, self.x = name, draw(shape)
        self.y, self.last, self.lines = self.x, "c", []

    def reshape(self, *shape):
        return self.add(f"reshape %{self.last} {{shape = {list(shape)}}}",
                        self.y.reshape(shape))

    def transpose(self, *perm):
        return self.add(f"transpose %{self.last} {{perm = {list(perm)}}}",
                        self.y.transpose(perm))

    def relu(self):
        return self.add(f"relu %{self.last}", self.y)

    def add(self, op, result):
        name = f"v{len(self.lines)}"
        self.lines.append(f"  %{name} = weir.{op} : {kind(self.y.shape)}\n")
        self.last, self.y = name, result
        return self

    def text(self):
        channels = self.x.shape[1]
        weight = (channels, channels, 1, 1)
        return (f"func.func @main(%x: {kind(self.x.shape)}, "
                f"%w: {kind(weight)}) -> {kind(self.y.shape)} {{\n"
                f"  %c = weir.conv %x, %w : {kind(self.x.shape)}, "
                f"{kind(weight)}\n{''.join(self.lines)}"
                f"  return %{self.last} : {kind(self.y.shape)}\n}}\n")


def make_chains():
    return [
        Moves("shuffle", (2, 12, 5, 7)).reshape(2, 3, 4, 5, 7)
        .transpose(0, 2, 1, 3, 4).reshape(2, 12, 5, 7).relu(),
        Moves("pixels", (2, 12, 5, 7)).reshape(2, 3, 2, 2, 5, 7)
        .transpose(0, 1, 4, 2, 5, 3).reshape(2, 3, 10, 14).relu(),
        Moves("blocks", (2, 3, 6, 8)).reshape(2, 3, 3, 2, 4, 2)
        .transpose(0, 3, 5, 1, 2, 4).reshape(2, 12, 3, 4),
        Moves("sequence", (2, 12, 5, 7)).reshape(2, 12, 35)
        .transpose(0, 2, 1).relu(),
        Moves("across", (2, 12, 5, 7)).reshape(2, 12, 35).transpose(1, 0, 2)
        .reshape(24, 7, 5),
        Moves("heads", (1, 12, 4, 6)).reshape(1, 3, 4, 24)
        .transpose(0, 1, 3, 2).relu(),
        Moves("squeezed", (2, 12, 1, 1)).reshape(2, 12).relu()
        .reshape(2, 12, 1, 1)]


class Joined(Moves):
    """A chain of ops on %x that joins dims and divides them again, with
    pointwise ops between, so that one kernel does all of it."""

    def __init__(self, name, shape):
        super().__init__(name, shape)
        self.x = self.y = self.x - 50
        self.last = "x"

    def abs(self):
        return self.add(f"abs %{self.last}", np.abs(self.y))

    def reduce(self, axis, keepdims=False):
        keeps = str(keepdims).lower()
        return self.add(f"reduce_max %{self.last} {{axes = [{axis}], "
                        f"keepdims = {keeps}}}",
                        self.y.max(axis, keepdims=keepdims))

    def slice(self, *sizes):
        return self.add(f"slice %{self.last} {{starts = {[0] * len(sizes)}, "
                        f"sizes = {list(sizes)}}}",
                        self.y[tuple(slice(size) for size in sizes)])

    def pad(self, *ends):
        return self.add(f"pad %{self.last} {{pads = "
                        f"{[0] * len(ends) + list(ends)}}}",
                        np.pad(self.y, [(0, end) for end in ends]))

    def text(self):
        return (f"func.func @main(%x: {kind(self.x.shape)}) -> "
                f"{kind(self.y.shape)} {{\n{''.join(self.lines)}"
                f"  return %{self.last} : {kind(self.y.shape)}\n}}\n")


def make_joined():
    """The sizes leave parts of vectors, of blocks of rows and of tasks."""
    return [
        Joined("two dims", (20, 17, 50)).abs().reshape(20, 850).abs()
        .reshape(20, 17, 50).abs(),
        Joined("three dims", (2, 4, 2)).abs().reshape(16).abs()
        .reshape(2, 4, 2).abs(),
        Joined("transposed between", (2, 2, 2)).abs().reshape(2, 4)
        .transpose(1, 0).reshape(2, 2, 2).abs(),
        Joined("transposed before", (700, 37)).abs().transpose(1, 0)
        .reshape(37 * 700).abs().reshape(37, 700).abs(),
        Joined("a reduction before", (2, 5, 5, 3)).reduce(1).reshape(2, 15)
        .abs().reshape(2, 5, 3).abs(),
        Joined("a reduction behind", (9, 7, 331)).abs().reshape(9, 7 * 331)
        .abs().reshape(9, 7, 331).reduce(2),
        Joined("columns behind", (41, 6, 29)).abs().reshape(41, 6 * 29).abs()
        .reshape(41, 6, 29).reduce(0),
        Joined("a reduction cut and filled", (6, 40)).reduce(1, True)
        .slice(5, 1).pad(1, 0).abs()]


def run_chain(moves, work):
    channels = moves.x.shape[1]
    weight = np.eye(channels, dtype=np.float32)
    compare(moves.name, moves.text(),
            {"x": moves.x, "w": weight.reshape(channels, channels, 1, 1)},
            {moves.last: moves.y}, [], work)


def run_joined_dims(moves, work):
    compare(moves.name, moves.text(), {"x": moves.x}, {moves.last: moves.y}, [],
            work)


def run_blocks(element, target, work):
    """Rows that become neighbours, and neighbours that become rows."""
    inputs, results, lines = {}, {}, []
    for rows in (2, 3, 4, 7, 8):
        for columns in (3, 21):
            for shape in ((5, rows, columns), (5, columns, rows)):
                number = len(inputs)
                inputs[f"x{number}"] = x = draw(shape, element)
                results[f"y{number}"] = x.transpose(0, 2, 1)
                lines.append(f"  %y{number} = weir.transpose %x{number} "
                             f"{{perm = [0, 2, 1]}} : {kind(shape, element)}\n")
    operands = ", ".join(f"%{name}: {kind(x.shape, element)}"
                         for name, x in inputs.items())
    types = ", ".join(kind(y.shape, element) for y in results.values())
    values = ", ".join(f"%{name}" for name in results)
    text = (f"func.func @main({operands}) -> ({types}) {{\n{''.join(lines)}"
            f"  return {values} : {types}\n}}\n")
    compare(f"{element} for {target}", text, inputs, results,
            [f"--target-cpu={target}"], work)


def run_joined(axis, work):
    """What is computed from parts behind each other, along any dim: nested,
    across each other, and with a part of one element."""
    def part(size, along=axis):
        shape = [16, 20, 24]
        shape[along] = size
        return draw(shape) - 50

    def join(result, left, right, along):
        joined = np.concatenate([left[1], right[1]], along)
        lines.append(f"  %{result} = weir.concat %{left[0]}, %{right[0]} "
                     f"{{axis = {along}}} : {kind(left[1].shape)}, "
                     f"{kind(right[1].shape)}\n")
        return result, joined

    lines = []
    inputs = {"a": part(9), "b": part(1), "c": part(30)}
    other = (axis + 1) % 3
    last = join("p", ("a", inputs["a"]), ("b", inputs["b"]), axis)
    last = join("q", last, ("c", inputs["c"]), axis)
    inputs["d"] = draw(last[1].shape) - 50
    last = join("r", last, ("d", inputs["d"]), other)
    result = kind(last[1].shape)
    operands = ", ".join(f"%{name}: {kind(x.shape)}"
                         for name, x in inputs.items())
    text = (f"func.func @main({operands}) -> {result} {{\n{''.join(lines)}"
            f"  %y = weir.relu %r : {result}\n  return %y : {result}\n}}\n")
    compare(f"joined along {axis}", text, inputs,
            {"y": np.maximum(last[1], 0)}, [], work)


def compare(name, text, inputs, results, flags, work):
    source, artifact = work / "moves.mlir", work / "moves.weir"
    source.write_text(text)
    arguments = []
    for port, value in inputs.items():
        np.save(work / f"{port}.npy", value)
        arguments += ["--input", f"{port}={work / port}.npy"]
    for port in results:
        arguments += ["--output", f"{port}={work / port}.npy"]
    run_tool("graph-compile", source, "-o", artifact, *flags)
    run_tool("graph-run", artifact, *arguments)
    for port, value in results.items():
        check(np.array_equal(np.load(work / f"{port}.npy"), value),
              f"{name}: {port} differs, with shape {value.shape}")
    print(f"{name}: as numpy")


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    for moves in make_chains():
        run_chain(moves, work)
    for moves in make_joined():
        run_joined_dims(moves, work)
    for axis in range(3):
        run_joined(axis, work)
    for element in TYPES:
        run_blocks(element, "native", work)
    run_blocks("f32", "x86-64-v3", work)


main()
