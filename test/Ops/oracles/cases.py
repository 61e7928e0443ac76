"""The cases of test/Ops/<op>.mlir, and the inputs that are drawn for them."""
import json
import math
import re
import zlib

import ml_dtypes
import numpy as np

DTYPES = {
    "f32": (np.float32, "F32"), "f16": (np.float16, "F16"),
    "bf16": (ml_dtypes.bfloat16, "BF16"), "f64": (np.float64, "F64"),
    "i8": (np.int8, "I8"), "ui8": (np.uint8, "U8"), "i16": (np.int16, "I16"),
    "ui16": (np.uint16, "U16"), "i32": (np.int32, "I32"),
    "ui32": (np.uint32, "U32"), "i64": (np.int64, "I64"),
    "ui64": (np.uint64, "U64"),
    "i1": (np.bool_, "BOOL"),
}
SAFE_NAMES = {np.dtype(dtype): name for dtype, name in DTYPES.values()}


def is_float(dtype):
    return np.dtype(dtype) in (np.float32, np.float16, np.float64,
                               ml_dtypes.bfloat16)


def is_unsigned(dtype):
    return np.dtype(dtype).kind == "u"


def wide(x):
    """Small floats as float64, everything else as it is."""
    return x.astype(np.float64) if is_float(x.dtype) else x


# Reading ---------------------------------------------------------------------

FUNCTION = re.compile(
    r"^func\.func @(\w+)\((.*?)\)\s*->.*?\{\n(.*?)\n\}", re.S | re.M)
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)")
OP = re.compile(
    r"=\s*weir\.(\w+)\s[^{:]*(\{(?:\"[^\"]*\"|[^\"}])*\})?\s*:", re.S)
ATTRIBUTE = re.compile(
    r"(\w+)\s*=\s*(\[[^\]]*\]|\"[^\"]*\"|-?0x[0-9A-Fa-f]+|[-+.\w]+)"
    r"(?:\s*:\s*\w+)?")


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
        return json.loads(text)

    def draw(self, number):
        """Operand `number`: normal, or small integers; the same each time. The
        first word of the case's name may ask for more: `huge` numbers, numbers
        that are `zero` where the op's domain has none, `vast` floats around
        2^63, a `masked` half of -inf, `infinite` ones, `nan` among them, and
        indices `outside`, `huge` or `all` 0."""
        shape, dtype = self.types[number]
        seed = zlib.crc32(f"{self.op}.{self.name}.{number}".encode())
        rng = np.random.default_rng(seed)
        if is_float(dtype):
            values = rng.standard_normal(shape) * SCALES.get(self.op, 1)
        elif dtype == np.bool_:
            values = rng.integers(0, 2, shape)
        else:
            values = rng.integers(0 if is_unsigned(dtype) else -9, 10, shape)
        kind = self.name.partition("_")[0]
        if kind == "huge":
            values = self.enlarge(values, dtype, rng)
        if kind == "all" and number == 1:
            values = values * 0
        if kind == "vast":
            values = values * 2.0**62 / SCALES.get(self.op, 1)
        if (self.op, number) in INDEXED and kind not in ("outside", "huge"):
            sizes = np.array(INDEXED[self.op, number](self))
            values = values % np.maximum(sizes, 1)
            # Half of them count from the end.
            values = values - sizes * (values % 2) * (not is_unsigned(dtype))
        if (self.op, number) in LABELLED and not is_float(dtype):
            values = values % LABELLED[self.op, number](self)
        domain = DOMAINS.get((self.op, number)) or DOMAINS.get((self.op, None))
        if domain and kind != "zero":
            values = domain(values)
        values = np.asarray(values).astype(dtype)
        if kind == "outside" and is_unsigned(dtype):
            values.reshape(-1)[:1] = np.iinfo(dtype).max
        extremes = [np.inf, -np.inf, -0.0]
        if kind == "nan":
            extremes.insert(0, np.nan)
        if kind in ("nan", "infinite") and is_float(dtype):
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


# Domains ---------------------------------------------------------------------


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
    ("binary_cross_entropy", None): lambda v: (np.tanh(v) + 1.01) / 2.02,
    ("log", None): positive, ("sqrt", None): positive,
    ("rsqrt", None): positive, ("pow", 0): positive, ("div", 1): no_zero,
    ("pow", 1): lambda v: v if v.dtype.kind == "f" else abs(v) % 5,
    ("batch_norm", 4): positive, ("batch_norm_gradient", 4): positive,
    # What roots are taken of, and scalars that are never below 0.
    ("adadelta_update", 3): positive, ("adadelta_update", 4): positive,
    ("adagrad_update", 3): positive,
    ("rmsprop_update", 3): lambda v: abs(v) + 20,
    **{(f"{name}_update", number): positive for name in ("adam", "adamw")
       for number in (2, 3, 4, 6)},
    # Equal elements occur.
    ("accuracy", 0): np.round,
    ("equal", None): np.round, ("greater", None): np.round,
    ("less", None): np.round, ("greater_equal", None): np.round,
    ("less_equal", None): np.round, ("not_equal", None): np.round,
    ("first_tap", None): np.round, ("max_pool_taps", None): np.round,
    ("max_pool_training", None): np.round,
    ("top_k", None): np.round,
}
# The sizes of the dims that an operand holds indices of.
# Indices of these are never counted from the end.
LABELLED = {
    ("accuracy", 1): lambda case: case.types[0][0][-1],
    ("class_index", 0): lambda case: case.attrs["classes"],
    ("leaf", 1): lambda case: case.types[0][0][0],
    # Some are no tap of the window.
    ("max_pool_gradient", 1): lambda case: math.prod(
        case.attrs["kernel_shape"]) + 1,
    ("sparse_softmax_cross_entropy", 1): lambda case: case.types[0][0][-1],
}
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
SCALES = {"cast": 100, "tanh": 2, "clip": 2, "clip_gradient": 2, "lrn": 4}
