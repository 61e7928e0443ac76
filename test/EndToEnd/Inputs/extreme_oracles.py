"""What numpy says that ops give, and random calls of them with extreme
attributes, for extreme_graphs.py. It shares no code with Weir.

A draw is a function of a `Draw` that returns the op's operands as arrays, its
attributes as text and its results; a `Draw` has the random numbers and the
element type. Floats are small multiples of 1/4, so that sums are exact or
nearly so.
"""
import itertools
import math

import numpy as np

from extreme_draw import (FLOATS, HUGE, NUMPY_TYPES, TooLarge, check_size,
                          ints, lower, wide)
from extreme_pointwise import FUNCTIONS, pointwise
from extreme_windows import (bias, conv, conv_transpose, first_tap, global_pool,
                             max_pool_taps, pool, spread)


# Casts -----------------------------------------------------------------------

def cast(d):
    to = d.pick(("f32", "f64", "i64", "i32", "i8", "ui8", "ui16", "ui32",
                 "ui64", "i1"))
    x = d.data(d.shape(), low=0 if to.startswith("ui") else -16)
    value = np.trunc(x.astype(np.float64)) if to not in FLOATS + ("i1",) else x
    return [x], [f"to = {to}"], [value.astype(NUMPY_TYPES[to])]


# Products --------------------------------------------------------------------

def matmul(d):
    batch = d.shape(0, 6)
    m, k, n = d.size(), d.size(), d.size()
    x = d.data((*d.some_of(batch), m, k))
    y = d.data((*d.some_of(batch), k, n))
    check_size(*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), m, k, n)
    return [x, y], [], [wide(x) @ wide(y)]


def linear(d):
    x = d.data((*d.shape(0, 7), d.size()))
    w = d.data((d.size(), x.shape[-1]))
    rest = bias(d, w.shape[0])
    y = wide(x) @ wide(w).T
    return [x, w] + rest, [], [y + wide(rest[0]) if rest else y]


# Reductions and normalisations -----------------------------------------------

def reduction(name):
    functions = {"reduce_sum": np.sum, "reduce_mean": np.mean,
                 "reduce_max": np.max, "reduce_min": np.min,
                 "reduce_prod": np.prod,
                 "reduce_log_sum_exp": lambda x, axis, keepdims:
                 np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)}

    def draw(d):
        low, high = (-4, 5) if name == "reduce_prod" else (-16, 17)
        x = d.data(d.shape(1), low=low, high=high)
        if x.size == 0 and name not in ("reduce_sum", "reduce_prod"):
            raise TooLarge
        axes = [axis - (x.ndim if d.chance(0.3) else 0)
                for axis in range(x.ndim) if d.chance(0.5)]
        keep = d.chance(0.5)
        value = functions[name](wide(x), axis=tuple(axes) or None,
                                keepdims=keep)
        return ([x], [ints("axes", axes), f"keepdims = {lower(keep)}"],
                [np.asarray(value)])
    return draw


def moments(x, axes):
    mean = x.mean(axes, keepdims=True)
    return mean, ((x - mean) ** 2).mean(axes, keepdims=True)


def batch_norm(d):
    x = d.data((d.size(), d.size(), *d.shape(0, 6)))
    rows = [d.data((x.shape[1],)) for _ in range(3)]
    rows.append(d.data((x.shape[1],), low=1))
    scale, shift, mean, variance = (
        spread(wide(row), x.ndim - 2) for row in rows)
    y = (wide(x) - mean) / np.sqrt(variance + 1e-5) * scale + shift
    return [x] + rows, [], [y]


def batch_norm_training(d):
    x = d.data((d.size(), d.size(), *d.shape(0, 6)))
    if x.size == 0:
        raise TooLarge
    rows = [d.data((x.shape[1],)) for _ in range(2)]
    scale, shift = (spread(wide(row), x.ndim - 2) for row in rows)
    mean, variance = moments(wide(x), (0, *range(2, x.ndim)))
    y = (wide(x) - mean) / np.sqrt(variance + 1e-5) * scale + shift
    return [x] + rows, [], [y, mean.reshape(-1), variance.reshape(-1)]


