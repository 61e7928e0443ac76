#!/usr/bin/env python3
"""Writes the expected results of test/Ops: Inputs/<op>.safetensors.

A case of test/Ops/<op>.mlir is a function with one op. This script reads its
text, draws inputs from a seed that follows from the names, and computes the
results with numpy or ONNX Runtime; it shares no code with Weir. Counts of flops
are closed forms of the shapes.

    python3 -m venv oracle
    oracle/bin/pip install numpy onnx onnxruntime
    oracle/bin/python test/Ops/gen-oracles.py [test/Ops/relu.mlir ...]

The same versions give the same bytes.
"""
import json
import math
import pathlib
import re
import struct
import sys
import zlib

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import helper

DTYPES = {
    "f32": (np.float32, "F32"), "f16": (np.float16, "F16"),
    "bf16": (ml_dtypes.bfloat16, "BF16"), "f64": (np.float64, "F64"),
    "i8": (np.int8, "I8"), "ui8": (np.uint8, "U8"), "i16": (np.int16, "I16"),
    "i32": (np.int32, "I32"), "i64": (np.int64, "I64"),
    "i1": (np.bool_, "BOOL"),
}
SAFE_NAMES = {np.dtype(dtype): name for dtype, name in DTYPES.values()}

NUMPY = f"numpy {np.__version__}"
ERF = f"{NUMPY} and Python's math.erf"


def is_float(dtype):
    return np.dtype(dtype) in (np.float32, np.float16, np.float64,
                               ml_dtypes.bfloat16)


# Reading cases ---------------------------------------------------------------

FUNCTION = re.compile(
    r"^func\.func @(\w+)\((.*?)\)\s*->.*?\{\n(.*?)\n\}", re.S | re.M)
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)")
OP = re.compile(r"=\s*weir\.(\w+)\s[^{:]*(\{.*?\})?\s*:", re.S)
ATTRIBUTE = re.compile(
    r"(\w+)\s*=\s*(\[[^\]]*\]|-?0x[0-9A-Fa-f]+|[-+.\w]+)(?:\s*:\s*\w+)?")


class Case:
    def __init__(self, text):
        self.name = text[1]
        self.types = [(tuple(int(d) for d in dims.split("x")[:-1]),
                       DTYPES[element][0])
                      for dims, element in TENSOR.findall(text[2])]
        op = OP.search(text[3])
        self.op = op[1]
        self.attrs = {key: self.parse(value) for key, value in
                      ATTRIBUTE.findall((op[2] or "{}")[1:-1])}

    def along_axis(self, fallback=0):
        """The size of the first operand's dim that `axis` names."""
        return self.types[0][0][self.attrs.get("axis", fallback)]

    @staticmethod
    def parse(text):
        if text in ("true", "false"):
            return text == "true"
        if text in DTYPES:
            return DTYPES[text][0]
        if text == "ui8":
            return np.uint8
        return json.loads(text)

    def draw(self, number):
        """Operand `number`: normal, or small integers; the same each time. The
        first word of the case's name may ask for more: `huge` numbers, numbers
        that are `zero` where the op's domain has none, a `masked` half of -inf,
        `infinite` ones, `nan` among them, and indices `outside`."""
        shape, dtype = self.types[number]
        seed = zlib.crc32(f"{self.op}.{self.name}.{number}".encode())
        rng = np.random.default_rng(seed)
        if is_float(dtype):
            values = rng.standard_normal(shape) * SCALES.get(self.op, 1)
        elif dtype == np.bool_:
            values = rng.integers(0, 2, shape)
        else:
            values = rng.integers(0 if dtype == np.uint8 else -9, 10, shape)
        kind = self.name.partition("_")[0]
        if kind == "huge":
            values = self.enlarge(values, dtype, rng)
        if (self.op, number) in INDEXED and kind != "outside":
            sizes = np.array(INDEXED[self.op, number](self))
            values = values % np.maximum(sizes, 1)
            # Half of them count from the end.
            values = values - sizes * (values % 2) * (dtype != np.uint8)
        domain = DOMAINS.get((self.op, number)) or DOMAINS.get((self.op, None))
        if domain and kind != "zero":
            values = domain(values)
        values = np.asarray(values).astype(dtype)
        extremes = [np.inf, -np.inf, -0.0]
        if kind == "nan":
            extremes.insert(0, np.nan)
        if kind in ("nan", "infinite") and (self.op, number) not in INDEXED:
            extremes = extremes[number:] + extremes[:number]
            flat = values.reshape(-1)
            flat[:len(extremes)] = extremes[:flat.size]
        if kind == "masked":
            values.reshape(-1)[:values.size // 2] = -np.inf
        return values

    @staticmethod
    def enlarge(values, dtype, rng):
        """Floats beyond 2000; integers among them the ends of their range."""
        if is_float(dtype):
            return values * 4000 + np.copysign(2000, values)
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, values.shape, endpoint=True,
                              dtype=dtype)
        values.reshape(-1)[:1] = info.min
        values.reshape(-1)[1:2] = info.max
        return values


