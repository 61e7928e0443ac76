"""The random numbers of extreme_graphs.py: element types, sizes, data."""
import math

import numpy as np

FLOATS = ("f32", "f32", "f32", "bf16", "f16", "f64")
INTEGERS = ("i64", "i32", "i16", "i8", "ui8", "ui16", "ui32", "ui64")
NUMPY_TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16,
               "bf16": np.float32, "i64": np.int64, "i32": np.int32,
               "i16": np.int16, "i8": np.int8, "ui8": np.uint8,
               "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
               "i1": np.bool_}
SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 7, 17)
HUGE = (1 << 29, 1 << 30, (1 << 30) + 1, 1 << 33, 1 << 40, 1 << 48)
MOST = 1 << 14


class TooLarge(Exception):
    """The draw would take long; another one is made."""


class Draw:
    def __init__(self, random, element):
        self.random = random
        self.element = element
        self.is_float = element in FLOATS

    def chance(self, share):
        return self.random.random() < share

    def pick(self, choices):
        return choices[self.random.integers(len(choices))]

    def below(self, end):
        return int(self.random.integers(end))

    def size(self):
        return 0 if self.chance(0.03) else self.pick(SIZES)

    def shape(self, least=0, most=8):
        rank = least + self.below(min(most, 8 if self.chance(0.2) else 4)
                                  - least + 1) if most > least else least
        dims = [self.size() for _ in range(rank)]
        while math.prod(dims) > MOST:
            dims[int(np.argmax(dims))] = 1
        return tuple(dims)

    def some_of(self, shape):
        """A shape that numpy broadcasts to `shape`."""
        dims = [1 if self.chance(0.3) else size for size in shape]
        return tuple(dims[self.below(len(dims) + 1):]
                     if self.chance(0.3) else dims)

    def data(self, shape, element=None, low=-16, high=17):
        element = element or self.element
        numbers = self.random.integers(low, high, shape)
        if element in FLOATS:
            return (numbers / 4).astype(NUMPY_TYPES[element])
        if element.startswith("ui"):
            numbers = abs(numbers)
        if element == "i1":
            numbers = numbers % 2
        return np.asarray(numbers).astype(NUMPY_TYPES[element])

    def axis(self, rank):
        """An axis, also counted from the end."""
        if rank == 0:
            raise TooLarge
        return self.below(2 * rank) - rank


def check_size(*counts):
    if math.prod(counts) > 1 << 21:
        raise TooLarge


def wide(x):
    if x.dtype.kind == "f":
        return x.astype(np.float64)
    return x.astype(np.int64)


def ints(name, values):
    return f"{name} = [{', '.join(str(int(value)) for value in values)}]"


def lower(flag):
    return str(bool(flag)).lower()
