"""What training minimises, and the gradient of max pooling."""
import itertools

import numpy as np

from .cases import wide


def log_softmax(x):
    x = wide(x)
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def binary_cross_entropy(p, t):
    with np.errstate(all="ignore"):
        logs = [np.maximum(np.log(x), -100) for x in (wide(p), 1 - wide(p))]
    return -(wide(t) * logs[0] + (1 - wide(t)) * logs[1])


def huber(x, t, delta):
    d = abs(wide(x) - wide(t))
    return np.where(d <= delta, d * d / 2, delta * (d - delta / 2))


def softmax_cross_entropy(x, t):
    if not x.size:
        return np.zeros(x.shape[:-1])
    return -(log_softmax(x) * wide(t)).sum(-1)


def sparse_softmax_cross_entropy(x, labels, a):
    if not x.size:
        return np.zeros(x.shape[:-1])
    rows, result = log_softmax(x), np.zeros(x.shape[:-1])
    for at in np.ndindex(labels.shape):
        if labels[at] != a.get("ignored", -100):
            result[at] = -rows[at][int(labels[at])]
    return result


def max_pool_gradient(x, gradient, a):
    """Each element of the gradient goes to the first maximum of its window."""
    kernel = a["kernel_shape"]
    rank = len(kernel)
    strides = a.get("strides", [1] * rank)
    dilations = a.get("dilations", [1] * rank)
    pads = a.get("pads", [0] * (2 * rank))
    result = np.zeros(x.shape)
    for at in np.ndindex(gradient.shape):
        best = None
        for tap in itertools.product(*map(range, kernel)):
            place = at[:2] + tuple(
                o * s + t * d - p for o, s, t, d, p in
                zip(at[2:], strides, tap, dilations, pads))
            if all(0 <= i < n for i, n in zip(place, x.shape)) and (
                    best is None or x[place] > x[best]):
                best = place
        if best is not None:
            result[best] += float(gradient[at])
    return result
