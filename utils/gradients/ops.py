#!/usr/bin/env python3
"""Compares the gradients of single ops with PyTorch's.

    ops.py BIN [OP ...]

Each case of test/Ops whose op is in the table below is differentiated in f64,
with a random gradient of its results. All gradients must be within 1e-9 of
PyTorch's, relative, by the norm of each tensor. It needs torch, numpy and
ml_dtypes.
"""
import argparse
import collections
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "Ops"))

from oracles import cases, positions  # noqa: E402

# Cases of numbers at which there is no derivative.
SPECIAL = ("nan", "infinite", "huge", "vast", "masked", "outside")


def window(a, rank):
    """Strides, dilations, and the pads of each spatial dim."""
    pads = a.get("pads", [0] * (2 * rank))
    return (a.get("strides", [1] * rank), a.get("dilations", [1] * rank),
            list(zip(pads[:rank], pads[rank:])))


def pool_pads(x, a):
    """Pads, with the rows that the last window of `ceil_mode` needs."""
    rank = x.ndim - 2
    strides, dilations, pads = window(a, rank)
    result = []
    for d, (begin, end) in enumerate(pads):
        size, stride = x.shape[d + 2], strides[d]
        reach = (a["kernel_shape"][d] - 1) * dilations[d] + 1
        room = size + begin + end - reach
        count = room // stride + 1
        if (a.get("ceil_mode") and room % stride and
                count * stride < size + begin):
            end = count * stride + reach - size - begin
        result.append((begin, end))
    return result


def padded(x, pads, value=0.0):
    flat = [n for pair in reversed(pads) for n in pair]
    return F.pad(x, flat, value=value)


def conv(x, w, *bias, **a):
    rank = x.ndim - 2
    strides, dilations, pads = window(a, rank)
    function = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    return function(padded(x, pads), w, *bias, stride=strides,
                    dilation=dilations, groups=a.get("groups", 1))


def conv_transpose(x, w, *bias, **a):
    rank = x.ndim - 2
    strides, dilations, pads = window(a, rank)
    function = (F.conv_transpose1d, F.conv_transpose2d,
                F.conv_transpose3d)[rank - 1]
    y = function(x, w, *bias, stride=strides, dilation=dilations,
                 groups=a.get("groups", 1))
    more = a.get("output_padding", [0] * rank)
    if any(more):
        # Rows behind the last tap have the bias alone.
        start = bias[0] if bias else torch.zeros(y.shape[1], dtype=y.dtype)
        y = y - start.reshape(-1, *[1] * rank)
        y = padded(y, [(0, n) for n in more])
        y = y + start.reshape(-1, *[1] * rank)
    return padded(y, [(-begin, -end) for begin, end in pads])


def conv_weight_gradient(x, g, **a):
    rank = x.ndim - 2
    groups = a.get("groups", 1)
    w = torch.zeros(g.shape[1], x.shape[1] // groups, *a["kernel_shape"],
                    dtype=x.dtype, requires_grad=True)
    # Sizes that do not divide leave rows that no tap reads.
    y = conv(x, w, **a)[(..., *(slice(n) for n in g.shape[2:]))]
    return torch.autograd.grad((y * g).sum(), w, create_graph=True)[0]


def max_pool(x, **a):
    rank = x.ndim - 2
    strides, dilations, _ = window(a, rank)
    function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    return function(padded(x, pool_pads(x, a), -math.inf), a["kernel_shape"],
                    strides, dilation=dilations)


def sum_windows(x, a):
    """Sums of a tensor with its pads."""
    w = torch.ones(x.shape[1], 1, *a["kernel_shape"], dtype=x.dtype)
    strides, dilations, _ = window(a, x.ndim - 2)
    function = (F.conv1d, F.conv2d, F.conv3d)[x.ndim - 3]
    return function(x, w, stride=strides, dilation=dilations,
                    groups=x.shape[1])


def sum_pool(x, **a):
    return sum_windows(padded(x, pool_pads(x, a)), a)


def average_pool(x, **a):
    ones, pads = torch.ones_like(x), pool_pads(x, a)
    if a.get("count_include_pad"):
        own = window(a, x.ndim - 2)[2]
        ones = padded(ones, own, 1.0)
        pads = [(0, more[1] - mine[1]) for more, mine in zip(pads, own)]
    return sum_pool(x, **a) / sum_windows(padded(ones, pads), a)


