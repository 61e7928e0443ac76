"""What ops compute that give elements another place, or say where they are."""
import numpy as np

from bounded import Number, moved, rounded, unsure
from ops_sums import bound_of_sum


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


def broadcast(unit, x, shape):
    full = np.broadcast_shapes(x.shape, tuple(shape))
    return moved(lambda d: np.broadcast_to(d, full), x)


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


OPS = {
    "constant": lambda unit, value: Number(value),
    "reshape": lambda unit, x, shape: moved(lambda d: d.reshape(shape), x),
    "transpose": lambda unit, x, perm: moved(lambda d: d.transpose(perm), x),
    "slice": slice_of, "split": split, "concat": concat, "pad": pad,
    "take": take, "gather": take, "expand": broadcast,
    "take_along_axis": take_along_axis, "scatter_elements": scatter_elements,
    "tril": lambda unit, x: moved(np.tril, x),
    "triu": lambda unit, x: moved(np.triu, x),
    "arg_max": arg_extreme(True), "arg_min": arg_extreme(False), "top_k": top_k,
    "one_hot": one_hot,
}