def batch_norm_gradient(d):
    x = d.data((d.size(), d.size(), *d.shape(0, 6)))
    if x.size == 0:
        raise TooLarge
    axes, gradient = (0, *range(2, x.ndim)), d.data(x.shape)
    rows = [d.data((x.shape[1],)) for _ in range(2)]
    rows.append(d.data((x.shape[1],), low=1))
    scale, mean, variance = (spread(wide(row), x.ndim - 2) for row in rows)
    deviation, g = np.sqrt(variance + 1e-5), wide(gradient)
    normal = (wide(x) - mean) / deviation
    of_x = (g - g.mean(axes, keepdims=True) - normal * (g * normal).mean(
        axes, keepdims=True)) * scale / deviation
    return ([gradient, x] + rows, [],
            [of_x, (g * normal).sum(axes), g.sum(axes)])


def group_norm(d):
    groups, each = d.pick((1, 2, 3)), d.pick((1, 2, 5))
    x = d.data((d.pick((1, 2)), groups * each, *d.shape(0, 6)))
    if x.size == 0:
        raise TooLarge
    rows = [d.data((x.shape[1],)) for _ in range(2)]
    parts = wide(x).reshape(x.shape[0], groups, -1)
    mean, variance = moments(parts, (2,))
    y = ((parts - mean) / np.sqrt(variance + 1e-5)).reshape(x.shape)
    scale, shift = (spread(wide(row), x.ndim - 2) for row in rows)
    return [x] + rows, [f"groups = {groups}"], [y * scale + shift]


def layer_norm(d):
    x = d.data(d.shape(1))
    axis = d.axis(x.ndim)
    first = axis % x.ndim
    if math.prod(x.shape[first:]) == 0:
        raise TooLarge
    rows = [d.data(x.shape[first:]) for _ in range(d.pick((1, 2)))]
    mean, variance = moments(wide(x), tuple(range(first, x.ndim)))
    y = (wide(x) - mean) / np.sqrt(variance + 1e-5) * wide(rows[0])
    if len(rows) == 2:
        y = y + wide(rows[1])
    return [x] + rows, [f"axis = {axis}"], [y]


def softmax(is_log):
    def draw(d):
        x = d.data(d.shape(1))
        axis = d.axis(x.ndim)
        if x.shape[axis] == 0:
            raise TooLarge
        y = wide(x) - np.logaddexp.reduce(wide(x), axis=axis, keepdims=True)
        return [x], [f"axis = {axis}"], [y if is_log else np.exp(y)]
    return draw


def lrn(d):
    x = d.data((d.pick((1, 2)), d.pick((1, 3, 8, 17)), *d.shape(0, 5)))
    size = d.pick((1, 2, 3, 5, 16, 40, 5000, 1 << 20))
    before, after = (size - 1) // 2, size // 2
    squares = np.stack([(wide(x)[:, max(c - before, 0):c + after + 1] ** 2)
                        .sum(1) for c in range(x.shape[1])], 1)
    y = wide(x) / (1 + 1e-4 / size * squares) ** 0.75
    return [x], [f"size = {size}"], [y]


# Indexing --------------------------------------------------------------------

def indices(d, shape, size):
    """Into a dim of `size`, also from its end."""
    if size == 0:
        raise TooLarge
    return d.data(shape, d.pick(("i64", "i32")), -size, size)


def take(d):
    x = d.data(d.shape(1))
    axis = d.axis(x.ndim)
    at = indices(d, (d.size(),), x.shape[axis])
    return [x, at], [f"axis = {axis}"], [np.take(x, at, axis)]


def gather(d):
    x = d.data(d.shape(1, 4))
    axis = d.axis(x.ndim)
    at = indices(d, d.shape(0, 4), x.shape[axis])
    check_size(x.size, at.size)
    return [x, at], [f"axis = {axis}"], [np.take(x, at, axis)]


def take_along_axis(d):
    x = d.data(d.shape(1))
    axis = d.axis(x.ndim)
    shape = list(x.shape)
    shape[axis] = d.size()
    at = indices(d, shape, x.shape[axis])
    return [x, at], [f"axis = {axis}"], [np.take_along_axis(
        x, at.astype(np.int64), axis)]


def places(d, dims, shape):
    """Places in `dims`, each along the last dim."""
    columns = [indices(d, shape, size) for size in dims]
    return np.stack(columns, -1).astype(np.int64)


