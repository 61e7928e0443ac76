"""Random graphs, each of one idiom or of several behind each other."""
import dataclasses
import math

import idioms_attention
import idioms_images
import idioms_indices
import idioms_known
import idioms_moves
import idioms_sums
from builder import Builder

MOVES = (idioms_moves.IDIOMS + idioms_attention.MOVES + idioms_images.MOVES
         + idioms_indices.MOVES + idioms_known.MOVES)
ALL = (idioms_moves.IDIOMS + idioms_attention.IDIOMS + idioms_images.IDIOMS
       + idioms_indices.IDIOMS + idioms_sums.IDIOMS + idioms_known.IDIOMS)
MOST_OPS = 40
# Behind more elements no idiom follows: one that multiplies each with each took
# all memory of a machine.
MOST_ELEMENTS = 1 << 12


def connected(b, before, x):
    """A connection around an idiom, which may have changed the dims."""
    if math.prod(before.shape) != math.prod(x.shape):
        return x
    if before.shape != x.shape:
        before = b.reshape(before, x.shape)
    return b.pointwise(b.op("max" if b.exact else "add", before, x))


def draw_graph(seed, dtype="f32", exact=False, gradients=False):
    """The graph follows from the arguments alone. With `exact` it has no op
    that rounds."""
    b = Builder(seed, dtype, exact, extremes=not gradients)
    x, between = None, []
    for _ in range(b.choose((1, 1, 2, 2, 3))):
        if x is not None and x.rank > 1 and b.chance(0.25):
            x = b.transpose(x, b.perm(x.rank))
        before = x
        x = b.choose(MOVES if exact else ALL)(b, x)
        if before is not None and b.chance(0.4):
            x = connected(b, before, x)
        between.append(x)
        if len(b.nodes) > MOST_OPS or math.prod(x.shape) > MOST_ELEMENTS:
            break
    if not b.nodes:
        x = b.unary(x)
    if gradients:
        if not b.graph([x]).differentiable():
            # Positions have no slope: what is as large as they are has.
            x = b.op("mul", x, b.input(x.shape))
        weights = b.input(x.shape, -1, 1)
        return dataclasses.replace(b.graph([x, weights]), outputs=(x.name,),
                                   loss=weights.name)
    # Other kernels read what is an output as well.
    return b.graph([x] + [value for value in between[:-1]
                          if value.name != x.name and b.chance(0.3)])
