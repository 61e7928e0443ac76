"""Scalar functions and reductions, with numpy."""
import numpy as np

from .cases import is_float, is_unsigned, wide


def limit(like, value):
    """`value` as a number that compares with the elements of `like`."""
    if is_float(like.dtype):
        return value
    info = np.iinfo(like.dtype)
    return like.dtype.type(min(max(value, info.min), info.max))


def truncated_div(a, b):
    if is_float(a.dtype):
        return wide(a) / wide(b)
    if is_unsigned(a.dtype):
        return np.where(b == 0, 0, a // np.maximum(b, 1))
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    return abs(wide_a) // abs(wide_b) * np.sign(wide_a) * np.sign(wide_b)


def power(a, b):
    if is_float(a.dtype):
        return np.power(wide(a), wide(b))
    return np.power(a.astype(np.int64), b.astype(np.int64))


def remainder(function):
    """The remainder; that of integers by 0 is 0."""
    def run(i, a):
        if is_float(i[0].dtype):
            return function(wide(i[0]), wide(i[1]))
        left, right = np.broadcast_arrays(*(
            x if is_unsigned(x.dtype) else x.astype(np.int64) for x in i))
        safe = np.where(right == 0, 1, right).astype(right.dtype)
        return np.where(right == 0, 0, function(left, safe))
    return run


def shift(function):
    """Python's integers have no end; by less than 0 places means by all."""
    def run(i, a):
        return np.vectorize(
            lambda x, y: wrapped(function(int(x), int(y) if y >= 0 else 64),
                                 i[0].dtype),
            otypes=[i[0].dtype])(*i)
    return run


def wrapped(number, dtype):
    """The low bits of `number` as an integer of `dtype`."""
    bits = 8 * np.dtype(dtype).itemsize
    number %= 1 << bits
    is_negative = np.dtype(dtype).kind == "i" and number >> (bits - 1)
    return number - (1 << bits) if is_negative else number


def cast(x, to):
    if is_float(x.dtype) and not is_float(to) and to != np.bool_:
        info = np.iinfo(to)
        x = np.nan_to_num(wide(x), posinf=1e300, neginf=-1e300)
        return np.vectorize(lambda v: min(max(int(v), info.min), info.max),
                            otypes=[to])(x)
    return x.astype(to)


def reduction(function):
    def run(x, a):
        axes = tuple(a.get("axes", [])) or None
        if x.dtype == np.bool_:
            x = x.astype(np.int64)
        return function(wide(x), axis=axes, keepdims=a.get("keepdims", True))
    return run


def log_sum_exp(x, axis, keepdims):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def unary(function):
    return lambda i, a: function(wide(i[0]))


def binary(function):
    return lambda i, a: function(wide(i[0]), wide(i[1]))


def linear(i, a):
    y = wide(i[0]) @ wide(i[1]).T
    return y + wide(i[2]) if len(i) == 3 else y
