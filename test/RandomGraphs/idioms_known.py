"""Arithmetic with constants, and what follows products. Each function continues
the graph from `x`, or from an input if that is None."""
import idioms_images

SCALES = (0.5, 2.0, -1.5, 3.0)
# The product of two may overflow or vanish.
EXTREME_SCALES = (1e30, 1e-30, 1e20, -1e-20)


def step(b, x, by):
    """Adds, subtracts, multiplies or divides, in one of two orders."""
    names = ("max", "min") if b.exact else ("add", "sub", "mul", "div", "mul",
                                            "sub")
    name = b.choose(names)
    if name != "div" and b.chance(0.3):
        return b.op(name, by, x)
    return b.op(name, x, by)


def scale(b, x):
    """A constant of one element, or one along a dim."""
    if b.exact:
        return b.constant(b.elements.randint(-9, 10, ()).astype(float))
    if not x.rank or b.chance(0.5):
        return b.constant(b.rounded(b.choose(SCALES)))
    axis = b.random.randrange(x.rank)
    shape = [x.shape[axis]] + [1] * (x.rank - 1 - axis)
    size = b.elements.uniform(0.5, 2.0, shape)
    return b.constant(b.rounded(size * b.choose((1, 1, -1))))


def affine_chain(b, x):
    """What a compiler would compute in fewer steps."""
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    if not b.exact:
        # Zeros stay zeros, unless a product of scales is infinite.
        x = b.op("relu", x)
    is_extreme = not b.exact and b.extremes and b.chance(0.15)
    for _ in range(b.choose((2, 3, 4))):
        if is_extreme and b.chance(0.8):
            by = b.constant(b.rounded(b.choose(EXTREME_SCALES)))
            x = b.op(b.choose(("mul", "div")), x, by)
        else:
            x = step(b, x, scale(b, x))
    return b.pointwise(x)


def table(b, x):
    """Moves of a constant, which need not be computed anew."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    perm = b.perm(x.rank)
    shape = [0] * x.rank
    for place, dim in enumerate(perm):
        shape[dim] = x.shape[place]
    known = b.constant(b.numbers(shape))
    if b.chance(0.5):
        known = b.slice(known, 0, shape[0] - 1, shape[0], -1)
    if b.chance(0.5):
        known = b.unary(known)
    return b.pointwise(b.binary(x, b.transpose(known, perm)))


def behind_product(b, x):
    """A product of some size, with what a library may compute at its end."""
    x = b.of_rank(x, 2)
    if x.shape[0] * x.shape[1] < 64:
        x = b.input([b.choose((5, 16, 17)), b.choose((13, 16, 33))])
    columns = b.choose((x.shape[0], x.shape[0], 16, 17, 32))
    y = b.op("matmul", x, b.weight(x.shape[1], columns))
    return b.pointwise(epilogues(b, y), 1)


def epilogues(b, y):
    """Scales, activations, and operands of few and many elements."""
    for _ in range(b.choose((1, 2, 3, 4))):
        kind = b.random.randrange(5)
        if kind == 0:
            y = step(b, y, scale(b, y))
        elif kind == 1:
            y = b.unary(y)
        elif kind == 2:
            y = b.binary(b.other_operand(y), y)
        elif kind == 3 and b.chance(0.4):
            y = b.reshape(y, [*y.shape[:-2], y.shape[-1], y.shape[-2]])
        else:
            y = b.binary(y, b.other_operand(y))
    return y


def batch_norm(b, x):
    """A convolution whose channels are scaled and shifted."""
    x = idioms_images.small_image(b, x)
    y = idioms_images.convolved(b, x)
    if y.shape[1] > 1:
        for name in b.choose((("mul", "add"), ("sub", "mul", "add"),
                              ("add", "mul"), ("sub", "div"))):
            by = b.elements.uniform(0.5, 2.0, [y.shape[1], 1, 1])
            y = b.op(name, y, b.constant(b.rounded(by)))
    return b.pointwise(epilogues(b, y))


MOVES = (affine_chain, table)
IDIOMS = (*MOVES, affine_chain, affine_chain, behind_product, behind_product,
          behind_product, batch_norm, batch_norm)