def positive(values):
    return abs(values) + 0.25 if values.dtype.kind == "f" else abs(values)


def no_zero(values):
    return np.where(values == 0, 3, values)


def halves(values):
    return np.round(values * 4) / 2


def inside(values):
    """Between -1 and 1."""
    return np.tanh(values)


def places(values):
    """How far bits can be shifted."""
    return abs(values) % 8


# What an op's operands must be for its result to be a number.
DOMAINS = {
    ("ceil", None): halves, ("floor", None): halves, ("round", None): halves,
    ("acos", None): inside, ("asin", None): inside, ("atanh", None): inside,
    ("acosh", None): lambda v: 1 + abs(v),
    ("mod", 1): no_zero, ("fmod", 1): no_zero,
    ("shift_left", 1): places, ("shift_right", 1): places,
    ("log", None): positive, ("sqrt", None): positive,
    ("rsqrt", None): positive, ("pow", 0): positive, ("div", 1): no_zero,
    ("pow", 1): lambda v: v if v.dtype.kind == "f" else abs(v) % 5,
    ("batch_norm", 4): positive,
    # Equal elements occur.
    ("equal", None): np.round, ("greater", None): np.round,
    ("less", None): np.round, ("greater_equal", None): np.round,
    ("less_equal", None): np.round, ("not_equal", None): np.round,
}
# The sizes of the dims that an operand holds indices of.
INDEXED = {
    ("gather", 1): Case.along_axis,
    ("gather_nd", 1): lambda case: case.types[0][0][
        case.attrs.get("batch_dims", 0):][:case.types[1][0][-1]],
    ("inverse_index", 0): lambda case: case.attrs["size"],
    ("one_hot", 0): lambda case: case.attrs["depth"],
    ("resample", 1): Case.along_axis,
    ("scatter_elements", 1): Case.along_axis,
    ("scatter_nd", 1): lambda case: case.types[0][0][:case.types[1][0][-1]],
    ("take", 1): Case.along_axis,
    ("take_along_axis", 1): Case.along_axis,
}
SCALES = {"cast": 100, "tanh": 2, "clip": 2, "lrn": 4}


# Oracles ---------------------------------------------------------------------

def wide(x):
    """Small floats as float64, everything else as it is."""
    return x.astype(np.float64) if is_float(x.dtype) else x


