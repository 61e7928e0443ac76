#!/usr/bin/env python3
"""Writes ReferenceCases.inc: leaf ops on small inputs, with numpy's results.

Run it in this folder after a change; it needs numpy and nothing of Weir. All
values are multiples of 1/8, so sums and products are exact and their order
does not matter.
"""

import itertools
import textwrap

import numpy as np

rng = np.random.default_rng(7)
rows = []


def values(*shape):
    return rng.integers(-16, 17, shape).astype(np.float32) / 8


def tensor(array):
    array = np.asarray(array, np.float64)
    dims = ", ".join(str(d) for d in array.shape)
    flat = ", ".join(f"{v:.17g}" if np.isfinite(v) else
                     ("-" if v < 0 else "") + "HUGE_VAL" for v in array.flat)
    return "{{%s}, {%s}}" % (dims, flat)


def case(name, spec, expression, combiner, attrs, operands, result):
    pairs = []
    for key, value in attrs.items():
        if isinstance(value, str):
            pairs.append('{"%s", std::string("%s")}' % (key, value))
        elif isinstance(value, float):
            pairs.append('{"%s", std::vector<double>{%r}}' % (key, value))
        else:
            listed = ", ".join(str(v) for v in value)
            pairs.append('{"%s", std::vector<int64_t>{%s}}' % (key, listed))
    rows.append('{"%s", "%s", "%s", "%s", {%s}, {%s}, %s},' % (
        name, spec, expression, combiner, ", ".join(pairs),
        ", ".join(tensor(o) for o in operands), tensor(result)))


def pad(x, pads, value=0.0):
    n = len(pads) // 2
    widths = [(0, 0)] * (x.ndim - n) + list(zip(pads[:n], pads[n:]))
    return np.pad(x, widths, constant_values=value)


def windows(x, kernel, strides, dilations):
    """All windows: spatial positions first, then n, c and the taps."""
    n = len(kernel)
    outs = [(x.shape[-n + i] - (kernel[i] - 1) * dilations[i] - 1) //
            strides[i] + 1 for i in range(n)]
    for at in itertools.product(*map(range, outs)):
        first = [at[i] * strides[i] for i in range(n)]
        last = [first[i] + (kernel[i] - 1) * dilations[i] for i in range(n)]
        box = tuple(slice(first[i], last[i] + 1, dilations[i])
                    for i in range(n))
        yield at, outs, x[(Ellipsis,) + box]


def conv(x, w, b, strides, dilations, pads, groups):
    x = pad(x, pads)
    result = None
    o, c = w.shape[:2]
    for at, outs, box in windows(x, w.shape[2:], strides, dilations):
        if result is None:
            result = np.zeros((x.shape[0], o, *outs))
        for i in range(o):
            g = i // (o // groups)
            part = box[:, g * c:(g + 1) * c] * w[i]
            result[(slice(None), i) + at] = part.reshape(len(x), -1).sum(1)
    return result + b.reshape(1, -1, *[1] * (w.ndim - 2))


def conv_transpose(x, w, b, strides, dilations, pads, groups, more):
    n, ci = x.shape[:2]
    co = w.shape[1]
    spatial = x.ndim - 2
    full = [(x.shape[2 + i] - 1) * strides[i] +
            (w.shape[2 + i] - 1) * dilations[i] + 1 + more[i]
            for i in range(spatial)]
    result = np.zeros((n, groups * co, *full))
    for at in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            to = tuple(at[i] * strides[i] + tap[i] * dilations[i]
                       for i in range(spatial))
            for c in range(ci):
                g = c // (ci // groups)
                result[(slice(None), slice(g * co, (g + 1) * co)) + to] += (
                    x[(slice(None), c) + at][:, None] *
                    w[(c, slice(None)) + tap][None])
    cut = tuple(slice(pads[i], full[i] - pads[spatial + i])
                for i in range(spatial))
    return (result[(slice(None), slice(None)) + cut] +
            b.reshape(1, -1, *[1] * spatial))


