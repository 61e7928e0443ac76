"""Draws the parts that idioms are made of: sizes, inputs, pointwise ops.

Ops are evaluated as they are added, so shapes are known.
"""
import math
import random

import numpy as np

import oracle
from bounded import PRECISIONS, Number
from graph import Graph, Node, round_to

# Small and odd, and some that fill vectors or leave a few elements behind them.
SIZES = (1, 2, 2, 3, 3, 4, 5, 5, 7, 8, 11, 13, 16, 17)
# Most graphs have few elements, so that many can be compared. Some have enough
# for several vectors and tasks.
FEW_ELEMENTS, MANY_ELEMENTS = 1 << 10, 1 << 14
# The most elements of a constant, whose text is long.
MOST_KNOWN = 256
UNARY = ("abs", "abs", "relu", "relu", "neg", "leaky_relu", "clip",
         "hard_swish")
# Code for these takes long to compile, and shows no more about indices.
FUNCTIONS = ("tanh", "sigmoid", "silu", "gelu", "sin", "cos", "erf")
BINARY = ("add", "add", "sub", "mul", "mul", "max", "min")
# Ops that are exact on small integers in any type.
EXACT_UNARY, EXACT_BINARY = ("abs", "neg", "relu"), ("max", "min")


class Value:
    """A tensor of the graph: its number in it, and its elements."""
    __slots__ = ("name", "number", "data")

    def __init__(self, name, number):
        self.name, self.number = name, number
        self.data = number.data

    @property
    def shape(self):
        return self.data.shape

    @property
    def rank(self):
        return self.data.ndim


