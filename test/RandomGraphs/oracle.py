"""What each op computes, by numpy in f64, and how far another evaluation may be
off. It shares nothing with Weir but the names of ops and attributes.

Each element has a bound for the error of an evaluation in which every op rounds
its result, and sums are taken in any order. Ops that move elements add nothing
to it: behind them, results must be equal if they were.
"""
import functools
import math
from dataclasses import dataclass, replace

import numpy as np

# How much a function of a library may be off, in units of the last place.
FUNCTION_ULPS = 32


@dataclass(frozen=True)
class Precision:
    """`result` is half the unit in the last place of a tensor's elements, and
    `sum` that of the numbers in which kernels compute. Elements have the
    precision from `least` to `most`."""
    result: float
    sum: float
    least: float
    most: float


PRECISIONS = {"f64": Precision(2.0 ** -53, 2.0 ** -53, 2.3e-308, 1.7e308),
              "f32": Precision(2.0 ** -24, 2.0 ** -24, 1.2e-38, 3.4e38),
              "bf16": Precision(2.0 ** -8, 2.0 ** -24, 1.2e-38, 3.3e38)}


class Number:
    """Elements, and the bounds of their errors."""
    __slots__ = ("data", "error")

    def __init__(self, data, error=None):
        self.data = data
        self.error = np.zeros(data.shape) if error is None else error

    @property
    def shape(self):
        return self.data.shape


def moved(move, *numbers):
    """For functions that give elements another place."""
    return Number(move(*(number.data for number in numbers)),
                  move(*(number.error for number in numbers)))


def without_bound(chosen, error):
    """The errors, infinite where `chosen` holds. One that is not a number, as 0
    times infinity is, becomes infinite as well."""
    return np.where(chosen | np.isnan(error), np.inf, error)


def rounded(data, error, unit, ulps=1):
    """An element that is too small may become 0, and one that is too large or
    not a number has no bound."""
    size = np.abs(data)
    error = error + (ulps * unit.result
                     + FUNCTION_ULPS * (ulps > 1) * unit.sum) * size
    error = error + unit.least * ((size < unit.least) & (size > 0))
    return Number(data, without_bound(~(size <= unit.most), error))


def unsure(*numbers):
    """Infinite where one of the numbers may be another: what is exact is right
    or of no use."""
    return functools.reduce(np.maximum, (
        np.where(number.error > 0, np.inf, 0) for number in numbers))


def of_integers_too(apply):
    """Makes an op of floats one that computes with integers what `apply`
    does."""
    def decorate(of_floats):
        def evaluate(unit, a, b):
            if a.data.dtype.kind != "i":
                return of_floats(unit, a, b)
            return Number(apply(a.data, b.data), unsure(a, b))
        return evaluate
    return decorate


#===----------------------------------------------------------------------===#
# Pointwise
#===----------------------------------------------------------------------===#

@of_integers_too(np.add)
def add(unit, a, b):
    return rounded(a.data + b.data, a.error + b.error, unit)


@of_integers_too(np.subtract)
def sub(unit, a, b):
    return rounded(a.data - b.data, a.error + b.error, unit)


@of_integers_too(np.multiply)
def mul(unit, a, b):
    error = (abs(a.data) * b.error + abs(b.data) * a.error
             + a.error * b.error)
    return rounded(a.data * b.data, error, unit)


def div(unit, a, b):
    least = np.abs(b.data) - b.error
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = a.data / b.data
        error = np.where(least > 0, (a.error + abs(quotient) * b.error) / least,
                         np.inf)
    return rounded(quotient, error, unit, 4)


def largest(unit, a, b):
    return Number(np.maximum(a.data, b.data), np.maximum(a.error, b.error))


def smallest(unit, a, b):
    return Number(np.minimum(a.data, b.data), np.maximum(a.error, b.error))


def less(unit, a, b):
    return compare(np.less, a, b)


def greater(unit, a, b):
    return compare(np.greater, a, b)


def compare(function, a, b):
    """The error of a boolean is 1 where it may be the other one."""
    unsure = ~(abs(a.data - b.data) > a.error + b.error)
    exact = (a.error + b.error) == 0
    return Number(function(a.data, b.data), (unsure & ~exact).astype(float))


def logic(apply):
    """An op of booleans, which is unsure where an operand is."""
    return lambda unit, *operands: Number(
        apply(*(operand.data for operand in operands)),
        functools.reduce(np.maximum, (operand.error for operand in operands)))