CONV = ("n(gc)[x*strides+k*dilations-pads],(go)c[k],+(go)"
        "->n(go)[x]|g=groups")
CONVT = ("n(gc)[x],(gc)o[k],+(go)"
         "->n(go)[x*strides+k*dilations-pads]|g=groups")
POOL = "nc[x*strides+k*dilations-pads]->nc[x]|k=kernel_shape"
SLICE = "[x*steps+starts]->[x]|x=sizes"

# Contractions.
for name, a, b in (("matmul", (3, 4), (4, 2)), ("matmulBatched", (2, 3, 4),
                   (2, 4, 2)), ("matmulBroadcast", (2, 1, 2, 3), (3, 3, 4))):
    x, y = values(*a), values(*b)
    case(name, "...mk,...kn->...mn", "a * b", "sum", {}, [x, y], x @ y)
x, y, z = values(2, 3), values(5, 3), values(5)
case("linearWithBias", "...k,nk,+n->...n", "a * b", "sum", {}, [x, y, z],
     x @ y.T + z)

# Convolutions in 1 to 3 spatial dims.
for name, xs, ws, st, di, pa, g in (
        ("conv1d", (2, 2, 7), (3, 2, 3), (2,), (1,), (1, 2), 1),
        ("conv2d", (1, 4, 5, 6), (6, 2, 3, 2), (1, 2), (2, 1), (1, 0, 2, 1), 2),
        ("conv3d", (1, 1, 3, 4, 3), (2, 1, 2, 2, 2), (1, 1, 2), (1, 2, 1),
         (0, 1, 1, 0, 1, 0), 1),
        ("convDepthwise", (1, 3, 4, 4), (3, 1, 3, 3), (1, 1), (1, 1),
         (1, 1, 1, 1), 3),
        ("convCropping", (1, 1, 5, 5), (1, 1, 2, 2), (1, 1), (1, 1),
         (-1, 0, 0, -2), 1)):
    x, w, b = values(*xs), values(*ws), values(ws[0])
    cut = x[tuple([slice(None)] * 2 + [
        slice(max(0, -pa[i]), xs[2 + i] + min(0, pa[len(st) + i]))
        for i in range(len(st))])]
    case(name, CONV, "a * b", "sum",
         dict(strides=st, dilations=di, pads=pa, groups=[g]), [x, w, b],
         conv(cut, w, b, st, di, [max(0, p) for p in pa], g))

for name, xs, ws, st, di, pa, g, mo in (
        ("convTranspose1d", (2, 2, 4), (2, 3, 3), (2,), (1,), (1, 0), 1, (1,)),
        ("convTranspose2d", (1, 4, 3, 2), (4, 2, 2, 3), (2, 1), (1, 2),
         (0, 1, 1, 2), 2, (0, 0))):
    x, w, b = values(*xs), values(*ws), values(g * ws[1])
    case(name, CONVT, "a * b", "sum",
         dict(strides=st, dilations=di, pads=pa, groups=[g],
              output_padding=mo), [x, w, b],
         conv_transpose(x, w, b, st, di, pa, g, mo))

# Pooling. In ceil mode the operand is padded to the last window by hand.
x = values(1, 2, 5, 5)
attrs = dict(kernel_shape=(3, 2), strides=(2, 2), pads=(1, 0, 1, 1))
for combiner, neutral, reduce in (("maximum", -np.inf, np.max),
                                  ("sum", 0.0, np.sum)):
    padded = pad(x, attrs["pads"], neutral)
    result = None
    for at, outs, box in windows(padded, (3, 2), (2, 2), (1, 1)):
        if result is None:
            result = np.zeros((1, 2, *outs))
        result[(slice(None), slice(None)) + at] = reduce(box, axis=(-1, -2))
    case("pool_" + combiner, POOL, "a", combiner, attrs, [x], result)
x = values(1, 1, 6)
padded = pad(x, (0, 1), -np.inf)
case("poolCeil", POOL, "a", "maximum",
     dict(kernel_shape=[3], strides=[2], ceil_mode=[1]), [x],
     np.stack([padded[..., i:i + 3].max(-1) for i in (0, 2, 4)], -1))
