"""What pointwise ops compute."""
import functools
import math

import numpy as np

from bounded import Number, of_integers_too, rounded, unsure, without_bound


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
    "min": smallest, "mod": of_integers_too(np.mod)(None), "less": less,
    "greater": greater, "where": where, "cast": cast,
    "bitwise_and": logic(np.logical_and), "bitwise_or": logic(np.logical_or),
    "logical_not": logic(np.logical_not),
}