def reduction(function):
    def run(x, **a):
        axes = a.get("axes") or list(range(x.ndim))
        return function(x, axes, keepdim=a.get("keepdims", True))
    return run


def product(x, axes, keepdim):
    for axis in axes:
        x = x.prod(axis, keepdim=True)
    return x if keepdim else x.squeeze(tuple(axes))


def cum_sum(x, **a):
    axis = a.get("axis", 0)
    x = x.flip(axis) if a.get("reverse") else x
    y = x.cumsum(axis)
    if a.get("exclusive"):
        y = y - x
    return y.flip(axis) if a.get("reverse") else y


def batch_norm(x, *rows, epsilon=1e-5):
    scale, bias, mean, variance = (
        row.reshape(-1, *[1] * (x.ndim - 2)) for row in rows)
    return (x - mean) / torch.sqrt(variance + epsilon) * scale + bias


def layer_norm(x, scale, *bias, **a):
    return F.layer_norm(x, scale.shape, scale, *bias,
                        eps=a.get("epsilon", 1e-5))


def pad(x, **a):
    rank = x.ndim
    pads = list(zip(a["pads"][:rank], a["pads"][rank:]))
    return padded(x, pads, a.get("value", 0.0))


def reshape(x, **a):
    return x.reshape(positions.reshape(np.empty(x.shape), a).shape)


def slice_(x, **a):
    for d, (start, size, step) in enumerate(zip(
            a["starts"], a["sizes"], a.get("steps", [1] * x.ndim))):
        places = start + step * torch.arange(size)
        x = x.index_select(d, places)
    return x


def wrapped(places, size):
    return torch.where(places.long() < 0, places.long() + size, places.long())


def gather(x, places, **a):
    axis = a.get("axis", 0) % x.ndim
    flat = x.index_select(axis, wrapped(places, x.shape[axis]).reshape(-1))
    return flat.reshape(*x.shape[:axis], *places.shape, *x.shape[axis + 1:])


def take_along_axis(x, places, **a):
    axis = a.get("axis", 0)
    return torch.take_along_dim(x, wrapped(places, x.shape[axis]), axis)


def gather_nd(x, places, batch_dims=0):
    count = places.shape[-1]
    lead = [torch.arange(n).reshape(
        [n if e == d else 1 for e in range(places.ndim - 1)])
        for d, n in enumerate(x.shape[:batch_dims])]
    return x[(*lead, *(wrapped(places[..., i], x.shape[batch_dims + i])
                       for i in range(count)))]


def scatter_nd(x, places, updates, reduction="none"):
    at = tuple(wrapped(places[..., i], x.shape[i])
               for i in range(places.shape[-1]))
    return x.index_put(at, updates, accumulate=reduction == "sum")


def scatter_elements(x, places, updates, axis=0, reduction="none"):
    at = wrapped(places, x.shape[axis])
    if reduction == "sum":
        return x.scatter_add(axis, at, updates)
    return x.scatter(axis, at, updates)


def resample(x, places, weights, axis=0):
    picked = x.movedim(axis, -1)[..., wrapped(places, x.shape[axis])]
    return (picked * weights).sum(-1).movedim(-1, axis)


def max_pool_gradient(g, taps, sizes, kernel_shape, strides=None, pads=None,
                      dilations=None, ceil_mode=False):
    """Each element goes to the cell that its window's tap meets."""
    rank = len(sizes)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads or [0] * (2 * rank)
    shape = [n + pads[d] + pads[d + rank] + k * e for d, (n, k, e) in enumerate(
        zip(sizes, kernel_shape, dilations))]
    taps = taps.long()
    is_tap = taps < int(np.prod(kernel_shape))
    cells = torch.zeros_like(taps)
    numbers = np.unravel_index((taps * is_tap).numpy(), kernel_shape)
    for d, number in enumerate(numbers):
        places = torch.arange(g.shape[d + 2]).reshape(
            [-1] + [1] * (rank - 1 - d))
        cells = cells * shape[d] + (places * strides[d] +
                                    torch.from_numpy(number) * dilations[d])
    padded = g.new_zeros(*g.shape[:2], int(np.prod(shape))).scatter_add(
        2, cells.flatten(2), (g * is_tap).flatten(2)).reshape(
            *g.shape[:2], *shape)
    return padded[(..., *(slice(pads[d], pads[d] + n)
                          for d, n in enumerate(sizes)))]