class Builder:
    """`exact` leaves out the functions that round, `extremes` brings numbers
    whose products overflow."""

    def __init__(self, seed, dtype="f32", exact=False, extremes=True):
        # Both streams are the same in every version of Python and numpy.
        self.random = random.Random(seed)
        self.elements = np.random.RandomState(seed % (1 << 32))
        self.dtype, self.exact, self.extremes = dtype, exact, extremes
        self.precision = PRECISIONS[dtype]
        self.most = (MANY_ELEMENTS if self.chance(0.1) else FEW_ELEMENTS)
        self.inputs, self.nodes, self.count = {}, [], 0

    #===------------------------------------------------------------------===#
    # Numbers
    #===------------------------------------------------------------------===#

    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, choices):
        return self.random.choice(choices)

    def shape(self, rank):
        """Sizes whose product is limited. Some are equal, and some are products
        that can be divided again."""
        left, sizes = self.most, []
        for _ in range(rank):
            fitting = [size for size in SIZES if size <= left]
            size = self.choose(fitting)
            if self.chance(0.4):
                size *= self.choose([other for other in fitting
                                     if size * other <= left])
            if sizes and sizes[-1] <= left and self.chance(0.2):
                size = sizes[-1]
            sizes.append(size)
            left //= size
        self.random.shuffle(sizes)
        return sizes

    def divisor(self, size):
        """Seldom 1 or `size`, if there is another."""
        all_of_them = [n for n in range(1, size + 1) if size % n == 0]
        proper = all_of_them[1:-1]
        return self.choose(proper if proper and self.chance(0.85)
                           else all_of_them)

    #===------------------------------------------------------------------===#
    # Values
    #===------------------------------------------------------------------===#

    def value(self, number):
        self.count += 1
        return Value(self.count - 1, number)

    def rounded(self, data):
        return round_to(self.dtype, data)

    def numbers(self, shape, low=-2.0, high=2.0):
        """Elements of the graph's type; integers, if ops are exact."""
        if self.exact:
            data = self.elements.randint(-100, 101, tuple(shape))
        else:
            data = self.elements.uniform(low, high, tuple(shape))
        return self.rounded(data)

    def input(self, shape, low=-2.0, high=2.0):
        made = self.value(Number(self.numbers(shape, low, high)))
        self.inputs[made.name] = made.data
        return made

    def known_or_input(self, shape, low=-2.0, high=2.0):
        """An input, or a constant if it is small."""
        if math.prod(shape) > MOST_KNOWN or self.chance(0.6):
            return self.input(shape, low, high)
        return self.constant(self.numbers(shape, low, high))

    def op(self, name, *operands, **attributes):
        """The result, or the list of them."""
        results = [self.value(number) for number in oracle.compute(
            self.precision, name, [operand.number for operand in operands],
            attributes)]
        self.nodes.append(Node(name, tuple(x.name for x in operands),
                               tuple(x.name for x in results), attributes))
        return results[0] if len(results) == 1 and name != "split" else results

    def constant(self, data):
        return self.op("constant", value=np.asarray(data))

    def reshape(self, x, shape):
        return self.op("reshape", x, shape=list(shape))

    def transpose(self, x, perm):
        return self.op("transpose", x, perm=list(perm))

    def slice(self, x, axis, start, size, step=1):
        starts, sizes, steps = [0] * x.rank, list(x.shape), [1] * x.rank
        starts[axis], sizes[axis], steps[axis] = start, size, step
        if step == 1 and self.chance(0.5):
            return self.op("slice", x, starts=starts, sizes=sizes)
        return self.op("slice", x, starts=starts, sizes=sizes, steps=steps)

    def concat(self, parts, axis):
        return self.op("concat", *parts, axis=axis)

    def halves(self, x, axis):
        """Two halves along a dim, which is made even."""
        x = self.even(x, axis)
        half = x.shape[axis] // 2
        if self.chance(0.5):
            return self.op("split", x, axis=axis, sizes=[half, half])
        return [self.slice(x, axis, start, half) for start in (0, half)]

    def even(self, x, axis):
        """`x`, with a second part if the size of the dim is odd."""
        if x.shape[axis] % 2 == 0:
            return x
        return self.concat([x, self.unary(x)], axis)

    def of_rank(self, x, rank):
        """`x` with dims joined, divided or added, or an input if it is None."""
        if x is None:
            return self.input(self.shape(rank))
        shape = list(x.shape)
        while len(shape) > rank:
            at = self.random.randrange(len(shape) - 1)
            shape[at:at + 2] = [shape[at] * shape[at + 1]]
        while len(shape) < rank:
            at = self.random.randrange(len(shape)) if shape else 0
            size = shape[at] if shape else 1
            first = self.divisor(size)
            shape[at:at + 1] = [first, size // first]
        return x if shape == list(x.shape) else self.reshape(x, shape)

    def perm(self, rank):
        perm = list(range(rank))
        self.random.shuffle(perm)
        return perm

    #===------------------------------------------------------------------===#
    # Pointwise ops
    #===------------------------------------------------------------------===#

    def other_operand(self, x):
        """An input that broadcasts to `x`: of its shape, along one dim, without
        leading dims."""
        shape = list(x.shape)
        kind = self.random.randrange(4)
        if kind == 1 and shape:
            at = self.random.randrange(len(shape))
            shape = [size if dim == at else 1 for dim, size in enumerate(shape)]
        elif kind == 2 and shape:
            shape = shape[self.random.randrange(len(shape)):]
        elif kind == 3:
            shape = [1 if self.chance(0.5) else size for size in shape]
        return self.known_or_input(shape)

    def unary(self, x):
        if self.exact:
            return self.op(self.choose(EXACT_UNARY), x)
        name = self.choose(FUNCTIONS if self.chance(0.12) else UNARY)
        if name == "leaky_relu":
            return self.op(name, x, alpha=0.1)
        if name == "clip":
            return self.op(name, x, min=-0.75, max=1.5)
        return self.op(name, x)

    def binary(self, x, y):
        return self.op(self.choose(EXACT_BINARY if self.exact else BINARY), x,
                       y)

    def pointwise(self, x, least=0):
        """`x` behind a few ops."""
        for _ in range(max(least, self.choose((0, 1, 1, 2, 3)))):
            kind = self.random.random()
            if kind < 0.6:
                x = self.unary(x)
            elif kind < 0.85:
                x = self.binary(x, self.other_operand(x))
            elif kind < 0.95:
                x = self.binary(x, self.unary(x))
            else:
                x = self.binary(self.other_operand(x), x)
        return x

    def weight(self, *shape):
        """Sums of products with it stay as large as what they are made of."""
        bound = 1.0 / math.sqrt(math.prod(shape[:-1]))
        return self.known_or_input(shape, -bound, bound)

    def graph(self, outputs, loss=None):
        return Graph(self.dtype, dict(self.inputs), tuple(self.nodes),
                     tuple(value.name for value in outputs), loss).used()
