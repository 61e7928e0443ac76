"""What numpy says of ops with windows, and random calls of them with extreme
attributes, for extreme_graphs.py."""
import math

import numpy as np

from extreme_draw import HUGE, TooLarge, check_size, ints, lower, wide


class Windows:
    """Windows over spatial dims, drawn so that they have some places."""

    def __init__(self, d, is_pool, rank):
        self.kernel, self.strides, self.dilations = [], [], []
        self.begins, self.ends, self.cells, self.places = [], [], [], []
        self.is_rounded_up = is_pool and d.chance(0.3)
        for _ in range(rank):
            self.draw_dim(d, is_pool)

    def draw_dim(self, d, is_pool):
        cells = d.pick((1, 1, 2, 3, 5, 8, 16))
        kernel = d.pick((1, 1, 2, 3, 4))
        dilation = d.pick((1, 1, 1, 2, 3))
        if d.chance(0.04):
            cells, kernel = 5000, d.pick((4095, 4096, 4097, 5000))
        if d.chance(0.1):
            dilation = d.pick(HUGE)
        extent = (kernel - 1) * dilation + 1
        begin = end = 0
        if cells < extent or d.chance(0.4):
            short = max(extent - cells, 0)
            most = extent - 1 if is_pool else extent + 2
            begin = min(short // 2 + d.below(3), most)
            end = min(short - begin + d.below(3) if short > begin
                      else d.below(3), most)
        room = cells + begin + end - extent
        # Attributes are at most the largest of these numbers.
        if room < 0 or max(begin, end) > max(HUGE):
            raise TooLarge
        stride = d.pick((1, 1, 2, 3, 7))
        if room // stride > 40 or d.chance(0.1):
            stride = d.pick([s for s in HUGE if room // s < 40])
        places = room // stride + 1
        if (self.is_rounded_up and room % stride
                and places * stride < cells + begin):
            places += 1
        for values, value in zip(
                (self.kernel, self.strides, self.dilations, self.begins,
                 self.ends, self.cells, self.places),
                (kernel, stride, dilation, begin, end, cells, places)):
            values.append(value)

    def attributes(self):
        return [ints("strides", self.strides),
                ints("dilations", self.dilations),
                ints("pads", self.begins + self.ends)]

    def at(self, dim):
        """The cells that the windows along `dim` meet: [place, tap]."""
        places = np.arange(self.places[dim])[:, None] * self.strides[dim]
        taps = np.arange(self.kernel[dim])[None] * self.dilations[dim]
        return places + taps - self.begins[dim]

    def gather(self, x, fill):
        """[n, c, places..., taps...] of x, with `fill` in the padding."""
        rank = len(self.kernel)
        check_size(x.shape[0], x.shape[1], *self.places, *self.kernel)
        for dim in range(rank):
            index, axis = self.at(dim), 2 + 2 * dim
            inside = (index >= 0) & (index < x.shape[axis])
            x = np.take(x, np.where(inside, index, 0), axis)
            x = np.where(inside.reshape(inside.shape + (1,) * (
                x.ndim - axis - 2)), x, fill)
        order = (0, 1, *range(2, 2 + 2 * rank, 2), *range(3, 3 + 2 * rank, 2))
        return x.transpose(order[:x.ndim])

    def counts(self, with_padding):
        """How many cells each window counts: [places...]."""
        count = np.ones(())
        for dim, cells in enumerate(self.cells):
            before = self.begins[dim] if with_padding else 0
            after = self.ends[dim] if with_padding else 0
            index = self.at(dim)
            inside = (index >= -before) & (index < cells + after)
            count = np.multiply.outer(count, inside.sum(1))
        return np.maximum(count, 1)

    def taps(self):
        return tuple(range(-len(self.kernel), 0)) if self.kernel else ()


def image(d, windows):
    """Batch and channels."""
    n, c = d.pick((1, 1, 2)), d.pick((1, 2, 3, 8))
    check_size(n, c, *windows.cells)
    return d.data((n, c, *windows.cells))


def spatial_rank(d):
    return d.pick((1, 1, 2, 2, 2, 3, 0, 4, 5))


def pool(name):
    def draw(d):
        windows = Windows(d, True, spatial_rank(d))
        x = image(d, windows)
        attributes = windows.attributes() + [
            ints("kernel_shape", windows.kernel),
            f"ceil_mode = {lower(windows.is_rounded_up)}"]
        lowest = -np.inf if d.is_float else np.iinfo(x.dtype).min
        cells = windows.gather(wide(x), lowest if name == "max_pool" else 0)
        if name == "max_pool":
            return [x], attributes, [cells.max(windows.taps())]
        sums = cells.sum(windows.taps())
        if name == "average_pool":
            with_padding = d.chance(0.5)
            attributes.append(f"count_include_pad = {lower(with_padding)}")
            sums = sums / windows.counts(with_padding)
        return [x], attributes, [sums]
    return draw


def window_attributes(windows):
    return windows.attributes() + [
        ints("kernel_shape", windows.kernel),
        f"ceil_mode = {lower(windows.is_rounded_up)}"]


def max_pool_taps(d):
    windows = Windows(d, True, spatial_rank(d))
    x = image(d, windows)
    lowest = -np.inf if d.is_float else np.iinfo(np.int64).min
    cells = windows.gather(wide(x), lowest)
    numbers = np.arange(math.prod(windows.cells)).reshape(
        1, 1, *windows.cells)
    count = math.prod(windows.kernel)
    shape = (*cells.shape[:2], *windows.places)
    first = cells.reshape(*shape, count).argmax(-1)
    found = np.broadcast_to(windows.gather(numbers, -1).reshape(
        1, 1, *windows.places, count), (*shape, count))
    taps = np.take_along_axis(found, first[..., None], -1)[..., 0]
    # A window of nothing but padding has no element.
    return ([x], window_attributes(windows),
            [np.where(taps < 0, -1, taps)])


def first_tap(d):
    windows = Windows(d, True, spatial_rank(d))
    x = image(d, windows)
    values = d.data((*x.shape[:2], *windows.places))
    numbers = d.data(tuple(windows.cells), "i64", 0, 100)
    none = np.iinfo(np.int64).max
    taps = len(windows.kernel)
    cells = windows.gather(wide(x), np.nan if d.is_float else none)
    own = windows.gather(numbers[None, None], none)
    is_found = cells == wide(values).reshape(*values.shape, *[1] * taps)
    return ([x, values, numbers], window_attributes(windows),
            [np.where(is_found, own, none).min(windows.taps())])


def bias(d, channels):
    return [d.data((channels,))] if d.chance(0.5) else []


def spread(vector, rank):
    return vector.reshape(-1, *[1] * rank)


def conv(d):
    windows = Windows(d, False, spatial_rank(d))
    n, groups = d.pick((1, 1, 2)), d.pick((1, 1, 2, 3, 8))
    inner, outer = d.pick((1, 2, 4)), d.pick((1, 2, 5))
    check_size(n, groups, inner, outer, *windows.places, *windows.kernel)
    check_size(n, groups, inner, *windows.cells)
    x = d.data((n, groups * inner, *windows.cells))
    w = d.data((groups * outer, inner, *windows.kernel))
    rest = bias(d, groups * outer)
    cells = windows.gather(wide(x), 0)
    cells = cells.reshape(n, groups, inner, math.prod(windows.places),
                          math.prod(windows.kernel))
    y = np.einsum("ngipk,goik->ngop", cells,
                  wide(w).reshape(groups, outer, inner, -1), optimize=True)
    y = y.reshape(n, groups * outer, *windows.places)
    if rest:
        y = y + spread(wide(rest[0]), len(windows.kernel))
    return ([x, w] + rest, windows.attributes() + [f"groups = {groups}"], [y])


def conv_transpose(d):
    rank = d.pick((1, 1, 2, 2, 3, 4))
    n, groups = 1, d.pick((1, 1, 2, 4))
    inner, outer = d.pick((1, 2, 3)), d.pick((1, 2, 5))
    cells = [d.pick((1, 2, 3, 5)) for _ in range(rank)]
    kernel = [d.pick((1, 2, 3)) for _ in range(rank)]
    strides = [d.pick((1, 2, 3)) if c > 1 else d.pick((1, 2, *HUGE))
               for c in cells]
    dilations = [d.pick((1, 1, 2)) if k > 1 else d.pick((1, 2, *HUGE))
                 for k in kernel]
    more = [d.below(2) for _ in range(rank)]
    full = [(c - 1) * s + (k - 1) * g + 1
            for c, s, k, g in zip(cells, strides, kernel, dilations)]
    begins = [d.below(max(f // 2, 1)) for f in full]
    ends = [d.below(max(f // 2, 1)) for f in full]
    sizes = [f - b - e + m for f, b, e, m in zip(full, begins, ends, more)]
    check_size(n, groups, inner, outer, *sizes, *kernel)
    x, w = (d.data((n, groups * inner, *cells)),
            d.data((groups * inner, outer, *kernel)))
    y = np.zeros((n, groups, outer, *sizes))
    parts = wide(x).reshape(n, groups, inner, -1)
    weights = wide(w).reshape(groups, inner, outer, *kernel)
    for tap in np.ndindex(*kernel):
        index = [np.arange(c) * s + t * g - b for c, s, t, g, b in
                 zip(cells, strides, tap, dilations, begins)]
        inside = [(i >= 0) & (i < size) for i, size in zip(index, sizes)]
        part = np.einsum("ngip,gio->ngop", parts,
                         weights[(slice(None),) * 3 + tap])
        part = part.reshape(n, groups, outer, *cells)
        part = part[np.ix_(range(n), range(groups), range(outer), *inside)]
        y[np.ix_(range(n), range(groups), range(outer), *(
            i[keep] for i, keep in zip(index, inside)))] += part
    y = y.reshape(n, groups * outer, *sizes)
    rest = bias(d, groups * outer)
    if rest:
        y = y + spread(wide(rest[0]), rank)
    return ([x, w] + rest,
            [ints("strides", strides), ints("dilations", dilations),
             ints("pads", begins + ends), ints("output_padding", more),
             f"groups = {groups}"], [y])


def global_pool(function):
    def draw(d):
        rank = d.pick((1, 2, 3, 4, 5, 6))
        x = d.data((d.pick((1, 2)), d.pick((1, 3, 8)),
                    *(d.pick((1, 2, 3)) for _ in range(rank))))
        axes = tuple(range(2, 2 + rank))
        return [x], [], [function(wide(x), axes, keepdims=True)]
    return draw
