"""Numbers whose errors have bounds.

Each element has a bound for the error of an evaluation in which every op rounds
its result, and sums are taken in any order. Ops that move elements add nothing
to it: behind them, results must be equal if they were.
"""
import functools
from dataclasses import dataclass

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