count = np.array([2., 3., 2.]).reshape(1, 1, 3)
case("poolCountsInside", POOL, "1", "sum",
     dict(kernel_shape=[3], strides=[2], pads=[1, 1]), [values(1, 1, 5)],
     count)

# Reductions.
x = values(2, 3, 4)
for combiner, reduce in (("sum", np.sum), ("maximum", np.max),
                         ("minimum", np.min), ("product", np.prod)):
    case("reduce_" + combiner, "[x]->[x/axes]", "a", combiner,
         dict(axes=[1], keepdims=[1]), [x], reduce(x, 1, keepdims=True))
case("reduceNegativeAxes", "[x]->[x/axes]", "a", "sum",
     dict(axes=[-1, 0], keepdims=[0]), [x], x.sum((0, 2)))
case("reduceAll", "[x]->[x/axes]", "a * a", "sum", dict(keepdims=[0]), [x],
     np.square(x.astype(np.float64)).sum())
case("reduceEmpty", "[x]->[x/axes]", "a", "product", dict(axes=[0]),
     [values(0, 2)], np.ones((1, 2)))

# Shape.
case("transpose", "[x]->[x@perm]", "a", "none", dict(perm=[2, 0, 1]), [x],
     x.transpose(2, 0, 1))
case("slice", SLICE, "a", "none",
     dict(steps=[1, 2, -2], starts=[1, 0, 3], sizes=[1, 2, 2]), [x],
     x[1:2, 0:3:2, 3:0:-2])
case("sliceEmpty", SLICE, "a", "none",
     dict(steps=[1, 1, 1], starts=[0, 3, 0], sizes=[2, 0, 4]), [x],
     x[:, 3:, :])
y = values(2, 3)
case("pad", "[x-pads]->[x]", "a", "none",
     dict(pads=[1, 0, 0, 2], value=1.5, fill="value"), [y],
     np.pad(y, ((1, 0), (0, 2)), constant_values=1.5))
case("padNegative", "[x-pads]->[x]", "a", "none",
     dict(pads=[-1, 1, 0, -2]), [y], np.pad(y[1:, :1], ((0, 0), (1, 0))))
z = values(3, 1)
case("expand", "...->...|...=shape", "a", "none", dict(shape=[2, 3, 4]), [z],
     np.broadcast_to(z, (2, 3, 4)))
case("expandKeepsLargerDims", "...->...|...=shape", "a", "none",
     dict(shape=[1, 4]), [z], np.broadcast_to(z, (3, 4)))

# Elementwise.
a, b = values(2, 3), values(3)
case("addBroadcast", "...,...->...", "a + b", "none", {}, [a, b], a + b)
case("scalars", "...,...->...", "a - b", "none", {},
     [np.float32(2.5), np.float32(0.25)], 2.25)
case("clip", "...,<...,<...->...", "min(max(a, b), c)", "none", {},
     [a, np.float32(-0.5), np.full(3, 0.75)], np.clip(a, -0.5, 0.75))
case("leakyRelu", "...->...", "select(a < 0, alpha * a, a)", "none",
     dict(alpha=0.25), [a], np.where(a < 0, 0.25 * a, a))
case("outerProduct", "m,n->mn", "a * b", "none", {}, [b, values(2) * 0 + 2],
     np.outer(b, [2, 2]))

with open("ReferenceCases.inc", "w") as out:
    out.write("""\
//===- ReferenceCases.inc - Leaf ops with results from numpy -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Written by generate-reference-cases.py; do not edit.
//
//===----------------------------------------------------------------------===//

// clang-format off
""")
    for row in rows:
        # Lines break between values, never inside a quoted text.
        parts = row.split('"')
        parts[1::2] = [part.replace(" ", "\0") for part in parts[1::2]]
        lines = textwrap.wrap('"'.join(parts), 80, break_long_words=False,
                              break_on_hyphens=False)
        out.write("\n".join(lines).replace("\0", " ") + "\n")