def gather_nd(d):
    x = d.data(d.shape(1, 5))
    batch = d.below(x.ndim)
    count = 1 + d.below(x.ndim - batch)
    shape = x.shape[:batch] + d.shape(0, 2)
    at = places(d, x.shape[batch:batch + count], shape)
    result = np.empty(shape + x.shape[batch + count:], x.dtype)
    for place in np.ndindex(*shape):
        result[place] = x[place[:batch] + tuple(at[place])]
    return [x, at], [f"batch_dims = {batch}"], [result]


REDUCTIONS = {"none": lambda known, update: update, "sum": np.add,
              "product": np.multiply, "maximum": np.maximum,
              "minimum": np.minimum}


def scatter_nd(d):
    reduction = d.pick(tuple(REDUCTIONS))
    low, high = (-4, 5) if reduction == "product" else (-16, 17)
    x = d.data(d.shape(1, 5), None, low, high)
    count = 1 + d.below(x.ndim)
    shape = d.shape(0, 2)
    at = places(d, x.shape[:count], shape)
    updates = d.data(shape + x.shape[count:], None, low, high)
    result = wide(x).copy()
    for place in np.ndindex(*shape):
        to = tuple(at[place])
        result[to] = REDUCTIONS[reduction](result[to], wide(updates[place]))
    return [x, at, updates], [f'reduction = "{reduction}"'], [result]


def scatter_rows(reduction):
    """Also with indices that are no row, which are ignored."""
    def draw(d):
        low, high = (-4, 5) if reduction == "product" else (-16, 17)
        planes, rows, width = d.size(), d.size(), d.size()
        count = max(d.size(), 1 if reduction[0] == "m" else 0)
        updates = d.data((planes, count, width), None, low, high)
        at = d.data((count,), d.pick(("i64", "i32", "ui16")), -1, rows + 1)
        x = d.data((planes, rows, width), None, low, high)
        check_size(planes, rows, width, count)
        result = wide(x).copy()
        for number, row in enumerate(at.tolist()):
            if 0 <= row < rows:
                result[:, row] = REDUCTIONS[reduction](
                    result[:, row], wide(updates)[:, number])
        return [updates, at, x], [], [result]
    return draw


def scatter_elements(d):
    reduction = d.pick(tuple(REDUCTIONS))
    low, high = (-4, 5) if reduction == "product" else (-16, 17)
    x = d.data(d.shape(1, 5), None, low, high)
    axis = d.axis(x.ndim)
    shape = [1 + d.below(size) if size else 0 for size in x.shape]
    at = indices(d, shape, x.shape[axis])
    updates = d.data(shape, None, low, high)
    result = wide(x).copy()
    for place in np.ndindex(*shape):
        to = list(place)
        to[axis] = int(at[place])
        result[tuple(to)] = REDUCTIONS[reduction](
            result[tuple(to)], wide(updates)[place])
    return ([x, at, updates],
            [f"axis = {axis}", f'reduction = "{reduction}"'], [result])


def top_k(d):
    x = d.data(d.shape(1))
    axis, largest = d.axis(x.ndim), d.chance(0.5)
    k = d.below(x.shape[axis] + 1)
    order = np.argsort(-wide(x) if largest else wide(x), axis, kind="stable")
    return ([x], [f"k = {k}", f"axis = {axis}", f"largest = {lower(largest)}"],
            [np.take(order, np.arange(k), axis)])


def one_hot(d):
    depth = d.pick((1, 2, 5, 17))
    x = d.data(d.shape(0, 7), "i64", -depth - 2, depth + 2)
    axis = d.axis(x.ndim + 1)
    from_start = np.where(x < 0, x + depth, x)
    marks = from_start[..., None] == np.arange(depth)
    return ([x], [f"depth = {depth}", f"axis = {axis}"],
            [np.moveaxis(marks, -1, axis)])


def positions(d):
    x = d.data(d.shape(1))
    axis = d.axis(x.ndim)
    return [x], [f"axis = {axis}"], [np.indices(x.shape)[axis]]


def arg_extreme(function):
    def draw(d):
        x = d.data(d.shape(1))
        axis, keep, last = d.axis(x.ndim), d.chance(0.5), d.chance(0.3)
        if x.shape[axis] == 0:
            raise TooLarge
        found = function(np.flip(x, axis) if last else x, axis, keepdims=keep)
        return ([x], [f"axis = {axis}", f"keepdims = {lower(keep)}",
                      f"last = {lower(last)}"],
                [np.asarray(x.shape[axis] - 1 - found if last else found)])
    return draw


