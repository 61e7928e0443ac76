"""Ways in which people move elements. Each function continues the graph from
`x`, or from an input if that is None."""


def flatten_unflatten(b, x):
    """Joins two dims, perhaps transposes, and divides the result."""
    x = b.pointwise(b.of_rank(x, 3))
    at = b.random.randrange(2)
    first, second = x.shape[at:at + 2]
    shape = list(x.shape)
    x = b.pointwise(b.reshape(x, shape[:at] + [first * second]
                              + shape[at + 2:]), 1)
    if b.chance(0.4):
        x = b.pointwise(b.transpose(x, [1, 0]))
        at = 1 - at
    if b.chance(0.3):
        first, second = second, first
    shape = list(x.shape)
    shape[at:at + 1] = [first, second]
    return b.pointwise(b.reshape(x, shape), 1)


def flatten_all(b, x):
    """One dim, and back."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3, 4))))
    shape = x.shape
    x = b.pointwise(b.reshape(x, [-1]))
    return b.pointwise(b.reshape(x, shape), 1)


def transpose_chain(b, x):
    x = b.of_rank(x, b.choose((2, 3, 4)))
    for _ in range(b.choose((1, 2, 3))):
        x = b.pointwise(b.transpose(x, b.perm(x.rank)))
    return x


def regroup(b, x):
    """Divides two dims, exchanges the parts, and joins others."""
    x = b.pointwise(b.of_rank(x, 2))
    n, m = x.shape
    p, q = b.divisor(n), b.divisor(m)
    x = b.pointwise(b.reshape(x, [n // p, p, m // q, q]))
    x = b.pointwise(b.transpose(x, b.perm(4)))
    shape = x.shape
    joined = b.choose(([shape[0] * shape[1], shape[2] * shape[3]],
                       [shape[0], shape[1] * shape[2], shape[3]],
                       [shape[0] * shape[1] * shape[2], shape[3]],
                       [shape[0], shape[1] * shape[2] * shape[3]]))
    return b.pointwise(b.reshape(x, joined), 1)


def squeezes(b, x):
    """Dims of one element come and go."""
    x = b.pointwise(b.of_rank(x, 2))
    shape = list(x.shape)
    shape.insert(b.random.randrange(3), 1)
    x = b.pointwise(b.reshape(x, shape))
    if b.chance(0.5):
        x = b.binary(x, b.other_operand(x))
    return b.pointwise(b.reshape(x, [n for n in x.shape if n != 1] or [1]))


def strided_views(b, x):
    """Every second element, backwards, or both together."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    size, step = x.shape[axis], b.choose((2, 3, -1, -2))
    start = b.random.randrange(min(size, abs(step)))
    if step < 0:
        start = size - 1 - start
        count = start // -step + 1
    else:
        count = (size - 1 - start) // step + 1
    return b.pointwise(b.slice(x, axis, start, count, step))


def interleave(b, x):
    """Even and odd elements apart, and together again."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    x = b.even(x, axis)
    half = x.shape[axis] // 2
    even = b.pointwise(b.slice(x, axis, 0, half, 2))
    odd = b.pointwise(b.slice(x, axis, 1, half, 2))
    if b.chance(0.5):
        return b.pointwise(b.concat([even, odd], axis))
    shape = list(x.shape)
    parts = [b.reshape(part, shape[:axis] + [half, 1] + shape[axis + 1:])
             for part in (odd, even)]
    return b.pointwise(b.reshape(b.concat(parts, axis + 1), shape))


def roll(b, x):
    """Two slices in the other order."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    size = x.shape[axis]
    at = b.random.randrange(size)
    if at == 0:
        return b.pointwise(x)
    return b.pointwise(b.concat([b.slice(x, axis, at, size - at),
                                 b.slice(x, axis, 0, at)], axis))


def split_and_join(b, x):
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    size = x.shape[axis]
    first = b.random.randrange(size + 1)
    sizes = [n for n in (first, size - first) if n]
    parts = [b.pointwise(part)
             for part in b.op("split", x, axis=axis, sizes=sizes)]
    b.random.shuffle(parts)
    return b.pointwise(b.concat(parts, axis))


def tile(b, x):
    """Repeats each element, or the whole, along a dim."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis, count = b.random.randrange(x.rank), b.choose((2, 3))
    shape = list(x.shape)
    at = axis + b.choose((0, 1))
    x = b.pointwise(b.reshape(x, shape[:at] + [1] + shape[at:]))
    grown = list(x.shape)
    grown[at] = count
    x = b.pointwise(b.op("expand", x, shape=grown))
    shape[axis] *= count
    return b.pointwise(b.reshape(x, shape))


def relative_shift(b, x):
    """Transformer-XL's shift of rows: pads, and reads with another width."""
    x = b.pointwise(b.of_rank(x, 3))
    batch, rows, columns = x.shape
    x = b.op("pad", x, pads=[0, 0, 1, 0, 0, 0])
    x = b.pointwise(b.reshape(x, [batch, columns + 1, rows]))
    x = b.slice(x, 1, 1, columns)
    return b.pointwise(b.reshape(x, [batch, rows, columns]))


def frames(b, x):
    """Overlapping windows of a signal, and a weight for each place in one."""
    x = b.pointwise(b.of_rank(x, 2))
    batch, size = x.shape
    width = min(size, b.choose((2, 3, 4)))
    hop = b.choose((1, 2))
    starts = range(0, size - width + 1, hop)
    if b.chance(0.5):
        indices = [start + i for start in starts for i in range(width)]
        x = b.op("take", x, b.constant(indices), axis=1)
        x = b.reshape(x, [batch, len(starts), width])
    else:
        starts = starts[:6]
        x = b.concat([b.reshape(b.slice(x, 1, start, width),
                                [batch, 1, width]) for start in starts], 1)
    return b.pointwise(b.binary(x, b.input([width])))


def padded_blocks(b, x):
    """Pads a dim to whole blocks, works on these, and cuts the rest off."""
    x = b.pointwise(b.of_rank(x, 2))
    rows, size = x.shape
    block = b.choose((2, 3, 4))
    more = -size % block
    if more:
        x = b.op("pad", x, pads=[0, 0, 0, more])
    x = b.pointwise(b.reshape(x, [rows, (size + more) // block, block]))
    x = b.pointwise(b.transpose(x, b.choose(([1, 0, 2], [0, 1, 2]))))
    if x.shape[0] != rows:
        x = b.transpose(x, [1, 0, 2])
    x = b.reshape(x, [rows, size + more])
    return b.pointwise(b.slice(x, 1, 0, size))


def shuffle_by_indices(b, x):
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    axis = b.random.randrange(x.rank)
    size = x.shape[axis]
    first = b.choose((0, -size))
    indices = [b.random.randrange(first, size)
               for _ in range(b.choose((1, 2, size)))]
    return b.pointwise(b.op("take", x, b.constant(indices), axis=axis))


def pick_along(b, x):
    """An index of its own for each element, as after sorting."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    axis = b.random.randrange(x.rank)
    size = x.shape[axis]
    shape = list(x.shape)
    shape[axis] = b.choose((1, 2, size))
    indices = b.elements.randint(b.choose((0, -size)), size, shape)
    return b.pointwise(b.op("take_along_axis", x, b.constant(indices),
                            axis=axis))


IDIOMS = (flatten_unflatten, flatten_unflatten, flatten_all, transpose_chain,
          regroup, regroup, squeezes, strided_views, interleave, roll,
          split_and_join, tile, relative_shift, frames, shuffle_by_indices,
          pick_along, padded_blocks)
