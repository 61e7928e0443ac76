"""What ops compute that reduce dims, or compute along them."""
import math
from dataclasses import replace

import numpy as np

from bounded import FUNCTION_ULPS, Number, moved, rounded, without_bound
from ops_pointwise import add, mul, rsqrt, sub


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


OPS = {
    "reduce_sum": reduce_sum, "reduce_mean": reduce_mean,
    "reduce_max": reduce_max, "reduce_min": reduce_min, "softmax": softmax,
    "cum_sum": cum_sum, "matmul": matmul, "linear": linear,
    "layer_norm": layer_norm, "group_norm": group_norm,
}