def cast(unit, x, to):
    """Booleans and integers become floats."""
    return rounded(x.data.astype(float), x.error, unit)


def where(unit, condition, a, b):
    data = np.where(condition.data, a.data, b.data)
    error = np.where(condition.data, a.error, b.error)
    swapped = abs(a.data - b.data) + a.error + b.error
    error = np.where(condition.error > 0, swapped, error)
    return Number(data, without_bound(False, error))


def function(apply, slope, most=1):
    """A function of one element, whose slope is at most `slope`. Evaluations
    may overflow beyond `most` of the largest number."""
    def evaluate(unit, x):
        data = apply(x.data)
        # A library's function may be as inexact near 0 as at 1.
        error = slope * x.error + 4 * unit.sum * np.minimum(abs(x.data), 1)
        overflows = abs(x.data) + x.error > most * unit.most
        return rounded(data, without_bound(overflows, error), unit, 2)
    return evaluate


def exact(apply):
    """A function without rounding, whose slope is at most 1."""
    return lambda unit, x: Number(apply(x.data), x.error)


def leaky_relu(unit, x, alpha):
    return rounded(np.where(x.data < 0, alpha * x.data, x.data), x.error, unit)


def exponential(unit, x):
    data = np.exp(x.data)
    error = data * np.expm1(x.error)
    return rounded(data, error + unit.sum * abs(x.data) * data, unit, 2)


def rsqrt(unit, x):
    least = np.maximum(x.data - x.error, 1e-300)
    with np.errstate(divide="ignore", over="ignore"):
        error = 0.5 * x.error * least ** -1.5
    return rounded(x.data ** -0.5, error, unit, 2)


