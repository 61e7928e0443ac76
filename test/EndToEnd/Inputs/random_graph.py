#!/usr/bin/env python3
"""Writes a random graph as text, with what it computes.

    random_graph.py SEED VALUES FOLDER

FOLDER gets graph.mlir, parameters.safetensors, in_<input>.npy for each input
and expected_<n>.npy for each output, computed by numpy in double precision. The
graph has at least VALUES values of two dims with skewed sizes, made by ops that
have library kernels, views among them. Outputs are the values that nothing
reads, and some that are read. Magnitudes are bounded by construction, so that
results can be compared. Structure and data follow from the seed alone.
"""
import argparse
import math
import pathlib
import random

import numpy as np

import batch  # noqa: F401, knows where the next module is
import safetensors_file

# Sizes of dims: most are small, a few are large.
SMALL, LARGE = (4, 8, 12, 16, 24, 32), (64, 96, 128, 256, 384)
MAX_ELEMENTS = 1 << 15
# How many of the newest values an op mostly takes its operands from.
RECENT = 8
# The share of outputs among the values that are read.
RETURNED = 0.04
# Sums and differences are only taken below this magnitude.
MAX_BOUND = 16.0


def tensor_type(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Value:
    """`bound` limits the magnitude of the elements."""

    def __init__(self, name, data, bound):
        self.name, self.data, self.bound = name, data, bound
        self.is_read = False

    @property
    def shape(self):
        return self.data.shape

    @property
    def type(self):
        return tensor_type(self.shape)


def softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def gelu(x):
    return x * (1 + np.vectorize(math.erf, otypes=[float])(x / 2 ** 0.5)) / 2


# mnemonic: (function, bound of the result by the operand's)
UNARY = {
    "relu": (lambda x: np.maximum(x, 0), lambda bound: bound),
    "tanh": (np.tanh, lambda bound: 1.0),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda bound: 1.0),
    "abs": (np.abs, lambda bound: bound),
    "gelu": (gelu, lambda bound: bound),
    "softmax": (softmax, lambda bound: 1.0),
}
REDUCTIONS = {"reduce_max": np.max, "reduce_mean": np.mean,
              "reduce_min": np.min}
BINARY = {
    "add": (np.add, lambda a, b: a + b),
    "sub": (np.subtract, lambda a, b: a + b),
    "mul": (np.multiply, lambda a, b: a * b),
    "max": (np.maximum, max),
    "min": (np.minimum, max),
}