def cross_entropy(x, labels, **a):
    flat = F.cross_entropy(
        x.reshape(-1, x.shape[-1]), labels.long().reshape(-1),
        ignore_index=a.get("ignored", -100), reduction="none")
    return flat.reshape(labels.shape)


def scatter_sum(updates, places, x):
    inside = (places >= 0) & (places < x.shape[1])
    return x.index_add(1, places.long()[inside], updates[:, inside])


def prelu(x, slope):
    return torch.where(x < 0, slope * x, x)


def softmax_cross_entropy(x, target):
    return -(x.log_softmax(-1) * target).sum(-1)


def sigmoid_cross_entropy(x, target):
    return F.binary_cross_entropy_with_logits(
        *torch.broadcast_tensors(x, target), reduction="none")


def huber(x, target, delta=1.0):
    return F.huber_loss(*torch.broadcast_tensors(x, target), delta=delta,
                        reduction="none")


def lrn(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    channels = padded(x.transpose(1, -1) ** 2,
                      [((size - 1) // 2, size // 2)])
    squares = channels.unfold(-1, size, 1).sum(-1).transpose(1, -1)
    return x / (bias + alpha / size * squares) ** beta


TABLE = {
    "absolute_error": lambda x, t: (x - t).abs(),
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
    "average_pool": average_pool,
    "batch_norm": batch_norm,
    "binary_cross_entropy": lambda x, t: -(
        t * x.log().clamp(min=-100) + (1 - t) * (1 - x).log().clamp(min=-100)),
    "clip": lambda x, min=-math.inf, max=math.inf: x.clamp(min, max),
    "concat": lambda *x, axis: torch.cat(x, axis),
    "conv": conv, "conv_transpose": conv_transpose,
    "conv_weight_gradient": conv_weight_gradient,
    "cum_sum": cum_sum, "erf": torch.erf,
    "elu": lambda x, alpha=1.0: F.elu(x, alpha),
    "expand": lambda x, shape: x.expand(
        np.broadcast_shapes(tuple(x.shape), tuple(shape))),
    "gather": gather, "take": gather, "take_along_axis": take_along_axis,
    "gelu": F.gelu,
    "global_average_pool": lambda x: x.mean(tuple(range(2, x.ndim)), True),
    "global_max_pool": lambda x: x.amax(tuple(range(2, x.ndim)), True),
    "group_norm": lambda x, scale, bias, groups, epsilon=1e-5:
        F.group_norm(x, groups, scale, bias, epsilon),
    "hard_sigmoid": lambda x, alpha=0.2, beta=0.5:
        (alpha * x + beta).clamp(0, 1),
    "hard_swish": F.hardswish,
    "hinge": lambda x, t: (1 - x * t).clamp(min=0),
    "huber": huber,
    "layer_norm": layer_norm,
    "leaky_relu": lambda x, alpha=0.01: F.leaky_relu(x, alpha),
    "linear": F.linear, "log": torch.log,
    "log_softmax": lambda x, axis=-1: x.log_softmax(axis),
    "lrn": lrn, "matmul": torch.matmul,
    "max": torch.maximum, "min": torch.minimum,
    "gather_nd": gather_nd, "scatter_elements": scatter_elements,
    "scatter_nd": scatter_nd, "resample": resample,
    "max_pool_gradient": max_pool_gradient, "mod": torch.remainder,
    "max_pool": max_pool, "max_pool_training": max_pool, "mish": F.mish,
    "pad": pad, "pow": torch.pow, "prelu": prelu,
    "reduce_log_sum_exp": reduction(torch.logsumexp),
    "reduce_max": reduction(torch.amax), "reduce_min": reduction(torch.amin),
    "reduce_mean": reduction(torch.mean), "reduce_sum": reduction(torch.sum),
    "reduce_prod": reduction(product),
    "relu": F.relu, "reshape": reshape, "scatter_sum": scatter_sum,
    "sigmoid_cross_entropy": sigmoid_cross_entropy, "silu": F.silu,
    "slice": slice_, "softmax": lambda x, axis=-1: x.softmax(axis),
    "softmax_cross_entropy": softmax_cross_entropy, "softplus": F.softplus,
    "sparse_softmax_cross_entropy": cross_entropy,
    "split": lambda x, axis, sizes: x.split(sizes, axis),
    "squared_error": lambda x, t: (x - t) ** 2, "sum_pool": sum_pool,
    "transpose": lambda x, perm: x.permute(perm),
    "tril": lambda x, k=0: x.tril(k), "triu": lambda x, k=0: x.triu(k),
    "where": torch.where,
    **{name: getattr(torch, name) for name in (
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil",
        "cos", "cosh", "exp", "floor", "fmod", "neg", "round", "rsqrt",
        "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh")},
}
# Reductions of scatters that have no gradient.
EXTREMES = ("product", "maximum", "minimum")
FLOATS = re.compile(r"(?:bf16|f16|f32)(?=[>,)}\s])")
LAYOUT = re.compile(r", #weir\.layout<\[[^\]]*\]>")
BODY = re.compile(r"(.*)\n  return (.*?) : (.*)\n\}", re.S)


class Example:
    """A case in f64, with its gradient as text."""

    def __init__(self, text):
        self.case = cases.Case(text)
        self.inputs = [self.case.draw(i)
                       for i in range(len(self.case.types))]
        self.inputs = [x.astype(np.float64) if cases.is_float(x.dtype) else x
                       for x in self.inputs]
        self.wanted = [i for i, x in enumerate(self.inputs)
                       if x.dtype == np.float64]
        self.text = LAYOUT.sub("", FLOATS.sub("f64", text[0]))

    def is_unfit(self):
        """Whether there is no gradient, or PyTorch's is wrong: where several
        updates replace an element, it gives each the gradient of the last."""
        if not self.wanted or self.case.name.partition("_")[0] in SPECIAL:
            return True
        if not self.case.op.startswith("scatter_"):
            return False
        reduction = self.case.attrs.get("reduction", "none")
        if reduction != "none" or self.case.op == "scatter_sum":
            return reduction in EXTREMES
        x, places, updates = map(torch.from_numpy, self.inputs)
        counts = TABLE[self.case.op](
            torch.zeros_like(x), places, torch.ones_like(updates),
            **{**self.case.attrs, "reduction": "sum"})
        return counts.numel() > 0 and counts.max() > 1

    def write(self, folder, upstream):
        """The text of a graph with the gradients for all float operands of the
        sum of all results times `upstream`."""
        head, arguments, results = re.match(
            r"func\.func @(\w+)\((.*?)\)\s*->\s*(.*?) \{\n", self.text,
            re.S).groups()
        body, values, types = BODY.search(
            self.text[self.text.index("{\n", self.text.index("->")) + 2:]
        ).groups()
        names = re.findall(r"%\w+", arguments)
        # Integers beside the result have no gradient.
        values, types = zip(*(
            (value, type_) for value, type_ in zip(
                values.split(", "), types.split(", ")) if "f64" in type_))
        lines = [body]
        for n, (value, type_) in enumerate(zip(values, types)):
            lines.append(f"  %p{n} = weir.mul {value}, %r{n} : {type_}, "
                         f"{type_}")
            lines.append(f"  %s{n} = weir.reduce_sum %p{n} {{keepdims = false}}"
                         f" : {type_}")
            lines.append(f"  %t{n} = weir.add %s{n}, %s{n} : tensor<f64>, "
                         "tensor<f64>" if n == 0 else
                         f"  %t{n} = weir.add %t{n - 1}, %s{n} : tensor<f64>, "
                         "tensor<f64>")
        kinds = re.findall(r"tensor<[^>]*>", arguments)
        of = ", ".join(names[i] for i in self.wanted)
        of_types = ", ".join(kinds[i] for i in self.wanted)
        count = len(self.wanted)
        lines.append(f"  %g:{count} = weir.gradient %t{len(values) - 1} of "
                     f"{of} : tensor<f64> of {of_types}")
        gradients = ", ".join(f"%g#{i}" for i in range(count))
        named = ", ".join(f'{kinds[i]} {{weir.name = "g{i}"}}'
                          for i in self.wanted)
        more = "".join(f", %r{n}: {type_}" for n, type_ in enumerate(types))
        (folder / "case.mlir").write_text("\n".join([
            f"func.func @main({arguments}{more}) -> ({named}) {{", *lines,
            f"  return {gradients} : {of_types}", "}", ""]))
        flags = []
        arrays = {n[1:]: x for n, x in zip(names, self.inputs)}
        arrays |= {f"r{n}": x for n, x in enumerate(upstream)}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
            flags.append(f"--input={name}={folder}/{name}.npy")
        return flags

    def by_weir(self, tools, upstream):
        """The gradients, or the reason why there are none."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            flags = self.write(folder, upstream)
            for command in ([tools / "graph-compile", folder / "case.mlir",
                             "--allow-reference", "-o", folder / "m.weir"],
                            [tools / "graph-run", folder / "m.weir", *flags,
                             f"--output-dir={folder}"]):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    return done.stderr.partition("\n")[0]
            return [np.load(folder / f"g{i}.npy") for i in self.wanted]

    def by_torch(self):
        """Random gradients of the results, and those of the operands."""
        tensors = [torch.from_numpy(x.astype(np.int64) if x.dtype.kind == "u"
                                    else x) for x in self.inputs]
        for i in self.wanted:
            tensors[i].requires_grad_()
        results = TABLE[self.case.op](*tensors, **self.case.attrs)
        results = results if isinstance(results, tuple) else (results,)
        random = np.random.default_rng(1)
        upstream = [random.standard_normal(y.shape) for y in results]
        # The first is added to itself.
        loss = 2 * (results[0] * torch.from_numpy(upstream[0])).sum()
        for y, r in zip(results[1:], upstream[1:]):
            loss = loss + (y * torch.from_numpy(r)).sum()
        if loss.requires_grad:
            loss.backward()
        return upstream, [np.zeros(self.inputs[i].shape)
                          if tensors[i].grad is None
                          else tensors[i].grad.numpy() for i in self.wanted]


def distance(found, expected):
    """Relative, by the norm. NaN is as far from itself as equal numbers."""
    areSame = (found == expected) | (np.isnan(found) & np.isnan(expected))
    difference = np.where(areSame, 0, found - expected)
    return np.linalg.norm(difference) / max(
        np.linalg.norm(np.nan_to_num(expected)), 1e-300)


def compare(tools, example):
    """Whether the gradients are equal."""
    case = example.case
    upstream, expected = example.by_torch()
    found = example.by_weir(tools, upstream)
    if isinstance(found, str):
        print(f"{case.op} @{case.name}: {found}")
        return False
    if [f.shape for f in found] != [e.shape for e in expected]:
        print(f"{case.op} @{case.name}: the shapes are not PyTorch's")
        return False
    # Unlike max(), this keeps a NaN, which is not equal.
    worst = np.max([distance(f, e) for f, e in zip(found, expected)])
    isEqual = bool(worst <= 1e-9)
    if not isEqual:
        print(f"{case.op} @{case.name}: {worst:.1e} from PyTorch", flush=True)
    return isEqual


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("ops", nargs="*")
    args = parser.parse_args()
    counts = collections.Counter()
    missing = []
    paths = sorted((ROOT / "test" / "Ops").glob("*.mlir"))
    unknown = set(args.ops) - {path.stem for path in paths}
    if unknown:
        parser.error(f"test/Ops has no {', '.join(sorted(unknown))}")
    for path in paths:
        if args.ops and path.stem not in args.ops:
            continue
        text = path.read_text().partition("//--- errors.mlir")[0]
        for found in cases.FUNCTION.finditer(text):
            example = Example(found)
            if example.case.op not in TABLE:
                missing.append(example.case.op)
                continue
            if example.is_unfit():
                continue
            equal = compare(args.tools.resolve(), example)
            counts[equal, example.case.op] += 1
    equal, others = (sum(n for (isEqual, _), n in counts.items()
                         if isEqual == wanted) for wanted in (True, False))
    print(f"{len({op for _, op in counts})} ops, {equal} cases equal, "
          f"{others} not; not in the table: "
          f"{', '.join(sorted(set(missing)))}")
    if not counts:
        print("no case of these ops was compared")
    sys.exit(others > 0 or not counts)


if __name__ == "__main__":
    main()