def sqrt(unit, x):
    with np.errstate(divide="ignore"):
        error = np.where(x.error == 0, 0, np.minimum(
            x.error / np.sqrt(np.maximum(x.data, 1e-300)), np.sqrt(x.error)))
    return rounded(np.sqrt(x.data), error, unit, 2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


erf = np.vectorize(math.erf, otypes=[float])


def gelu(x):
    return x * (1 + erf(x / 2 ** 0.5)) / 2


#===----------------------------------------------------------------------===#
# Along dims
#===----------------------------------------------------------------------===#

def total(unit, x, axes, keepdims):
    """A sum, not yet rounded to the type of its tensor."""
    axes = tuple(axes)
    count = math.prod(x.shape[axis] for axis in axes)
    size = abs(x.data).sum(axes, keepdims=keepdims)
    error = (x.error.sum(axes, keepdims=keepdims)
             + (count > 1) * count * unit.sum * size)
    return Number(x.data.sum(axes, keepdims=keepdims),
                  bound_of_sum(unit, size, error))


def bound_of_sum(unit, size, error):
    """The errors of sums of numbers whose absolute values add up to `size`. In
    some order, a part of a sum may be as large."""
    return without_bound(~(size + error <= unit.most), error)


def reduce_sum(unit, x, axes, keepdims):
    sums = total(unit, x, axes, keepdims)
    return rounded(sums.data, sums.error, unit)


def reduce_mean(unit, x, axes, keepdims):
    sums = total(unit, x, axes, keepdims)
    count = math.prod(x.shape[axis] for axis in axes)
    return rounded(sums.data / count, sums.error / count, unit, 2)


def reduce_max(unit, x, axes, keepdims):
    axes = tuple(axes)
    return Number(x.data.max(axes, keepdims=keepdims),
                  x.error.max(axes, keepdims=keepdims))


def reduce_min(unit, x, axes, keepdims):
    axes = tuple(axes)
    return Number(x.data.min(axes, keepdims=keepdims),
                  x.error.max(axes, keepdims=keepdims))


def softmax(unit, x, axis):
    top = x.data.max(axis, keepdims=True)
    parts = np.exp(x.data - top)
    data = parts / parts.sum(axis, keepdims=True)
    spread = abs(x.data - top).max(axis, keepdims=True)
    shift = x.error.max(axis, keepdims=True) + 2 * unit.sum * (
        spread + abs(x.data).max(axis, keepdims=True))
    steps = (x.shape[axis] + FUNCTION_ULPS) * unit.sum
    error = data * (np.expm1(2 * shift) + steps)
    return rounded(data, error + unit.sum, unit, 2)


def cum_sum(unit, x, axis, exclusive=False, reverse=False):
    def sums(data):
        data = np.flip(data, axis) if reverse else data
        found = data.cumsum(axis)
        if exclusive:
            found = np.roll(found, 1, axis)
            np.moveaxis(found, axis, 0)[0] = 0
        return np.flip(found, axis) if reverse else found
    size = sums(abs(x.data))
    error = sums(x.error) + x.shape[axis] * unit.sum * size
    return rounded(sums(x.data), bound_of_sum(unit, size, error), unit)


def sums_of_products(unit, apply, count, a, b):
    """What `apply` makes of two tensors: sums of `count` products at most."""
    size = apply(abs(a.data), abs(b.data))
    error = (apply(abs(a.data), b.error) + apply(a.error, abs(b.data))
             + apply(a.error, b.error) + count * unit.sum * size)
    return rounded(apply(a.data, b.data), bound_of_sum(unit, size, error), unit)


def matmul(unit, a, b):
    return sums_of_products(unit, np.matmul, a.shape[-1], a, b)


def linear(unit, x, weight, bias=None):
    product = matmul(unit, x, moved(lambda w: w.T, weight))
    return add(unit, product, bias) if bias else product


def layer_norm(unit, x, scale, bias):
    normal = standardise(unit, x, (x.data.ndim - 1,))
    return add(unit, mul(unit, normal, scale), bias)


def standardise(unit, x, axes, epsilon=1e-5):
    wide = replace(unit, result=unit.sum)
    centred = sub(wide, x, reduce_mean(wide, x, axes, True))
    variance = reduce_mean(wide, mul(wide, centred, centred), axes, True)
    shifted = add(wide, variance, Number(np.full((), epsilon)))
    return mul(unit, centred, rsqrt(wide, shifted))


def group_norm(unit, x, scale, bias, groups):
    batch, channels = x.shape[:2]
    parts = moved(lambda d: d.reshape(batch, groups, channels // groups, -1), x)
    normal = moved(lambda d: d.reshape(x.shape),
                   standardise(unit, parts, (2, 3)))
    ones = (1,) * (x.data.ndim - 2)
    scale, bias = (moved(lambda d: d.reshape(-1, *ones), n)
                   for n in (scale, bias))
    return add(unit, mul(unit, normal, scale), bias)


def windows(data, shape, strides, pads, dilations=None, around=0):
    """Views of an image: batch, channels, spatial dims, and those of a
    window."""
    rank = len(shape)
    dilations = dilations or [1] * rank
    data = np.pad(data, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])],
                  constant_values=around)
    wide = [(size - 1) * step + 1 for size, step in zip(shape, dilations)]
    views = np.lib.stride_tricks.sliding_window_view(
        data, wide, tuple(range(2, 2 + rank)))
    steps = (*strides, *dilations)
    return views[(slice(None), slice(None),
                  *(slice(None, None, step) for step in steps))]


def with_bias(unit, x, bias):
    if bias is None:
        return x
    ones = (1,) * (x.data.ndim - 2)
    return add(unit, x, moved(lambda d: d.reshape(-1, *ones), bias))


def conv(unit, x, weight, bias=None, *, strides, pads, dilations=None,
         groups=1):
    """A product over the windows for each group."""
    channels = x.shape[1] // groups
    kernel = weight.shape[2:]
    length = channels * math.prod(kernel)

    def apply(data, weights):
        views = windows(data, kernel, strides, pads, dilations)
        image = views.shape[2:2 + len(kernel)]
        rows = views.reshape(len(data), groups, channels, math.prod(image),
                             -1).transpose(1, 0, 3, 2, 4)
        rows = rows.reshape(groups, len(data), -1, length)
        flat = weights.reshape(groups, 1, -1, length).swapaxes(-1, -2)
        return (rows @ flat).transpose(1, 0, 3, 2).reshape(len(data), -1,
                                                           *image)
    return with_bias(unit, sums_of_products(unit, apply, length, x, weight),
                     bias)


