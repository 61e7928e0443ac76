"""What ops compute whose operands are images: batch, channels, spatial dims."""
import math

import numpy as np

from bounded import Number, moved, rounded
from ops_pointwise import add
from ops_sums import sums_of_products, total


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


OPS = {
    "conv": conv, "conv_transpose": conv_transpose, "max_pool": max_pool,
    "average_pool": average_pool,
}
