"""What training minimises."""
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