def conv_transpose(unit, x, weight, bias=None, *, strides, pads,
                   output_padding=None, groups=1):
    """Each element of the input is spread over a window of the result."""
    image, kernel = x.shape[2:], weight.shape[2:]
    rank, batch = len(image), x.shape[0]
    channels = x.shape[1] // groups
    more = output_padding or [0] * rank
    full = [(n - 1) * step + k + extra for n, step, k, extra
            in zip(image, strides, kernel, more)]
    inner = tuple(slice(low, n - high) for low, n, high
                  in zip(pads[:rank], full, pads[rank:]))

    def apply(data, weights):
        data = data.reshape(batch, groups, channels, -1)
        weights = weights.reshape(groups, channels, -1, *kernel)
        result = np.zeros((batch, groups, weights.shape[2], *full))
        for at in np.ndindex(*kernel):
            part = np.einsum("bgci,gco->bgoi", data, weights[(..., *at)])
            places = tuple(slice(k, k + (n - 1) * step + 1, step) for k, n, step
                           in zip(at, image, strides))
            result[(..., *places)] += part.reshape(*part.shape[:3], *image)
        return result[(..., *inner)].reshape(batch, -1, *(
            part.stop - part.start for part in inner))
    length = channels * math.prod(kernel)
    return with_bias(unit, sums_of_products(unit, apply, length, x, weight),
                     bias)


def max_pool(unit, x, kernel_shape, strides, pads):
    def largest_of(data, around):
        return windows(data, kernel_shape, strides, pads,
                       around=around).max((4, 5))
    return Number(largest_of(x.data, -np.inf), largest_of(x.error, 0))


def average_pool(unit, x, kernel_shape, strides, pads):
    """Elements of the padding do not count."""
    sums = total(unit, moved(lambda d: windows(d, kernel_shape, strides, pads),
                             x), (4, 5), False)
    count = windows(np.ones(x.shape), kernel_shape, strides, pads).sum((4, 5))
    return rounded(sums.data / count, sums.error / count, unit, 2)


#===----------------------------------------------------------------------===#
# Moves
#===----------------------------------------------------------------------===#

def slice_of(unit, x, starts, sizes, steps=None):
    steps = steps or [1] * len(starts)
    indices = np.ix_(*(start + step * np.arange(size) for start, size, step
                       in zip(starts, sizes, steps)))
    return moved(lambda d: d[indices], x)


def split(unit, x, axis, sizes):
    ends = np.cumsum(sizes)[:-1]
    return [Number(*both) for both in zip(np.split(x.data, ends, axis),
                                          np.split(x.error, ends, axis))]


def concat(unit, *parts, axis):
    return moved(lambda *data: np.concatenate(data, axis), *parts)


def pad(unit, x, pads):
    rank = x.data.ndim
    return moved(lambda d: np.pad(d, list(zip(pads[:rank], pads[rank:]))), x)


def take(unit, x, indices, axis=0):
    found = moved(lambda d: np.take(d, indices.data, axis), x)
    around = (1,) * (x.data.ndim - 1 - axis)
    doubt = unsure(indices).reshape(*indices.shape, *around)
    return Number(found.data, found.error + doubt)


def take_along_axis(unit, x, indices, axis):
    found = moved(lambda d: np.take_along_axis(d, indices.data, axis), x)
    return Number(found.data, found.error + unsure(indices))


def scatter_elements(unit, x, indices, updates, axis, reduction='"none"'):
    """Indices are constants, so they are sure."""
    data, error = x.data.copy(), x.error.copy()
    size, count = abs(x.data), np.ones(x.shape)
    for at in np.ndindex(*indices.shape):
        to = (*at[:axis], indices.data[at], *at[axis + 1:])
        if reduction == '"none"':
            data[to], error[to] = updates.data[at], updates.error[at]
        else:
            data[to] += updates.data[at]
            error[to] += updates.error[at]
            size[to] += abs(updates.data[at])
            count[to] += 1
    if reduction == '"none"':
        return Number(data, error)
    steps = np.where(count > 1, count, 0) * unit.sum * size
    return rounded(data, bound_of_sum(unit, size, error + steps), unit)


#===----------------------------------------------------------------------===#
# Positions
#===----------------------------------------------------------------------===#

def sorted_positions(x, axis, descending):
    """The positions of the elements in their order, of equal ones the first
    first. They are unsure where neighbours in this order may change places."""
    order = np.argsort(-x.data if descending else x.data, axis, kind="stable")
    data = np.take_along_axis(x.data, order, axis)
    error = np.take_along_axis(x.error, order, axis)
    largest = error.max(axis, keepdims=True)
    # Infinities of one sign have no difference.
    close = ~(abs(np.diff(data, axis=axis)) > 2 * largest)
    close &= largest > 0
    edge = np.zeros_like(np.take(close, [0], axis) if close.shape[axis]
                         else largest, bool)
    near = (np.concatenate([edge, close], axis)
            | np.concatenate([close, edge], axis))
    return Number(order, np.where(near, np.inf, 0))