def ort(op, inputs, attrs, opset=21, num_outputs=1):
    """One ONNX node, run by ONNX Runtime, small floats in f32."""
    feeds = {f"x{i}": x.astype(np.result_type(x.dtype, np.float32))
             if is_float(x.dtype) else x for i, x in enumerate(inputs)}
    infos = [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in feeds.items()]
    output_type = infos[0].type.tensor_type.elem_type
    outputs = [helper.make_tensor_value_info(f"y{i}", output_type, None)
               for i in range(num_outputs)]
    node = helper.make_node(op, list(feeds), [o.name for o in outputs],
                            **attrs)
    model = helper.make_model(
        helper.make_graph([node], op, infos, outputs),
        opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def windows(a, rank, kernel=None):
    """The attributes of a window as ONNX names them."""
    named = {"strides": a.get("strides", [1] * rank),
             "dilations": a.get("dilations", [1] * rank),
             "pads": a.get("pads", [0] * (2 * rank))}
    if kernel:
        named["kernel_shape"] = kernel
    return named


def limit(like, value):
    """`value` as a number that compares with the elements of `like`."""
    if is_float(like.dtype):
        return value
    info = np.iinfo(like.dtype)
    return like.dtype.type(min(max(value, info.min), info.max))


def truncated_div(a, b):
    if is_float(a.dtype):
        return wide(a) / wide(b)
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    return abs(wide_a) // abs(wide_b) * np.sign(wide_a) * np.sign(wide_b)


def power(a, b):
    if is_float(a.dtype):
        return np.power(wide(a), wide(b))
    return np.power(a.astype(np.int64), b.astype(np.int64))


def remainder(function):
    """Of integers by 0 it is 0."""
    def run(i, a):
        if is_float(i[0].dtype):
            return function(wide(i[0]), wide(i[1]))
        left, right = np.broadcast_arrays(*(x.astype(np.int64) for x in i))
        return np.where(right == 0, 0,
                        function(left, np.where(right == 0, 1, right)))
    return run


def shift(function):
    """Python's integers have no end; by less than 0 places means by all."""
    def run(i, a):
        return np.vectorize(
            lambda x, y: wrapped(function(int(x), int(y) if y >= 0 else 64),
                                 i[0].dtype),
            otypes=[i[0].dtype])(*i)
    return run


def wrapped(number, dtype):
    """The low bits of `number` as an integer of `dtype`."""
    bits = 8 * np.dtype(dtype).itemsize
    number %= 1 << bits
    is_negative = np.dtype(dtype).kind == "i" and number >> (bits - 1)
    return number - (1 << bits) if is_negative else number


def cast(x, to):
    if is_float(x.dtype) and not is_float(to) and to != np.bool_:
        info = np.iinfo(to)
        x = np.trunc(np.nan_to_num(wide(x), posinf=1e300, neginf=-1e300))
        # The float below the largest integer, where that is no float itself.
        return np.where(x >= float(info.max), info.max,
                        np.where(x <= float(info.min), info.min,
                                 np.clip(x, -2.0**62, 2.0**62))
                        .astype(np.int64)).astype(to)
    return x.astype(to)


def reduction(function):
    def run(x, a):
        axes = tuple(a.get("axes", [])) or None
        if x.dtype == np.bool_:
            x = x.astype(np.int64)
        return function(wide(x), axis=axes, keepdims=a.get("keepdims", True))
    return run


def log_sum_exp(x, axis, keepdims):
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def conv(inputs, a):
    rank = inputs[0].ndim - 2
    return ort("Conv", inputs, {**windows(a, rank, inputs[1].shape[2:]),
                                "group": a.get("groups", 1)})


def conv_transpose(inputs, a):
    rank = inputs[0].ndim - 2
    attrs = {**windows(a, rank, inputs[1].shape[2:]),
             "group": a.get("groups", 1)}
    if a.get("output_padding"):
        attrs["output_padding"] = a["output_padding"]
    return ort("ConvTranspose", inputs, attrs)


def pool(op, inputs, a, **more):
    kernel = a["kernel_shape"]
    attrs = {**windows(a, len(kernel), kernel),
             "ceil_mode": int(a.get("ceil_mode", False)), **more}
    return ort(op, inputs, attrs)


def sum_pool(inputs, a):
    mean = pool("AveragePool", inputs, a, count_include_pad=1)
    return mean * math.prod(a["kernel_shape"])


def layer_norm(inputs, a):
    return ort("LayerNormalization", inputs,
               {"axis": a.get("axis", -1), "epsilon": a.get("epsilon", 1e-5)})


def lrn(x, a):
    """By the formula in ONNX's description, which allows even sizes too."""
    before, after = (a["size"] - 1) // 2, a["size"] // 2
    squares = np.stack([
        (x[:, max(c - before, 0):c + after + 1] ** 2).sum(1)
        for c in range(x.shape[1])], 1)
    scale = a.get("bias", 1) + a.get("alpha", 1e-4) / a["size"] * squares
    return x / scale ** a.get("beta", 0.75)


def pad(x, a):
    rank = x.ndim
    begins, ends = a["pads"][:rank], a["pads"][rank:]
    x = x[tuple(slice(max(-b, 0), n - max(-e, 0))
                for b, e, n in zip(begins, ends, x.shape))]
    return np.pad(x, [(max(b, 0), max(e, 0)) for b, e in zip(begins, ends)],
                  constant_values=a.get("value", 0))


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


def unary(function):
    return lambda i, a: function(wide(i[0]))


def binary(function):
    return lambda i, a: function(wide(i[0]), wide(i[1]))


def softmax_axis(a):
    return {"axis": a.get("axis", -1)}


def linear(i, a):
    y = wide(i[0]) @ wide(i[1]).T
    return y + wide(i[2]) if len(i) == 3 else y


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


def scatter_nd(x, places, updates):
    """Update by update, in order; none for an index outside."""
    result, count = x.copy(), places.shape[-1]
    for at in np.ndindex(*places.shape[:-1]):
        place = places[at].tolist()
        if all(-n <= i < n for i, n in zip(place, x.shape)):
            result[tuple(place)] = updates[at]
    return result


def scatter_elements(x, places, updates, a):
    result, axis = x.copy(), a.get("axis", 0)
    for at in np.ndindex(*places.shape):
        place = list(at)
        place[axis] = places[at]
        if -x.shape[axis] <= places[at] < x.shape[axis]:
            result[tuple(place)] = updates[at]
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
    x = x.astype(np.int64)
    marks = np.where(x < 0, x + depth, x)[..., None] == np.arange(depth)
    return np.moveaxis(marks, -1, a.get("axis", -1))


def resample(i, a):
    axis = a.get("axis", 0)
    picked = np.take(np.moveaxis(wide(i[0]), axis, -1), i[1], -1)
    return np.moveaxis((picked * wide(i[2])).sum(-1), -1, axis)


erf = np.vectorize(math.erf, otypes=[np.float64])


# For each op: who computes it, and how, from inputs and attributes.
ORACLES = {
    "abs": (NUMPY, unary(np.abs)),
    "acos": (NUMPY, unary(np.arccos)),
    "acosh": (NUMPY, unary(np.arccosh)),
    "add": (NUMPY, binary(np.add)),
    "arg_max": (NUMPY, arg_extreme(np.argmax)),
    "arg_min": (NUMPY, arg_extreme(np.argmin)),
    "asin": (NUMPY, unary(np.arcsin)),
    "asinh": (NUMPY, unary(np.arcsinh)),
    "atan": (NUMPY, unary(np.arctan)),
    "atanh": (NUMPY, unary(np.arctanh)),
    "bitwise_and": (NUMPY, binary(np.bitwise_and)),
    "bitwise_not": (NUMPY, unary(np.invert)),
    "bitwise_or": (NUMPY, binary(np.bitwise_or)),
    "bitwise_xor": (NUMPY, binary(np.bitwise_xor)),
    "cast": (NUMPY, lambda i, a: cast(i[0], a["to"])),
    "ceil": (NUMPY, unary(np.ceil)),
    "clip": (NUMPY, lambda i, a: np.minimum(np.maximum(
        wide(i[0]), limit(i[0], a.get("min", -np.inf))),
        limit(i[0], a.get("max", np.inf)))),
    "concat": (NUMPY, lambda i, a: np.concatenate(i, a["axis"])),
    "cos": (NUMPY, unary(np.cos)),
    "cosh": (NUMPY, unary(np.cosh)),
    "cum_sum": (NUMPY, lambda i, a: cum_sum(i[0], a)),
    "div": (NUMPY, lambda i, a: truncated_div(*i)),
    "elu": (NUMPY, lambda i, a: np.where(
        wide(i[0]) > 0, wide(i[0]), a.get("alpha", 1) * np.expm1(wide(i[0])))),
    "equal": (NUMPY, binary(np.equal)),
    "erf": (ERF, unary(erf)),
    "exp": (NUMPY, unary(np.exp)),
    "expand": (NUMPY, lambda i, a: np.broadcast_to(
        i[0], np.broadcast_shapes(i[0].shape, a["shape"]))),
    "floor": (NUMPY, unary(np.floor)),
    "fmod": (NUMPY, remainder(np.fmod)),
    "gather": (NUMPY, lambda i, a: np.take(*i, a.get("axis", 0))),
    "gather_nd": (NUMPY, lambda i, a: gather_nd(*i, a)),
    "gelu": (ERF, lambda i, a: wide(i[0]) * (
        1 + erf(wide(i[0]) / math.sqrt(2))) / 2),
    "greater": (NUMPY, binary(np.greater)),
    "greater_equal": (NUMPY, binary(np.greater_equal)),
    "hard_sigmoid": (NUMPY, lambda i, a: np.clip(
        a.get("alpha", 0.2) * wide(i[0]) + a.get("beta", 0.5), 0, 1)),
    "hard_swish": (NUMPY, lambda i, a: wide(i[0]) * np.clip(
        wide(i[0]) / 6 + 0.5, 0, 1)),
    "inverse_index": (NUMPY, lambda i, a: inverse_index(i[0], a)),
    "is_inf": (NUMPY, unary(np.isinf)),
    "is_nan": (NUMPY, unary(np.isnan)),
    "leaky_relu": (NUMPY, lambda i, a: np.where(
        wide(i[0]) < 0, a.get("alpha", 0.01) * wide(i[0]), wide(i[0]))),
    "less": (NUMPY, binary(np.less)),
    "less_equal": (NUMPY, binary(np.less_equal)),
    "linear": (NUMPY, linear),
    "log": (NUMPY, unary(np.log)),
    "logical_not": (NUMPY, unary(np.logical_not)),
    "matmul": (NUMPY, binary(np.matmul)),
    "max": (NUMPY, binary(np.maximum)),
    "min": (NUMPY, binary(np.minimum)),
    "mish": (NUMPY, lambda i, a: wide(i[0]) * np.tanh(
        np.logaddexp(0, wide(i[0])))),
    "mod": (NUMPY, remainder(np.mod)),
    "mul": (NUMPY, binary(np.multiply)),
    "neg": (NUMPY, unary(np.negative)),
    "not_equal": (NUMPY, binary(np.not_equal)),
    "one_hot": (NUMPY, lambda i, a: one_hot(i[0], a)),
    "pad": (NUMPY, lambda i, a: pad(i[0], a)),
    "pow": (NUMPY, lambda i, a: power(*i)),
    "prelu": (NUMPY, lambda i, a: np.where(
        i[0] < 0, wide(i[1]) * wide(i[0]), wide(i[0]))),
    "reduce_log_sum_exp": (NUMPY, lambda i, a: reduction(log_sum_exp)(i[0], a)),
    "reduce_max": (NUMPY, lambda i, a: reduction(np.max)(i[0], a)),
    "reduce_mean": (NUMPY, lambda i, a: reduction(np.mean)(i[0], a)),
    "reduce_min": (NUMPY, lambda i, a: reduction(np.min)(i[0], a)),
    "reduce_prod": (NUMPY, lambda i, a: reduction(np.prod)(i[0], a)),
    "reduce_sum": (NUMPY, lambda i, a: reduction(np.sum)(i[0], a)),
    "relayout": (NUMPY, lambda i, a: i[0]),
    "relu": (NUMPY, lambda i, a: np.maximum(wide(i[0]), 0)),
    "resample": (NUMPY, resample),
    "reshape": (NUMPY, lambda i, a: reshape(i[0], a)),
    "round": (NUMPY, unary(np.rint)),
    "rsqrt": (NUMPY, lambda i, a: 1 / np.sqrt(wide(i[0]))),
    "scatter_elements": (NUMPY, lambda i, a: scatter_elements(*i, a)),
    "scatter_nd": (NUMPY, lambda i, a: scatter_nd(*i)),
    "shift_left": ("Python's integers", shift(lambda x, y: x << y)),
    "shift_right": ("Python's integers", shift(lambda x, y: x >> y)),
    "sigmoid": (NUMPY, lambda i, a: 1 / (1 + np.exp(-wide(i[0])))),
    "sign": (NUMPY, unary(np.sign)),
    "sin": (NUMPY, unary(np.sin)),
    "sinh": (NUMPY, unary(np.sinh)),
    "slice": (NUMPY, lambda i, a: slice_(i[0], a)),
    "softplus": (NUMPY, lambda i, a: np.logaddexp(0, wide(i[0]))),
    "split": (NUMPY, lambda i, a: np.split(
        i[0], np.cumsum(a["sizes"])[:-1], a["axis"])),
    "sqrt": (NUMPY, unary(np.sqrt)),
    "sub": (NUMPY, binary(np.subtract)),
    "take": (NUMPY, lambda i, a: np.take(*i, a.get("axis", 0))),
    "take_along_axis": (NUMPY, lambda i, a: np.take_along_axis(
        *i, a.get("axis", 0))),
    "tan": (NUMPY, unary(np.tan)),
    "tanh": (NUMPY, unary(np.tanh)),
    "transpose": (NUMPY, lambda i, a: i[0].transpose(a["perm"])),
    "tril": (NUMPY, lambda i, a: np.tril(i[0], a.get("k", 0))),
    "triu": (NUMPY, lambda i, a: np.triu(i[0], a.get("k", 0))),
    "where": (NUMPY, lambda i, a: np.where(*i)),
    # ONNX's node of the name in the first column.
    "average_pool": ("AveragePool", lambda i, a: pool(
        "AveragePool", i, a,
        count_include_pad=int(a.get("count_include_pad", False)))),
    "batch_norm": ("BatchNormalization", lambda i, a: ort(
        "BatchNormalization", i, {"epsilon": a.get("epsilon", 1e-5)}, 15)),
    "conv": ("Conv", conv),
    "conv_transpose": ("ConvTranspose", conv_transpose),
    "global_average_pool": ("GlobalAveragePool",
                            lambda i, a: ort("GlobalAveragePool", i, {})),
    "global_max_pool": (NUMPY, lambda i, a: i[0].max(
        tuple(range(2, i[0].ndim)), keepdims=True)),
    "group_norm": ("GroupNormalization", lambda i, a: ort(
        "GroupNormalization", i, {"num_groups": a["groups"],
                                  "epsilon": a.get("epsilon", 1e-5)})),
    "layer_norm": ("LayerNormalization", layer_norm),
    "log_softmax": ("LogSoftmax",
                    lambda i, a: ort("LogSoftmax", i, softmax_axis(a))),
    "lrn": (NUMPY, lambda i, a: lrn(wide(i[0]), a)),
    "max_pool": ("MaxPool", lambda i, a: pool("MaxPool", i, a)),
    "silu": (NUMPY, lambda i, a: wide(i[0]) / (1 + np.exp(-wide(i[0])))),
    "softmax": ("Softmax", lambda i, a: ort("Softmax", i, softmax_axis(a))),
    "sum_pool": ("AveragePool", sum_pool),
}


# Flops -----------------------------------------------------------------------

def standardize(n, means):
    """Two means, the differences, their squares, and the scaling."""
    return 5 * n + 4 * means


def layer_norm_flops(i, o, a):
    axis = a.get("axis", -1) % i[0].ndim
    means = math.prod(i[0].shape[:axis])
    return standardize(i[0].size, means) + (len(i) - 1) * i[0].size


def combined(x):
    """Each element is combined with others, but for a scalar's."""
    return x.size if x.ndim else 0


def place_flops(places, ops_per_index, ops_between):
    """One place is made of its indices, each put inside of its dim."""
    count = places.shape[-1]
    return places.size // count * (
        ops_per_index * count + ops_between * (count - 1))


