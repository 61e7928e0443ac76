"""Ops about positions and shapes, element by element or with numpy."""
import math

import numpy as np

from .cases import wide


def pad(x, a):
    rank = x.ndim
    begins, ends = a["pads"][:rank], a["pads"][rank:]
    x = x[tuple(slice(max(-b, 0), n - max(-e, 0))
                for b, e, n in zip(begins, ends, x.shape))]
    return np.pad(x, [(max(b, 0), max(e, 0)) for b, e in zip(begins, ends)],
                  constant_values=a.get("value", 0))


def pack(parts):
    """Each part begins at a multiple of 16 elements."""
    return np.concatenate([np.pad(part.reshape(-1), (0, -part.size % 16))
                           for part in parts])


def slice_(x, a):
    steps = a.get("steps", [1] * x.ndim)
    for d, (start, size, step) in enumerate(zip(a["starts"], a["sizes"],
                                                steps)):
        x = np.take(x, start + step * np.arange(size), axis=d)
    return x


def reshape(x, a):
    """A 0 keeps the dim, so -1 is what the dims that are not kept leave over,
    which numpy does not find where a kept dim is 0."""
    kept = [d for d, n in enumerate(a["shape"]) if n == 0]
    rest = math.prod(n for d, n in enumerate(x.shape) if d not in kept)
    rest //= math.prod(n for n in a["shape"] if n > 0)
    return x.reshape([x.shape[d] if n == 0 else rest if n < 0 else n
                      for d, n in enumerate(a["shape"])])


def arg_extreme(function):
    def run(i, a):
        x, axis = wide(i[0]), a.get("axis", 0)
        if not a.get("last", False):
            return function(x, axis, keepdims=a.get("keepdims", True))
        y = x.shape[axis] - 1 - function(np.flip(x, axis), axis, keepdims=True)
        return y if a.get("keepdims", True) else y.squeeze(axis)
    return run


def cum_sum(x, a):
    axis = a.get("axis", 0)
    x = np.flip(wide(x), axis) if a.get("reverse") else wide(x)
    y = np.cumsum(x, axis)
    if a.get("exclusive"):
        y = np.roll(y, 1, axis)
        if x.shape[axis]:
            np.moveaxis(y, axis, 0)[0] = 0
    return np.flip(y, axis) if a.get("reverse") else y


def gather_nd(x, places, a):
    """Index by index; of one outside the nearest inside."""
    batch, count = a.get("batch_dims", 0), places.shape[-1]
    result = np.empty(places.shape[:-1] + x.shape[batch + count:], x.dtype)
    for at in np.ndindex(*places.shape[:-1]):
        sizes = x.shape[batch:batch + count]
        place = [min(max(i + n if i < 0 else i, 0), n - 1)
                 for i, n in zip(places[at].tolist(), sizes)]
        result[at] = x[at[:batch] + tuple(place)]
    return result


COMBINERS = {"none": lambda known, update: update, "sum": np.add,
             "product": np.multiply, "maximum": np.maximum,
             "minimum": np.minimum}


def scatter_nd(x, places, updates, a):
    """Update by update, in order; none for an index outside."""
    combine = COMBINERS[a.get("reduction", "none")]
    result, updates, count = wide(x).copy(), wide(updates), places.shape[-1]
    for at in np.ndindex(*places.shape[:-1]):
        place = places[at].tolist()
        if all(-n <= i < n for i, n in zip(place, x.shape)):
            result[tuple(place)] = combine(result[tuple(place)], updates[at])
    return result


def scatter_elements(x, places, updates, a):
    combine = COMBINERS[a.get("reduction", "none")]
    result, updates = wide(x).copy(), wide(updates)
    axis = a.get("axis", 0)
    for at in np.ndindex(*places.shape):
        place = list(at)
        place[axis] = places[at]
        if -x.shape[axis] <= places[at] < x.shape[axis]:
            result[tuple(place)] = combine(result[tuple(place)], updates[at])
    return result


def scatter_rows(reduction):
    """Update by update; an index that is no row is ignored."""
    def run(i, a):
        updates, places, result = wide(i[0]), i[1], wide(i[2]).copy()
        for number, place in enumerate(places.tolist()):
            if 0 <= place < result.shape[1]:
                result[:, place] = COMBINERS[reduction](
                    result[:, place], updates[:, number])
        return result
    return run


def top_k(x, a):
    """Row by row, by Python's sort: NaN is the largest, then the first."""
    axis, sign = a.get("axis", -1), -1 if a.get("largest", True) else 1
    rows = np.moveaxis(wide(x), axis, -1)
    result = np.empty((*rows.shape[:-1], a["k"]), np.int64)
    for at in np.ndindex(*rows.shape[:-1]):
        row = rows[at].tolist()
        keys = [(sign * (v != v), 0 if v != v else sign * v) for v in row]
        order = sorted(range(len(row)), key=lambda i: (*keys[i], i))
        result[at] = order[:a["k"]]
    return np.moveaxis(result, -1, axis)