class Generator:
    def __init__(self, seed):
        # Both streams are the same in every version of Python and numpy.
        self.random = random.Random(seed)
        self.data = np.random.RandomState(seed)
        self.values, self.inputs, self.outputs = [], [], []
        self.lines = []
        self.parameters = {}

    def draw_shape(self):
        def dim():
            return self.random.choice(
                LARGE if self.random.random() < 0.15 else SMALL)
        return dim(), dim()

    def uniform(self, shape, bound):
        drawn = self.data.uniform(-bound, bound, shape)
        return drawn.astype(np.float32).astype(np.float64)

    def add_input(self):
        name = f"in{len(self.inputs)}"
        value = Value(name, self.uniform(self.draw_shape(), 1.0), 1.0)
        self.inputs.append(value)
        self.values.append(value)

    def get_parameter(self, shape):
        """The weight or bias of this shape, which all ops that need one
        share."""
        name = "w" + "x".join(map(str, shape))
        if name not in self.parameters:
            bound = 2 / math.sqrt(shape[0]) if len(shape) == 2 else 0.5
            self.parameters[name] = Value(name, self.uniform(shape, bound),
                                          bound)
            self.lines.append(
                f"%{name} = weir.read @{name} : {tensor_type(shape)}")
        return self.parameters[name]

    def pick(self, accepts=lambda value: True):
        """A value, often a new one, or None."""
        fitting = [value for value in self.values if accepts(value)]
        if not fitting:
            return None
        newest = fitting[-RECENT:]
        recent = self.random.random() < 0.8
        return self.random.choice(newest if recent else fitting)

    def add_op(self, mnemonic, operands, data, bound, attributes=""):
        """`data` is an array, or a list of them where the op has several
        results."""
        name = f"v{len(self.values)}"
        results = [Value(name, data, bound)]
        count = ""
        if isinstance(data, list):
            results = [Value(f"{name}#{number}", part, bound)
                       for number, part in enumerate(data)]
            count = f":{len(data)}"
        names = ", ".join(f"%{operand.name}" for operand in operands)
        types = ", ".join(operand.type for operand in operands)
        self.lines.append(
            f"%{name}{count} = weir.{mnemonic} {names}{attributes} : {types}")
        for operand in operands:
            operand.is_read = True
        self.values += results
        return results[-1]

    def add_unary(self):
        mnemonic = self.random.choice(sorted(UNARY))
        function, bound = UNARY[mnemonic]
        x = self.pick()
        return self.add_op(mnemonic, [x], function(x.data), bound(x.bound))

    def add_binary(self):
        mnemonic = self.random.choice(sorted(BINARY))
        function, bound = BINARY[mnemonic]
        a = self.pick()
        b = self.pick(lambda value: all(
            dim in (1, other)
            for dim, other in zip(value.shape, a.shape)))
        if bound(a.bound, b.bound) <= MAX_BOUND:
            self.add_op(mnemonic, [a, b], function(a.data, b.data),
                        bound(a.bound, b.bound))

    def squash(self, product):
        """A product's bound grows with its width; this one has no bound."""
        self.add_op("tanh", [product], np.tanh(product.data), 1.0)

    def draw_width(self, height):
        return self.random.choice(SMALL if height > 32 else SMALL + LARGE)

    def add_product(self):
        x = self.pick(lambda value: value.shape[1] <= 128)
        if x:
            weight = self.get_parameter(
                (x.shape[1], self.draw_width(x.shape[0])))
            self.squash(self.add_op("matmul", [x, weight],
                                    x.data @ weight.data, math.inf))

    def add_linear(self):
        x = self.pick(lambda value: value.shape[1] <= 128)
        if x:
            width = self.draw_width(x.shape[0])
            weight = self.get_parameter((width, x.shape[1]))
            bias = self.get_parameter((width,))
            data = x.data @ weight.data.T + bias.data
            self.squash(self.add_op("linear", [x, weight, bias], data,
                                    math.inf))

    def add_product_of_values(self):
        x = self.pick()
        y = self.pick(lambda value: value.shape[0] == x.shape[1])
        if y and x.shape[0] * y.shape[1] <= MAX_ELEMENTS:
            self.squash(self.add_op("matmul", [x, y], x.data @ y.data,
                                    math.inf))

    def add_reduction(self):
        mnemonic = self.random.choice(sorted(REDUCTIONS))
        axis = self.random.randrange(2)
        x = self.pick(lambda value: value.shape[axis] > 1)
        if x:
            self.add_op(mnemonic, [x],
                        REDUCTIONS[mnemonic](x.data, axis, keepdims=True),
                        x.bound, f" {{axes = [{axis}]}}")

    def add_concat(self):
        axis = self.random.randrange(2)
        a = self.pick()
        b = self.pick(lambda value:
                      value.shape[1 - axis] == a.shape[1 - axis])
        if a.data.size + b.data.size <= MAX_ELEMENTS:
            self.add_op(
                "concat", [a, b], np.concatenate([a.data, b.data], axis),
                max(a.bound, b.bound), f" {{axis = {axis}}}")

    def add_split(self):
        axis = self.random.randrange(2)
        x = self.pick(lambda value: value.shape[axis] >= 3)
        if x:
            dim = x.shape[axis]
            ends = sorted(self.random.sample(range(1, dim),
                                             self.random.randint(1, 2)))
            sizes = [end - begin
                     for begin, end in zip([0] + ends, ends + [dim])]
            self.add_op("split", [x], np.split(x.data, ends, axis), x.bound,
                        f" {{axis = {axis}, sizes = {sizes}}}")

    def add_slice(self):
        x = self.pick(lambda value: min(value.shape) >= 8)
        if x:
            sizes = [self.random.randrange(dim // 4, dim + 1, 2)
                     for dim in x.shape]
            starts = [self.random.randrange(dim - size + 1)
                      for dim, size in zip(x.shape, sizes)]
            part = tuple(slice(start, start + size)
                         for start, size in zip(starts, sizes))
            self.add_op("slice", [x], x.data[part], x.bound,
                        f" {{sizes = {sizes}, starts = {starts}}}")

    def add_transpose(self):
        x = self.pick()
        self.add_op("transpose", [x], x.data.T, x.bound, " {perm = [1, 0]}")

    def add_reshape(self):
        x = self.pick(lambda value: value.shape[0] % 2 == 0)
        if x:
            shape = (x.shape[0] // 2, x.shape[1] * 2)
            self.add_op("reshape", [x], x.data.reshape(shape), x.bound,
                        f" {{shape = {list(shape)}}}")

    def grow(self, count):
        for _ in range(self.random.randint(1, 4)):
            self.add_input()
        kinds = [self.add_unary] * 4 + [self.add_binary] * 6 + [
            self.add_product] * 2 + [
                self.add_linear, self.add_product_of_values,
                self.add_reduction, self.add_concat, self.add_split,
                self.add_slice, self.add_transpose, self.add_reshape]
        while len(self.values) < count:
            self.random.choice(kinds)()
        self.outputs = [
            value for value in self.values[len(self.inputs):]
            if not value.is_read or self.random.random() < RETURNED]

    def text(self, origin):
        lines = [f"// {origin}"]
        lines += [f"weir.parameter @{name} : {value.type} from "
                  f'"parameters.safetensors" key "{name}"'
                  for name, value in self.parameters.items()]
        arguments = ", ".join(f"%{value.name}: {value.type}"
                              for value in self.inputs)
        types = ", ".join(value.type for value in self.outputs)
        lines.append(f"func.func @main({arguments})\n    -> ({types}) {{")
        lines += [f"  {line}" for line in self.lines]
        names = ", ".join(f"%{value.name}" for value in self.outputs)
        return "\n".join(lines + [f"  return {names} : {types}", "}", ""])

    def save(self, folder, origin):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "graph.mlir").write_text(self.text(origin),
                                           encoding="utf-8")

        def save_array(name, value):
            np.save(folder / f"{name}.npy",
                    np.ascontiguousarray(value.data, np.float32))
        safetensors_file.save(
            folder / "parameters.safetensors",
            {name: value.data.astype(np.float32)
             for name, value in self.parameters.items()})
        for value in self.inputs:
            save_array(f"in_{value.name}", value)
        for number, value in enumerate(self.outputs):
            save_array(f"expected_{number}", value)


def generate(seed, count, folder):
    """The generator, after it saved its graph in `folder`."""
    generator = Generator(seed)
    generator.grow(count)
    generator.save(folder, f"random_graph.py {seed} {count}")
    return generator


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("values", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    generate(options.seed, options.values, options.folder)


if __name__ == "__main__":
    main()
