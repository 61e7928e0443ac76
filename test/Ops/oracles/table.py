"""For each op: who computes its results, and how."""
import math

import numpy as np

from .arithmetic import (binary, cast, limit, linear, log_sum_exp, power,
                         reduction, remainder, shift, truncated_div, unary)
from .cases import wide
from .draws import dropout, normal, uniform
from .layers import (batch_norm_gradient, batch_norm_training, conv,
                     conv_transpose, conv_weight_gradient, layer_norm, lrn, ort,
                     pool, softmax_axis, sum_pool)
from .leaves import leaf
from .losses import (binary_cross_entropy, huber, softmax_cross_entropy,
                     sparse_softmax_cross_entropy)
from .positions import (arg_extreme, cum_sum, first_tap, gather_nd,
                        inverse_index, max_pool_gradient, max_pool_taps,
                        max_pool_training, one_hot, pack, pad, positions,
                        resample, reshape, scatter_elements, scatter_nd,
                        scatter_rows, slice_, top_k)
from .updates import accuracy, adadelta, adagrad, adam, adamw, rmsprop, sgd

NUMPY = f"numpy {np.__version__}"
ERF = f"{NUMPY} and Python's math.erf"

erf = np.vectorize(math.erf, otypes=[np.float64])


# From inputs and attributes.
ORACLES = {
    "absolute_error": (NUMPY, lambda i, a: abs(wide(i[0]) - wide(i[1]))),
    "accuracy": (NUMPY, lambda i, a: accuracy(*i, a)),
    "adadelta_update": (NUMPY, adadelta),
    "adagrad_update": (NUMPY, adagrad),
    "adam_update": (NUMPY, adam),
    "adamw_update": (NUMPY, adamw),
    "rmsprop_update": (NUMPY, rmsprop),
    "sgd_update": (NUMPY, sgd),
    "binary_cross_entropy": (NUMPY, lambda i, a: binary_cross_entropy(*i)),
    "hinge": (NUMPY, lambda i, a: np.maximum(1 - wide(i[0]) * wide(i[1]), 0)),
    "huber": (NUMPY, lambda i, a: huber(*i, a.get("delta", 1))),
    "max_pool_gradient": (NUMPY, lambda i, a: max_pool_gradient(*i, a)),
    "sigmoid_cross_entropy": (NUMPY, lambda i, a: np.logaddexp(
        0, wide(i[0])) - wide(i[0]) * wide(i[1])),
    "softmax_cross_entropy": (NUMPY, lambda i, a: softmax_cross_entropy(*i)),
    "random_normal": (NUMPY, lambda i, a: normal(*i, a)),
    "random_uniform": (NUMPY, lambda i, a: uniform(*i, a)),
    "sparse_softmax_cross_entropy": (
        NUMPY, lambda i, a: sparse_softmax_cross_entropy(*i, a)),
    "squared_error": (NUMPY, lambda i, a: (wide(i[0]) - wide(i[1])) ** 2),
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
    "batch_norm_gradient": (NUMPY, lambda i, a: batch_norm_gradient(
        *map(wide, i), a.get("epsilon", 1e-5))),
    "batch_norm_training": (NUMPY, lambda i, a: batch_norm_training(
        *map(wide, i), a.get("epsilon", 1e-5))),
    "ceil": (NUMPY, unary(np.ceil)),
    "class_index": (NUMPY, lambda i, a: np.where(
        i[0] == a["ignored"], 0, i[0])),
    "clip": (NUMPY, lambda i, a: np.minimum(np.maximum(
        wide(i[0]), limit(i[0], a.get("min", -np.inf))),
        limit(i[0], a.get("max", np.inf)))),
    "clip_gradient": (NUMPY, lambda i, a: np.where(
        (wide(i[1]) > a.get("min", -np.inf))
        & (wide(i[1]) < a.get("max", np.inf)), wide(i[0]), 0)),
    "concat": (NUMPY, lambda i, a: np.concatenate(i, a["axis"])),
    "cos": (NUMPY, unary(np.cos)),
    "cosh": (NUMPY, unary(np.cosh)),
    "cum_sum": (NUMPY, lambda i, a: cum_sum(i[0], a)),
    "div": (NUMPY, lambda i, a: truncated_div(*i)),
    "dropout": (NUMPY, lambda i, a: dropout(*i, a)),
    "elu": (NUMPY, lambda i, a: np.where(
        wide(i[0]) > 0, wide(i[0]), a.get("alpha", 1) * np.expm1(wide(i[0])))),
    "equal": (NUMPY, binary(np.equal)),
    "erf": (ERF, unary(erf)),
    "exp": (NUMPY, unary(np.exp)),
    "expand": (NUMPY, lambda i, a: np.broadcast_to(
        i[0], np.broadcast_shapes(i[0].shape, a["shape"]))),
    "first_tap": (NUMPY, first_tap),
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
    "leaf": ("Python's floats", leaf),
    "less": (NUMPY, binary(np.less)),
    "less_equal": (NUMPY, binary(np.less_equal)),
    "linear": (NUMPY, linear),
    "log": (NUMPY, unary(np.log)),
    "logical_not": (NUMPY, unary(np.logical_not)),
    "matmul": (NUMPY, binary(np.matmul)),
    "max": (NUMPY, binary(np.maximum)),
    "max_pool_taps": (NUMPY, lambda i, a: max_pool_taps(i[0], a)),
    "max_pool_training": (NUMPY, lambda i, a: max_pool_training(i[0], a)),
    "min": (NUMPY, binary(np.minimum)),
    "mish": (NUMPY, lambda i, a: wide(i[0]) * np.tanh(
        np.logaddexp(0, wide(i[0])))),
    "mod": (NUMPY, remainder(np.mod)),
    "mul": (NUMPY, binary(np.multiply)),
    "neg": (NUMPY, unary(np.negative)),
    "not_equal": (NUMPY, binary(np.not_equal)),
    "one_hot": (NUMPY, lambda i, a: one_hot(i[0], a)),
    "pack": (NUMPY, lambda i, a: pack(i)),
    "pad": (NUMPY, lambda i, a: pad(i[0], a)),
    "positions": (NUMPY, lambda i, a: positions(i[0], a)),
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
    "relu_gradient": (NUMPY, lambda i, a: np.where(
        wide(i[1]) > 0, wide(i[0]), 0)),
    "resample": (NUMPY, resample),
    "reshape": (NUMPY, lambda i, a: reshape(i[0], a)),
    "round": (NUMPY, unary(np.rint)),
    "rsqrt": (NUMPY, lambda i, a: 1 / np.sqrt(wide(i[0]))),
    "scatter_elements": (NUMPY, lambda i, a: scatter_elements(*i, a)),
    "scatter_max": (NUMPY, scatter_rows("maximum")),
    "scatter_min": (NUMPY, scatter_rows("minimum")),
    "scatter_nd": (NUMPY, lambda i, a: scatter_nd(*i, a)),
    "scatter_prod": (NUMPY, scatter_rows("product")),
    "scatter_sum": (NUMPY, scatter_rows("sum")),
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
    "stop_gradient": (NUMPY, lambda i, a: i[0]),
    "sub": (NUMPY, binary(np.subtract)),
    "take": (NUMPY, lambda i, a: np.take(
        i[0], i[1].astype(np.int64), a.get("axis", 0))),
    "take_along_axis": (NUMPY, lambda i, a: np.take_along_axis(
        *i, a.get("axis", 0))),
    "tan": (NUMPY, unary(np.tan)),
    "tanh": (NUMPY, unary(np.tanh)),
    "top_k": ("Python's sort", lambda i, a: top_k(i[0], a)),
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
    "conv_weight_gradient": (NUMPY, conv_weight_gradient),
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
