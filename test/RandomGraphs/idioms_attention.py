"""Parts of transformers. Each function continues the graph from `x`, or from an
input if that is None."""
import numpy as np


def heads(b, x):
    """Divides features into heads, and joins them again."""
    x = b.pointwise(b.of_rank(x, 3))
    batch, length, width = x.shape
    count = b.divisor(width)
    x = b.pointwise(b.reshape(x, [batch, length, count, width // count]))
    x = b.pointwise(b.transpose(x, [0, 2, 1, 3]))
    if b.chance(0.5):
        x = b.pointwise(b.reshape(x, [batch * count, length, width // count]))
        x = b.reshape(x, [batch, count, length, width // count])
    x = b.pointwise(b.transpose(x, [0, 2, 1, 3]))
    return b.pointwise(b.reshape(x, [batch, length, width]), 1)


def packed_heads(b, x):
    """Queries, keys and values from one product."""
    x = b.pointwise(b.of_rank(x, 3))
    batch, length, width = x.shape
    if width % 3:
        x = b.concat([x, b.unary(x), b.unary(x)], 2)
        width *= 3
    count = b.divisor(width // 3)
    size = width // 3 // count
    x = b.reshape(x, [batch, length, 3, count, size])
    x = b.pointwise(b.transpose(x, [2, 0, 3, 1, 4]))
    parts = [b.reshape(b.slice(x, 0, i, 1), [batch, count, length, size])
             for i in range(3)]
    return b.pointwise(b.binary(b.binary(parts[0], parts[1]), parts[2]))


def attention(b, x):
    x = b.pointwise(b.of_rank(x, 3))
    batch, length, width = x.shape
    count = b.divisor(width)
    size = width // count

    def project(perm):
        y = x if b.exact or b.chance(0.4) else b.op(
            "matmul", x, b.weight(width, width))
        return b.transpose(b.reshape(y, [batch, length, count, size]), perm)
    scores = project([0, 2, 1, 3]), project([0, 2, 3, 1])
    scores = b.op("matmul", *scores)
    if b.chance(0.5):
        scores = masked(b, b.pointwise(scores))
    scores = b.op("softmax", scores, axis=-1)
    y = b.op("matmul", scores, project([0, 2, 1, 3]))
    y = b.pointwise(b.transpose(y, [0, 2, 1, 3]))
    return b.pointwise(b.reshape(y, [batch, length, width]))


def masked(b, x):
    """A causal mask, one of lengths, or one that is added."""
    kind = b.random.randrange(3)
    if kind == 0 and x.rank >= 2:
        return b.op(b.choose(("tril", "triu")), x)
    if kind == 1:
        return b.op("add", x, b.other_operand(x))
    allowed = condition(b, x)
    if b.chance(0.3):
        allowed = b.op(b.choose(("bitwise_and", "bitwise_or")), allowed,
                       condition(b, x))
    if b.chance(0.2):
        allowed = b.op("logical_not", allowed)
    if b.chance(0.2):
        weight = b.op("cast", allowed, to=b.dtype)
        return b.op("max" if b.exact else "mul", x, weight)
    return b.op("where", allowed, x, b.input([1] * x.rank))


def condition(b, x):
    """Which elements of `x` are allowed."""
    left, right = b.other_operand(x), b.other_operand(x)
    return b.op(b.choose(("less", "greater")), left, right)


def mask(b, x):
    x = b.pointwise(b.of_rank(x, b.choose((2, 3, 4))))
    return b.pointwise(masked(b, x))


def rotary(b, x):
    """Halves of features are turned by angles of positions."""
    x = b.pointwise(b.of_rank(x, b.choose((3, 4))))
    axis = x.rank - 1
    x = b.even(x, axis)
    left, right = b.halves(x, axis)
    turned = b.concat([b.op("neg", right), left], axis)
    cosine, sine = (b.input(x.shape[-2:]) for _ in range(2))
    names = ("max", "min", "max") if b.exact else ("mul", "mul", "add")
    return b.pointwise(b.op(names[2], b.op(names[0], x, cosine),
                            b.op(names[1], turned, sine)))


def rotary_pairs(b, x):
    """The same with features in pairs."""
    x = b.pointwise(b.of_rank(x, 3))
    x = b.even(x, 2)
    batch, length, width = x.shape
    pairs = b.reshape(x, [batch, length, width // 2, 2])
    even, odd = (b.slice(pairs, 3, i, 1) for i in range(2))
    turned = b.concat([b.op("neg", odd), even], 3)
    turned = b.pointwise(b.reshape(turned, x.shape))
    return b.pointwise(b.binary(x, turned))


def repeated_keys(b, x):
    """Each head of keys serves several heads of queries."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, count, length, size = x.shape
    times = b.choose((2, 3))
    x = b.reshape(x, [batch, count, 1, length, size])
    x = b.op("expand", x, shape=[batch, count, times, length, size])
    x = b.pointwise(b.reshape(x, [batch, count * times, length, size]))
    return b.pointwise(b.binary(x, b.input(x.shape)))


def window_partition(b, x):
    """Windows of an image, perhaps shifted, and the way back."""
    x = b.pointwise(b.of_rank(x, 4))
    batch, height, width, channels = x.shape
    p, q = b.divisor(height), b.divisor(width)
    x = b.reshape(x, [batch, height // p, p, width // q, q, channels])
    x = b.pointwise(b.transpose(x, [0, 1, 3, 2, 4, 5]))
    x = b.pointwise(b.reshape(x, [-1, p * q, channels]))
    if b.chance(0.3):
        return x
    x = b.reshape(x, [batch, height // p, width // q, p, q, channels])
    x = b.pointwise(b.transpose(x, [0, 1, 3, 2, 4, 5]))
    return b.pointwise(b.reshape(x, [batch, height, width, channels]))


def positions(b, x):
    """A table of relative positions, looked up and added to scores."""
    x = b.pointwise(b.of_rank(x, 3))
    count, rows, columns = x.shape
    table = b.input([rows + columns, count])
    places = (np.arange(rows)[:, None] - np.arange(columns)[None, :]
              + columns).reshape(-1)
    bias = b.op("take", table, b.constant(places), axis=0)
    bias = b.reshape(bias, [rows, columns, count])
    return b.pointwise(b.binary(x, b.transpose(bias, [2, 0, 1])))


MOVES = (heads, heads, packed_heads, mask, rotary, rotary_pairs, repeated_keys,
         window_partition, window_partition, positions)
IDIOMS = (*MOVES, attention)