def cum_sum(d):
    x = d.data(d.shape(1))
    axis, reverse, exclusive = d.axis(x.ndim), d.chance(0.5), d.chance(0.5)
    values = np.moveaxis(wide(x), axis, 0)
    values = values[::-1] if reverse else values
    sums = np.cumsum(values, 0) - (values if exclusive else 0)
    sums = sums[::-1] if reverse else sums
    return ([x], [f"axis = {axis}", f"reverse = {lower(reverse)}",
                  f"exclusive = {lower(exclusive)}"],
            [np.moveaxis(sums, 0, axis)])


def triangle(function):
    def draw(d):
        x = d.data((*d.shape(0, 6), d.size(), d.size()))
        k = d.pick((0, 1, -1, 3, -40, 1 << 30, -(1 << 40), (1 << 63) - 1))
        bounded = max(min(k, 100), -100)
        return [x], [f"k = {k}"], [function(x, bounded)]
    return draw


def inverse_index(d):
    x = d.data(d.shape(1, 4), "i64", -8, 12)
    axis, size = d.axis(x.ndim), d.pick((1, 2, 9))
    if x.shape[axis] == 0:
        raise TooLarge
    lines = np.moveaxis(np.where(x < 0, x + size, x), axis, -1)
    result = np.full((*lines.shape[:-1], size), -1)
    for place in np.ndindex(*lines.shape):
        if 0 <= lines[place] < size:
            at = place[:-1] + (lines[place],)
            result[at] = max(result[at], place[-1])
    return ([x], [f"size = {size}", f"axis = {axis}"],
            [np.moveaxis(result, -1, axis)])


def resample(d):
    x = d.data(d.shape(1, 5))
    axis, count, taps = d.axis(x.ndim), d.size(), d.pick((1, 2, 4))
    at = indices(d, (count, taps), x.shape[axis])
    weights = d.data((count, taps))
    picked = np.take(wide(x), at, axis)
    axis_at = axis % x.ndim
    shape = [1] * picked.ndim
    shape[axis_at:axis_at + 2] = count, taps
    return ([x, at, weights], [f"axis = {axis}"],
            [(picked * wide(weights).reshape(shape)).sum(axis_at + 1)])


# Shapes ----------------------------------------------------------------------

def concat(d):
    shape = list(d.shape(1))
    axis = d.axis(len(shape))
    parts = []
    for _ in range(d.pick((1, 2, 3, 9))):
        shape[axis] = d.size()
        parts.append(d.data(shape))
    return parts, [f"axis = {axis}"], [np.concatenate(parts, axis)]


def pack(d):
    """Each part begins at a multiple of 16 elements."""
    parts = [d.data(d.shape()) for _ in range(d.pick((1, 2, 3, 9)))]
    return parts, [], [np.concatenate(
        [np.pad(part.reshape(-1), (0, -part.size % 16)) for part in parts])]


def expand(d):
    shape = d.shape()
    x = d.data(d.some_of(shape))
    return [x], [ints("shape", shape)], [np.broadcast_to(x, shape)]


def pad(d):
    x = d.data(d.shape(1, 6))
    pads = [d.below(4) - (d.below(size + 1) if d.chance(0.3) else 0)
            for size in x.shape * 2]
    begins, ends = pads[:x.ndim], pads[x.ndim:]
    if any(b + e + n < 0 or -b > n or -e > n
           for b, e, n in zip(begins, ends, x.shape)):
        raise TooLarge
    check_size(*(b + e + n for b, e, n in zip(begins, ends, x.shape)))
    value = d.pick((0, 3))
    part = x[tuple(slice(max(-b, 0), n - max(-e, 0))
                   for b, e, n in zip(begins, ends, x.shape))]
    if any(max(-b, 0) + max(-e, 0) > n
           for b, e, n in zip(begins, ends, x.shape)):
        raise TooLarge
    y = np.pad(part, [(max(b, 0), max(e, 0)) for b, e in zip(begins, ends)],
               constant_values=value)
    return [x], [ints("pads", pads), f"value = {float(value)}"], [y]