def arg_extreme(descending):
    def evaluate(unit, x, axis, keepdims=True, last=False):
        turned = moved(lambda d: np.flip(d, axis), x) if last else x
        found = moved(lambda d: np.take(d, [0], axis),
                      sorted_positions(turned, axis, descending))
        data = x.shape[axis] - 1 - found.data if last else found.data
        return moved(lambda d: d if keepdims else d.squeeze(axis),
                     Number(data, found.error))
    return evaluate


def top_k(unit, x, k, axis, largest=True):
    return moved(lambda d: np.take(d, range(k), axis),
                 sorted_positions(x, axis, largest))


def one_hot(unit, indices, depth, axis=-1):
    marks = moved(lambda d: np.expand_dims(d, axis), indices)
    places = np.arange(depth).reshape(
        [-1 if dim == axis % marks.data.ndim else 1
         for dim in range(marks.data.ndim)])
    data = (marks.data == places) | (marks.data + depth == places)
    return Number(data, np.broadcast_to(unsure(marks) > 0, data.shape)
                  .astype(float))


def broadcast(unit, x, shape):
    full = np.broadcast_shapes(x.shape, tuple(shape))
    return moved(lambda d: np.broadcast_to(d, full), x)


UNARY = {
    "abs": exact(np.abs), "neg": exact(np.negative),
    "relu": exact(lambda x: np.maximum(x, 0)),
    "clip": lambda unit, x, min, max: Number(np.clip(x.data, min, max),
                                             x.error),
    "tanh": function(np.tanh, 1), "sigmoid": function(sigmoid, 0.25),
    "silu": function(lambda x: x * sigmoid(x), 1.1),
    "gelu": function(gelu, 1.13, 0.5), "erf": function(erf, 1.13),
    "sin": function(np.sin, 1), "cos": function(np.cos, 1),
    "hard_swish": function(lambda x: x * np.clip(x / 6 + 0.5, 0, 1), 1.5),
    "leaky_relu": leaky_relu, "exp": exponential, "rsqrt": rsqrt, "sqrt": sqrt,
}
OPS = UNARY | {
    "add": add, "sub": sub, "mul": mul, "div": div, "max": largest,
    "min": smallest, "less": less, "greater": greater, "where": where,
    "bitwise_and": logic(np.logical_and), "bitwise_or": logic(np.logical_or),
    "logical_not": logic(np.logical_not), "cast": cast,
    "reduce_sum": reduce_sum, "reduce_mean": reduce_mean,
    "reduce_max": reduce_max, "reduce_min": reduce_min, "softmax": softmax,
    "cum_sum": cum_sum, "matmul": matmul, "linear": linear, "conv": conv,
    "conv_transpose": conv_transpose, "layer_norm": layer_norm,
    "group_norm": group_norm,
    "reshape": lambda unit, x, shape: moved(lambda d: d.reshape(shape), x),
    "transpose": lambda unit, x, perm: moved(lambda d: d.transpose(perm), x),
    "slice": slice_of, "split": split, "concat": concat, "pad": pad,
    "take": take, "gather": take, "expand": broadcast,
    "take_along_axis": take_along_axis, "scatter_elements": scatter_elements,
    "arg_max": arg_extreme(True), "arg_min": arg_extreme(False), "top_k": top_k,
    "one_hot": one_hot, "mod": of_integers_too(np.mod)(None),
    "max_pool": max_pool, "average_pool": average_pool,
    "tril": lambda unit, x: moved(np.tril, x),
    "triu": lambda unit, x: moved(np.triu, x),
    "constant": lambda unit, value: Number(value),
}


def compute(precision, op, operands, attributes):
    """The results of an op. Where an error has no bound, it has none later."""
    with np.errstate(invalid="ignore", over="ignore"):
        results = OPS[op](precision, *operands, **attributes)
    return results if isinstance(results, list) else [results]


def evaluate(graph, precision, inputs=None):
    """All values of the graph by their numbers."""
    values = {value: Number(data)
              for value, data in (inputs or graph.inputs).items()}
    for node in graph.nodes:
        operands = [values[value] for value in node.operands]
        values.update(zip(node.results, compute(precision, node.op, operands,
                                                node.attributes)))
    return values


def type_of(number, dtype):
    """The shape, and the element type where floats are `dtype`."""
    kinds = {"b": "i1", "i": "i64"}
    return number.shape, kinds.get(number.data.dtype.kind, dtype)
