"""Norms, gates, residuals and reductions. Each function continues the graph
from `x`, or from an input if that is None."""


def residual_tower(b, x):
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    for _ in range(b.choose((1, 2, 3))):
        y = b.pointwise(x, 1)
        x = b.op("add", x, y) if y.shape == x.shape else y
    return x


def gate(b, x):
    """One half of the features opens the other."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    left, right = b.halves(x, b.random.randrange(x.rank))
    name = b.choose(("sigmoid", "silu", "gelu", "tanh"))
    return b.pointwise(b.op("mul", left, b.op(name, right)))


def norm(b, x):
    """A norm as its parts are written: of rows, of columns, without a mean."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    return b.pointwise(standardised(b, x, [b.random.randrange(x.rank)]))


def standardised(b, x, axes):
    if b.chance(0.7):
        x = b.op("sub", x, b.op("reduce_mean", x, axes=axes, keepdims=True))
    variance = b.op("reduce_mean", b.op("mul", x, x), axes=axes, keepdims=True)
    variance = b.op("add", variance, b.input([1], 0.01, 0.02))
    if b.chance(0.5):
        return b.op("mul", x, b.op("rsqrt", variance))
    return b.op("div", x, b.op("sqrt", variance))


def norm_of_groups(b, x):
    """Channels are divided into groups, which are normalised."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, channels, height, width = x.shape
    groups = b.divisor(channels)
    if b.chance(0.3):
        x = b.op("group_norm", x, b.input([channels]), b.input([channels]),
                 groups=groups)
        return b.pointwise(x)
    x = b.reshape(x, [batch, groups, channels // groups * height * width])
    x = b.pointwise(standardised(b, x, [2]))
    x = b.reshape(x, [batch, channels, height, width])
    scale, bias = (b.input([channels, 1, 1]) for _ in range(2))
    return b.pointwise(b.op("add", b.op("mul", x, scale), bias))


def layer_norm(b, x):
    x = b.pointwise(b.of_rank(x, 3))
    width = x.shape[2]
    return b.pointwise(b.op("layer_norm", x, b.input([width]),
                            b.input([width])))


def softmax_parts(b, x):
    """A softmax as it is written where there is none."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    axes = [b.random.randrange(x.rank)]
    top = b.op("reduce_max", x, axes=axes, keepdims=True)
    e = b.op("exp", b.op("sub", x, top))
    return b.pointwise(b.op("div", e, b.op("reduce_sum", e, axes=axes,
                                           keepdims=True)))


def softmax_between(b, x):
    """A softmax behind a reshape that joins or divides dims."""
    x = b.pointwise(b.of_rank(x, 3))
    n, m, k = x.shape
    x = b.pointwise(b.reshape(x, b.choose(([n * m, k], [n, m * k]))))
    x = b.pointwise(b.op("softmax", x, axis=b.choose((-1, 0))))
    return b.pointwise(b.reshape(x, [n, m, k]))


def reduction(b, x):
    """A sum or mean over some dims, in front of a move or behind one."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3, 4))))
    if b.chance(0.5):
        x = b.pointwise(b.transpose(x, b.perm(x.rank)))
    axes = sorted(b.random.sample(range(x.rank), b.choose((1, 1, 2,
                                                             x.rank))))
    name = b.choose(("reduce_sum", "reduce_mean", "reduce_max", "reduce_min"))
    keepdims = b.chance(0.5)
    y = b.op(name, x, axes=axes, keepdims=keepdims)
    if keepdims and b.chance(0.6):
        return b.pointwise(b.binary(x, y))
    return b.pointwise(b.reshape(y, [-1] if b.chance(0.5) else y.shape))


def means_of_blocks(b, x):
    """A pool as a mean over parts of dims."""
    x = b.pointwise(b.of_rank(x, 3))
    batch, height, width = x.shape
    p, q = b.divisor(height), b.divisor(width)
    x = b.pointwise(b.reshape(x, [batch, height // p, p, width // q, q]))
    x = b.op("reduce_mean", x, axes=[2, 4], keepdims=False)
    return b.pointwise(x)


def running_sum(b, x):
    x = b.pointwise(b.of_rank(x, b.choose((1, 2, 3))))
    if x.rank > 1 and b.chance(0.3):
        x = b.transpose(x, b.perm(x.rank))
    rare = {name: True for name in ("exclusive", "reverse") if b.chance(0.25)}
    return b.pointwise(b.op("cum_sum", x, axis=b.random.randrange(x.rank),
                            **rare))


def dense(b, x):
    """A product, whose result is divided or joined."""
    x = b.pointwise(b.of_rank(x, b.choose((2, 3))))
    n = b.choose((1, 2, 3, 5, 8))
    m = b.choose((2, 3, 4, 7))
    if b.chance(0.5):
        weight = b.weight(x.shape[-1], n * m)
        x = b.op("matmul", x, weight)
    else:
        weight = b.transpose(b.weight(x.shape[-1], n * m), [1, 0])
        x = b.op("linear", x, weight, b.input([n * m]))
    x = b.pointwise(b.reshape(b.pointwise(x), [*x.shape[:-1], n, m]))
    if b.chance(0.5):
        x = b.pointwise(b.transpose(x, b.perm(x.rank)))
    return x


IDIOMS = (residual_tower, gate, norm, norm_of_groups, layer_norm, softmax_parts,
          softmax_between, reduction, reduction, means_of_blocks, running_sum,
          dense)