def window_taps(x, shape, a):
    """For each place of a window in `shape`: the spatial positions in `x` that
    it meets, in row-major order."""
    rank = x.ndim - 2
    strides, dilations = (a.get(name, [1] * rank)
                          for name in ("strides", "dilations"))
    pads = a.get("pads", [0] * (2 * rank))
    for place in np.ndindex(*shape[2:]):
        taps = []
        for tap in np.ndindex(*a["kernel_shape"]):
            at = tuple(p * s + t * d - b for p, s, t, d, b in zip(
                place, strides, tap, dilations, pads))
            if all(0 <= i < n for i, n in zip(at, x.shape[2:])):
                taps.append(at)
        yield place, taps


def count_places(size, kernel, stride, dilation, begin, end, is_ceiled):
    room = size + begin + end - (kernel - 1) * dilation - 1
    count = room // stride + 1
    is_more = is_ceiled and room % stride and count * stride < size + begin
    return count + bool(is_more)


def pooled_shape(x, a):
    rank = x.ndim - 2
    pads = a.get("pads", [0] * (2 * rank))
    return x.shape[:2] + tuple(
        count_places(x.shape[d + 2], a["kernel_shape"][d],
                     a.get("strides", [1] * rank)[d],
                     a.get("dilations", [1] * rank)[d], pads[d],
                     pads[d + rank], a.get("ceil_mode", False))
        for d in range(rank))


def cell_of_tap(at, tap, a):
    """The spatial position that `tap` of the window of place `at` meets."""
    rank = len(tap)
    strides, dilations = (a.get(name, [1] * rank)
                          for name in ("strides", "dilations"))
    pads = a.get("pads", [0] * (2 * rank))
    return tuple(o * s + t * d - p for o, s, t, d, p in
                 zip(at, strides, tap, dilations, pads))


def max_pool_training(x, a):
    """The maxima, and the numbers of the first taps that have them."""
    x, kernel = wide(x), a["kernel_shape"]
    shape, cells = pooled_shape(x, a), math.prod(kernel)
    maxima = np.full(shape, -np.inf)
    taps = np.full(shape, cells, np.uint8 if cells < 256 else np.int32)
    for at in np.ndindex(*shape):
        for number, tap in enumerate(np.ndindex(*kernel)):
            cell = at[:2] + cell_of_tap(at[2:], tap, a)
            if all(0 <= i < n for i, n in zip(cell, x.shape)) and (
                    taps[at] == cells or x[cell] > maxima[at]):
                maxima[at], taps[at] = x[cell], number
    return [maxima, taps]


def max_pool_gradient(gradient, taps, a):
    """Each element of the gradient goes where the tap of its window is."""
    kernel = a["kernel_shape"]
    result = np.zeros(gradient.shape[:2] + tuple(a["sizes"]))
    for at in np.ndindex(gradient.shape):
        if taps[at] >= math.prod(kernel):
            continue
        tap = np.unravel_index(int(taps[at]), kernel)
        cell = at[:2] + cell_of_tap(at[2:], tap, a)
        if all(0 <= i < n for i, n in zip(cell, result.shape)):
            result[cell] += float(gradient[at])
    return result


def max_pool_taps(x, a):
    shape = pooled_shape(x, a)
    result = np.empty(shape, np.int64)
    for place, taps in window_taps(x, shape, a):
        for n, c in np.ndindex(*x.shape[:2]):
            if not taps:
                result[(n, c, *place)] = -1
                continue
            # numpy's argmax: the first, and NaN before all.
            first = np.argmax([x[(n, c, *at)] for at in taps])
            result[(n, c, *place)] = np.ravel_multi_index(
                taps[first], x.shape[2:])
    return result


def first_tap(i, a):
    x, values, numbers = i
    result = np.empty(values.shape, np.int64)
    for place, taps in window_taps(x, values.shape, a):
        for n, c in np.ndindex(*x.shape[:2]):
            found = [numbers[at] for at in taps if x[(n, c, *at)] ==
                     values[(n, c, *place)] or x[(n, c, *at)] !=
                     x[(n, c, *at)]]
            result[(n, c, *place)] = min(
                found, default=np.iinfo(np.int64).max)
    return result


def inverse_index(places, a):
    axis, size = a.get("axis", 0), a["size"]
    shape = list(places.shape)
    shape[axis] = size
    result = np.full(shape, -1)
    for at in np.ndindex(*places.shape):
        place = list(at)
        place[axis] = places[at]
        if -size <= places[at] < size:
            result[tuple(place)] = at[axis]
    return result


def one_hot(x, a):
    depth = a["depth"]
    x = x.astype(np.uint64 if x.dtype.kind == "u" else np.int64)
    marks = (np.where(x < 0, x + x.dtype.type(depth), x)[..., None]
             == np.arange(depth, dtype=x.dtype))
    return np.moveaxis(marks, -1, a.get("axis", -1))


def positions(x, a):
    return np.indices(x.shape)[a["axis"]]


def resample(i, a):
    axis = a.get("axis", 0)
    picked = np.take(np.moveaxis(wide(i[0]), axis, -1), i[1], -1)
    return np.moveaxis((picked * wide(i[2])).sum(-1), -1, axis)