def reshape(d):
    x = d.data(d.shape())
    left, dims = x.size, []
    while left > 1 and len(dims) < 7:
        dims.append(d.pick([n for n in range(1, left + 1) if left % n == 0]))
        left //= dims[-1]
    dims += [left] if left != 1 or d.chance(0.5) else []
    dims.insert(d.below(len(dims) + 1), 1)
    text = list(dims)
    if x.size == 0:
        # A 0 keeps the dim of the operand.
        dims = text = list(x.shape)
    elif d.chance(0.3):
        text[d.below(len(text))] = -1
    return [x], [ints("shape", text)], [x.reshape(dims)]


def slice_(d):
    x = d.data(d.shape(1))
    starts, sizes, steps = [], [], []
    y = x
    for dim, size in enumerate(x.shape):
        step = d.pick((1, 1, 2, -1, -3, *HUGE, *(-h for h in HUGE)))
        start = d.below(max(size, 1))
        room = (size - 1 - start if step > 0 else start) // abs(step) + 1
        count = d.below(room + 1) if size else 0
        if count > 1 and abs(step) > 100:
            count = 1
        y = np.take(y, start + step * np.arange(count), dim)
        starts.append(start), sizes.append(count), steps.append(step)
    return ([x], [ints("starts", starts), ints("sizes", sizes),
                  ints("steps", steps)], [y])


def split(d):
    x = d.data(d.shape(1))
    axis, left, sizes = d.axis(x.ndim), 0, []
    left = x.shape[axis]
    while left and len(sizes) < 6:
        sizes.append(d.below(left + 1))
        left -= sizes[-1]
    sizes.append(left)
    parts = np.split(x, list(itertools.accumulate(sizes))[:-1], axis)
    return [x], [f"axis = {axis}", ints("sizes", sizes)], parts


def transpose(d):
    x = d.data(d.shape())
    perm = [int(dim) for dim in d.random.permutation(x.ndim)]
    return [x], [ints("perm", perm)], [x.transpose(perm)]


def unary(function):
    def draw(d):
        x = d.data(d.shape())
        return [x], [], [function(wide(x))]
    return draw


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# How each op that is no expression is drawn; and the types that it is drawn in
# where its record allows more than the oracle.
DRAWS = {
    "arg_max": arg_extreme(np.argmax), "arg_min": arg_extreme(np.argmin),
    "average_pool": pool("average_pool"), "batch_norm": batch_norm,
    "batch_norm_gradient": batch_norm_gradient,
    "batch_norm_training": batch_norm_training,
    "cast": cast, "concat": concat, "conv": conv,
    "conv_transpose": conv_transpose, "cum_sum": cum_sum, "expand": expand,
    "first_tap": first_tap,
    "gather": gather, "gather_nd": gather_nd,
    "gelu": unary(lambda x: x / 2 * (1 + FUNCTIONS["erf"](x / math.sqrt(2)))),
    "global_average_pool": global_pool(np.mean),
    "global_max_pool": global_pool(np.max), "group_norm": group_norm,
    "inverse_index": inverse_index, "layer_norm": layer_norm,
    "linear": linear, "log_softmax": softmax(True), "lrn": lrn,
    "matmul": matmul, "max_pool": pool("max_pool"),
    "max_pool_taps": max_pool_taps,
    "mish": unary(lambda x: x * np.tanh(np.logaddexp(0, x))),
    "one_hot": one_hot, "pack": pack, "pad": pad, "positions": positions,
    "resample": resample, "reshape": reshape,
    "scatter_elements": scatter_elements,
    "scatter_max": scatter_rows("maximum"),
    "scatter_min": scatter_rows("minimum"), "scatter_nd": scatter_nd,
    "scatter_prod": scatter_rows("product"),
    "scatter_sum": scatter_rows("sum"),
    "silu": unary(lambda x: x * sigmoid(x)), "slice": slice_,
    "softmax": softmax(False), "split": split, "sum_pool": pool("sum_pool"),
    "take": take, "take_along_axis": take_along_axis, "top_k": top_k,
    "transpose": transpose, "tril": triangle(np.tril),
    "triu": triangle(np.triu),
    **{name: reduction(name) for name in
       ("reduce_log_sum_exp", "reduce_max", "reduce_mean", "reduce_min",
        "reduce_prod", "reduce_sum")},
}


def find_draw(record):
    """How to draw `record`, or None."""
    if record.mnemonic in DRAWS:
        return DRAWS[record.mnemonic]
    return pointwise(record) if record.expression else None
