"""What models of exporters read and give, as it is stored.

A specification names inputs, their dims, and what they hold:

    x[B,L,16] ids[B,L]<50 mask[B,L]? flags[B,L]?1

x is of floats, ids of integers below 50, mask of booleans, of which the first
along the last dim is true, and so are all in the last row (`?1`: the first is
false, so nothing is masked all along). A dim with a letter has three sizes.
The data follows from the specification, so no file has to keep it.
"""
import re
import zlib
from dataclasses import dataclass

import numpy as np

# What a dim of this letter is in the three sizes of a model.
SIZES = {"B": (1, 2, 3), "L": (5, 7, 67), "S": (3, 9, 17),
         "H": (16, 33, 47), "W": (16, 21, 61)}
COUNT = 3
# The elements of a larger output that are stored: the first and last ones, and
# others that are drawn.
EDGE, DRAWN = 48, 160
INPUT = re.compile(r"(\w+)\[([^]]*)\](<(\d+)|\?1?|)")


@dataclass(frozen=True)
class Input:
    name: str
    dims: tuple  # Letters and integers.
    kind: str    # "", "?", "?1", or "<" and the bound of the integers.

    def shape(self, sizes, at):
        sizes = {**SIZES, **sizes}
        return tuple(sizes[dim][at] if dim in sizes else int(dim)
                     for dim in self.dims)

    def data(self, sizes, at):
        shape = self.shape(sizes, at)
        random = np.random.RandomState(zlib.crc32(self.name.encode()) + at)
        if self.kind.startswith("<"):
            return random.randint(0, int(self.kind[1:]), shape)
        if self.kind:
            flags = random.randint(0, 2, shape).astype(bool)
            flags[..., 0] = self.kind == "?"
            return flags
        return (random.randint(-32, 33, shape) / 16).astype(np.float32)

    def dynamic_dims(self):
        return {at: dim for at, dim in enumerate(self.dims)
                if not dim.isdigit()}


def parse(specification):
    return [Input(name, tuple(dims.split(",")) if dims else (), kind)
            for name, dims, kind, _ in INPUT.findall(specification)]


def stored_places(count):
    """The elements of an output with `count` of them that are stored."""
    if count <= 2 * EDGE + DRAWN:
        return np.arange(count)
    drawn = np.random.RandomState(count).randint(EDGE, count - EDGE, DRAWN)
    return np.concatenate([np.arange(EDGE), np.unique(drawn),
                           np.arange(count - EDGE, count)])
