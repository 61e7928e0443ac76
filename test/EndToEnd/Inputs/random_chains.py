#!/usr/bin/env python3
"""Compiles random chains of small ops and compares with numpy: sums that go on
through reshapes, transposes, broadcasts, slices and joins, which become one
kernel or few.

Structure and data of a chain follow from its seed alone.
"""
import argparse
import pathlib

import numpy as np

from batch import Batch, check

SIZES = (1, 2, 3, 5, 6, 8, 9, 17)
MAX_ELEMENTS = 1 << 13
TOLERANCE = 1e-4


def kind(value):
    return f"tensor<{''.join(f'{size}x' for size in value.shape)}f32>"


def split_factors(random, size):
    """Two factors of `size`."""
    first = random.choice([n for n in range(1, size + 1) if size % n == 0])
    return [int(first), size // int(first)]


class Chain:
    def __init__(self, seed, steps):
        self.random = np.random.default_rng(seed)
        self.inputs, self.lines = {}, []
        shape = self.random.choice(SIZES, self.random.integers(2, 5))
        self.name, self.value = self.draw(shape)
        for _ in range(steps):
            self.random.choice((
                self.matmul, self.matmul, self.reshape, self.reshape,
                self.squeeze, self.transpose, self.reduce, self.broadcast,
                self.relu, self.slice, self.concat, self.pad))()
        self.relu()

    def draw(self, shape):
        name = f"x{len(self.inputs)}"
        data = self.random.uniform(-1, 1, shape).astype(np.float32)
        self.inputs[name] = data
        return name, data.astype(np.float64)

    def add(self, op, attributes, operands, value):
        """A line of `op`, unless its result were large or empty."""
        if not 0 < value.size <= MAX_ELEMENTS:
            return
        result = f"v{len(self.lines)}"
        names = ", ".join(f"%{name}" for name, _ in operands)
        types = ", ".join(kind(data) for _, data in operands)
        self.lines.append(f"  %{result} = weir.{op} {names} {{{attributes}}} : "
                          f"{types}\n")
        self.name, self.value = result, value

    def own(self):
        return self.name, self.value

    def axis(self):
        return int(self.random.integers(self.value.ndim))

    def matmul(self):
        if self.value.ndim < 2:
            return
        # Sums stay about as large as what they are made of.
        depth, columns = self.value.shape[-1], self.random.choice(SIZES)
        other = self.draw((depth, columns))
        self.inputs[other[0]] /= np.float32(depth)
        other = other[0], self.inputs[other[0]].astype(np.float64)
        self.add("matmul", "", (self.own(), other), self.value @ other[1])

    def reshape(self):
        shape, at = list(self.value.shape), self.axis()
        if at > 0 and self.random.random() < 0.5:
            shape[at - 1:at + 1] = [shape[at - 1] * shape[at]]
        elif len(shape) < 5:
            shape[at:at + 1] = split_factors(self.random, shape[at])
        self.reshape_to(shape)

    def squeeze(self):
        """Leaves a dim of one element out, or puts one in."""
        shape = list(self.value.shape)
        if 1 in shape and len(shape) > 1:
            shape.remove(1)
        elif len(shape) < 5:
            shape.insert(self.axis(), 1)
        self.reshape_to(shape)

    def reshape_to(self, shape):
        self.add("reshape", f"shape = {[int(size) for size in shape]}",
                 (self.own(),), self.value.reshape(shape))

    def transpose(self):
        perm = [int(dim) for dim in self.random.permutation(self.value.ndim)]
        self.add("transpose", f"perm = {perm}", (self.own(),),
                 self.value.transpose(perm))

    def reduce(self):
        if self.value.ndim < 2:
            return
        axis = self.axis()
        op, function = [("reduce_sum", np.sum), ("reduce_max", np.max),
                        ("reduce_mean", np.mean)][self.random.integers(3)]
        self.add(op, f"axes = [{axis}], keepdims = true", (self.own(),),
                 function(self.value, axis=axis, keepdims=True))

    def broadcast(self):
        shape = [size if self.random.random() < 0.5 else 1
                 for size in self.value.shape]
        other = self.draw(shape)
        self.add("add", "", (self.own(), other), self.value + other[1])

    def relu(self):
        self.add("relu", "", (self.own(),), np.maximum(self.value, 0))

    def slice(self):
        axis, sizes = self.axis(), list(self.value.shape)
        starts = [0] * len(sizes)
        starts[axis] = int(self.random.integers(sizes[axis]))
        sizes[axis] -= starts[axis]
        part = self.value[tuple(slice(start, None) for start in starts)]
        self.add("slice", f"sizes = {[int(size) for size in sizes]}, "
                 f"starts = {starts}", (self.own(),), part)

    def concat(self):
        axis = self.axis()
        self.add("concat", f"axis = {axis}", (self.own(), self.own()),
                 np.concatenate([self.value, self.value], axis))

    def pad(self):
        rank = self.value.ndim
        pads = [int(count) for count in self.random.integers(0, 2, 2 * rank)]
        self.add("pad", f"pads = {pads}", (self.own(),),
                 np.pad(self.value, list(zip(pads[:rank], pads[rank:]))))

    def text(self):
        operands = ", ".join(f"%{name}: {kind(data)}"
                             for name, data in self.inputs.items())
        result = kind(self.value)
        return (f"func.func @main({operands}) -> {result} {{\n"
                f"{''.join(self.lines)}  return %{self.name} : {result}\n}}\n")


def check_chain(batch, seed, work, flags):
    chain = Chain(seed, 3 + seed % 6)
    source, outputs = work / "chain.mlir", work / "outputs.bin"
    source.write_text(chain.text())
    for name, data in chain.inputs.items():
        np.save(work / f"{name}.npy", data)
    batch.run(f"chain {seed}", text=source, outputs=outputs, **flags,
              inputs=[f"{name}={work / name}.npy" for name in chain.inputs])
    found = np.fromfile(outputs, np.float32).reshape(chain.value.shape)
    check(np.allclose(found, chain.value, TOLERANCE, TOLERANCE),
          f"chain {seed} is off by {abs(found - chain.value).max()}:\n"
          f"{chain.text()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--emulate-gpu", action="store_true",
                        help="run them on devices of the kind emu")
    options = parser.parse_args()
    flags = {"threads": 1}
    if options.emulate_gpu:
        flags = {"devices": "emu:0"}
    options.work.mkdir(parents=True, exist_ok=True)
    with Batch() as batch:
        for seed in range(options.first, options.first + options.count):
            check_chain(batch, seed, options.work, flags)
    print(f"{options.count} chains: as numpy")


main()