def gather_nd_flops(i, o, a):
    batch = a.get("batch_dims", 0)
    count = i[1].size // i[1].shape[-1]
    starts = math.prod(i[0].shape[:batch]) + count
    return place_flops(i[1], 5, 2) + (starts if batch and count else 0)


def scatter_elements_flops(i, o, a):
    """The inverse index, made safe to read at, and the choice."""
    size = i[0].shape[a.get("axis", 0)]
    lines = i[1].size // max(i[1].shape[a.get("axis", 0)], 1)
    return (7 * i[1].size + lines * size + 2 * o.size) if lines else 0


def scatter_nd_flops(i, o, a):
    count = i[1].size // i[1].shape[-1]
    size = math.prod(i[0].shape[:i[1].shape[-1]])
    return (place_flops(i[1], 6, 3) + count + 7 * count + 2 * size
            + o.size) if count else 0


# Per element of the result, and what does not fit that.
FLOPS_PER_ELEMENT = {
    "abs": 1, "acos": 1, "acosh": 1, "add": 1, "asin": 1, "asinh": 1, "atan": 1,
    "atanh": 1, "bitwise_and": 1, "bitwise_not": 2, "bitwise_or": 1,
    "bitwise_xor": 1, "ceil": 1, "clip": 2, "cos": 1, "cosh": 1, "div": 1,
    "elu": 5, "equal": 1, "erf": 1, "exp": 1, "floor": 1, "fmod": 1, "gelu": 5,
    "greater": 1, "greater_equal": 1, "hard_sigmoid": 4, "hard_swish": 5,
    "is_inf": 2, "is_nan": 1, "leaky_relu": 3, "less": 1, "less_equal": 1,
    "log": 1, "logical_not": 1, "max": 1, "min": 1, "mish": 9, "mod": 1,
    "mul": 1, "neg": 1, "not_equal": 1, "pow": 1, "prelu": 3, "relu": 1,
    "round": 1, "rsqrt": 1, "shift_left": 1, "shift_right": 1, "sigmoid": 4,
    "sign": 5, "silu": 5, "sin": 1, "sinh": 1, "softmax": 5, "softplus": 7,
    "sqrt": 1, "sub": 1, "tan": 1, "tanh": 1, "tril": 3, "triu": 3, "where": 1,
}
FLOPS = {
    "arg_max": lambda i, o, a: (6 if is_float(i[0].dtype) else 4) * i[0].size,
    "arg_min": lambda i, o, a: (6 if is_float(i[0].dtype) else 4) * i[0].size,
    "average_pool": lambda i, o, a: o.size * (math.prod(a["kernel_shape"]) + 1),
    "batch_norm": lambda i, o, a: 3 * o.size + 3 * i[1].size,
    "cum_sum": lambda i, o, a: o.size,
    "conv": lambda i, o, a: 2 * o.size * math.prod(i[1].shape[1:]),
    "conv_transpose": lambda i, o, a: 2 * i[0].size * math.prod(
        i[1].shape[1:]),
    "gather_nd": gather_nd_flops,
    "global_average_pool": lambda i, o, a: i[0].size + o.size,
    "global_max_pool": lambda i, o, a: i[0].size,
    "group_norm": lambda i, o, a: standardize(
        o.size, o.shape[0] * a["groups"]) + 2 * o.size,
    "inverse_index": lambda i, o, a: 7 * i[0].size,
    "layer_norm": layer_norm_flops,
    "linear": lambda i, o, a: 2 * o.size * i[1].shape[1],
    "log_softmax": lambda i, o, a: 5 * o.size + (
        o.size // o.shape[a.get("axis", -1)]),
    "lrn": lambda i, o, a: o.size * (5 + a["size"]),
    "matmul": lambda i, o, a: 2 * o.size * i[0].shape[-1],
    "max_pool": lambda i, o, a: o.size * math.prod(a["kernel_shape"]),
    "one_hot": lambda i, o, a: 3 * i[0].size + o.size,
    "reduce_log_sum_exp": lambda i, o, a: 2 * (
        i[0].size + combined(i[0])) + 4 * o.size,
    "reduce_max": lambda i, o, a: i[0].size,
    "reduce_mean": lambda i, o, a: combined(i[0]) + o.size,
    "reduce_min": lambda i, o, a: i[0].size,
    "reduce_prod": lambda i, o, a: i[0].size,
    "reduce_sum": lambda i, o, a: i[0].size,
    "resample": lambda i, o, a: 2 * o.size * i[1].shape[1],
    "scatter_elements": scatter_elements_flops,
    "scatter_nd": scatter_nd_flops,
    "sum_pool": lambda i, o, a: o.size * math.prod(a["kernel_shape"]),
}


def count_flops(case, inputs, output):
    if case.op in FLOPS:
        return FLOPS[case.op](inputs, output, case.attrs)
    return FLOPS_PER_ELEMENT.get(case.op, 0) * output.size


PREDICATES = ("equal", "greater", "greater_equal", "is_inf", "is_nan", "less",
              "less_equal", "not_equal", "one_hot")
POSITIONS = ("arg_max", "arg_min", "inverse_index")


# Writing ---------------------------------------------------------------------

def result_dtype(case, inputs):
    if case.op in PREDICATES:
        return np.bool_
    if case.op in POSITIONS:
        return np.int64
    if case.op == "cast":
        return case.attrs["to"]
    if (case.op, 1) in INDEXED:
        return inputs[0].dtype
    return inputs[-1].dtype


def write_safetensors(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": SAFE_NAMES[array.dtype],
                        "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def run_case(case, tensors, metadata):
    inputs = [case.draw(i) for i in range(len(case.types))]
    source, function = ORACLES[case.op]
    with np.errstate(all="ignore"):
        results = function(inputs, case.attrs)
    if not isinstance(results, list):
        results = [results]
    results = [np.asarray(result).astype(result_dtype(case, inputs))
               for result in results]
    for i, array in enumerate(inputs):
        tensors[f"{case.name}.in{i}"] = array
    for i, array in enumerate(results):
        tensors[f"{case.name}.out{i}"] = array
    metadata[f"{case.name}.flops"] = str(count_flops(case, inputs, results[0]))
    if source[0].isupper() and " " not in source:
        source = f"ONNX Runtime {onnxruntime.__version__}, {source}"
    metadata["source"] = source


def main(paths):
    root = pathlib.Path(__file__).resolve().parent
    for path in map(pathlib.Path, paths or sorted(root.glob("*.mlir"))):
        text = path.read_text().partition("//--- errors.mlir")[0]
        tensors, metadata = {}, {}
        for found in FUNCTION.finditer(text):
            run_case(Case(found), tensors, metadata)
        target = path.parent / "Inputs" / (path.stem + ".safetensors")
        target.parent.mkdir(exist_ok=True)
        write_safetensors(target, tensors, metadata)


if __name__ == "__main__":
    main(sys.argv[1:])
