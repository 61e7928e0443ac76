"""Closed forms of each op's flops."""
import math

import numpy as np

from .cases import is_float
from .leaves import leaf_flops


def standardize(n, means):
    """Two means, the differences, their squares, and the scaling."""
    return 5 * n + 4 * means


def layer_norm_flops(i, o, a):
    axis = a.get("axis", -1) % i[0].ndim
    means = math.prod(i[0].shape[:axis])
    return standardize(i[0].size, means) + (len(i) - 1) * i[0].size


def draw_flops(o):
    """Ten rounds of two products and four exclusive ors, a shift, and the index
    from those along the dims."""
    return 61 + 2 * max(o.ndim - 1, 0)


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


def combining_flops(reduction):
    """The test, the choice and the combination; an extreme is also compared
    with the input."""
    return 4 if reduction in ("maximum", "minimum") else 3


def combine_elements_flops(updates, axis, each):
    """One place is made of all indices; each update then goes to its place."""
    count, flops = math.prod(updates), 0
    for d, n in enumerate(updates):
        flops += count if d == axis else n
        flops += count if d <= axis else math.prod(updates[d:])
    return flops + (7 + each) * count


def scatter_elements_flops(i, o, a):
    """The inverse index, made safe to read at, and the choice."""
    if a.get("reduction", "none") != "none" and i[1].size:
        axis = a.get("axis", 0) % o.ndim
        return combine_elements_flops(i[1].shape, axis,
                                      combining_flops(a["reduction"]))
    size = i[0].shape[a.get("axis", 0)]
    lines = i[1].size // max(i[1].shape[a.get("axis", 0)], 1)
    return (7 * i[1].size + lines * size + 2 * o.size) if lines else 0


def scatter_nd_flops(i, o, a):
    count = i[1].size // i[1].shape[-1]
    size = math.prod(i[0].shape[:i[1].shape[-1]])
    if a.get("reduction", "none") != "none" and count:
        return (place_flops(i[1], 6, 3) + count
                + combining_flops(a["reduction"]) * i[2].size)
    return (place_flops(i[1], 6, 3) + count + 7 * count + 2 * size
            + o.size) if count else 0


def update_flops(base, extra):
    """The flops of an update and of its decay, for each element. `base` counts
    what it always does, and `extra` what attributes ask for."""
    def count(i, o, a):
        each = base + sum(extra[name] for name, value in a.items()
                          if value and name in extra)
        if a.get("weight_decay"):
            each += 3 if a.get("decoupled_decay") else 2
        return each * o.size
    return count


def adam_flops(decay):
    """Besides the elements, the rate is corrected."""
    def count(i, o, a):
        return update_flops(13 + decay, {})(
            i, o, {} if decay else a) + 1
    return count


def sgd_flops(i, o, a):
    inside = bool(a.get("rate_inside"))
    extra = {"momentum": 2, "nesterov": 2 + inside}
    return update_flops(2, extra)(i, o, a)


def max_pool_gradient_flops(i, a):
    """For each tap of each window its number, a comparison, a choice, and a sum
    if windows overlap. In windows of one dim the tap is found by its number."""
    kernel = a["kernel_shape"]
    ones = [1] * len(kernel)
    overlap = any(not (k == 1 or (d == 1 and s == k)) for k, s, d in zip(
        kernel, a.get("strides", ones), a.get("dilations", ones)))
    cells = math.prod(kernel) if len(kernel) > 1 else 1
    return i[0].size * cells * (2 * len(kernel) + overlap)


def max_pool_training_flops(i, o, a):
    """The maxima and their positions; of each the distance to the first tap
    along each dim, and whether there is one."""
    rank = len(a["kernel_shape"])
    return (o.size * (math.prod(a["kernel_shape"]) + 10 * rank + 2) +
            max_pool_taps_flops(i, np.where(o == -np.inf, -1, 0), a))


def max_pool_taps_flops(i, o, a):
    """The maxima, their first places, and the positions' numbers."""
    sizes = i[0].shape[2:]
    numbers = sum(n + math.prod(sizes[d:]) for d, n in enumerate(sizes))
    # A window that has only padding is found by its number.
    choice = 2 * o.size if (o == -1).any() else 0
    return 6 * o.size * math.prod(a["kernel_shape"]) + numbers + choice


def top_k_flops(i, o, a):
    """Each element against each, then the inverse index of their ranks."""
    size, along = i[0].size, i[0].shape[a.get("axis", -1)]
    is_real = is_float(i[0].dtype)
    return (size * along * (10 if is_real else 6)
            + (2 * size if is_real else 0) + 7 * size
            if o.size else 0)


# Per element of the result, and what does not fit that.
FLOPS_PER_ELEMENT = {
    "abs": 1, "acos": 1, "acosh": 1, "add": 1, "asin": 1, "asinh": 1, "atan": 1,
    "atanh": 1, "bitwise_and": 1, "bitwise_not": 2, "bitwise_or": 1,
    "bitwise_xor": 1, "ceil": 1, "clip": 2, "clip_gradient": 4, "cos": 1,
    "cosh": 1, "div": 1, "absolute_error": 2, "binary_cross_entropy": 12,
    "hinge": 3, "huber": 13, "sigmoid_cross_entropy": 10, "squared_error": 3,
    "elu": 4, "equal": 1, "erf": 1, "exp": 1, "floor": 1, "fmod": 1, "gelu": 5,
    "greater": 1, "greater_equal": 1, "hard_sigmoid": 4, "hard_swish": 5,
    "is_inf": 2, "is_nan": 1, "leaky_relu": 3, "less": 1, "less_equal": 1,
    "log": 1, "logical_not": 1, "max": 1, "min": 1, "mish": 8, "mod": 1,
    "mul": 1, "neg": 1, "not_equal": 1, "pow": 1, "prelu": 3, "relu": 1,
    "relu_gradient": 2, "round": 1, "rsqrt": 1, "shift_left": 1,
    "shift_right": 1, "sigmoid": 4, "sign": 5, "silu": 5, "sin": 1, "sinh": 1,
    "softmax": 5, "softplus": 6, "sqrt": 1, "sub": 1, "tan": 1, "tanh": 1,
    "tril": 3, "triu": 3, "where": 1,
}
FLOPS = {
    "arg_max": lambda i, o, a: (6 if is_float(i[0].dtype) else 4) * i[0].size,
    "arg_min": lambda i, o, a: (6 if is_float(i[0].dtype) else 4) * i[0].size,
    # Comparisons with the label's score and place, and three counts. A sign in
    # front of the ignored label counts, too.
    "accuracy": lambda i, o, a: 7 * i[0].size + 2 + i[1].size * (
        12 if a.get("ignored", -100) < 0 else 10),
    "adadelta_update": update_flops(16, {}),
    "adagrad_update": update_flops(7, {}),
    "adam_update": adam_flops(0),
    "adamw_update": adam_flops(3),
    "rmsprop_update": update_flops(9, {"centered": 6, "momentum": 2}),
    "sgd_update": sgd_flops,
    "average_pool": lambda i, o, a: o.size * (math.prod(a["kernel_shape"]) + 1),
    "batch_norm": lambda i, o, a: 3 * o.size + 3 * i[1].size,
    # Two means, the differences, their squares, the scaling and the shift.
    "batch_norm_training": lambda i, o, a: 6 * o.size + 5 * i[1].size,
    "batch_norm_gradient": lambda i, o, a: 8 * o.size + 8 * i[2].size,
    "cum_sum": lambda i, o, a: o.size,
    "conv": lambda i, o, a: 2 * o.size * math.prod(i[1].shape[1:]),
    "conv_transpose": lambda i, o, a: 2 * i[0].size * math.prod(
        i[1].shape[1:]),
    "conv_weight_gradient": lambda i, o, a: 2 * i[1].size * math.prod(
        o.shape[1:]),
    "first_tap": lambda i, o, a: 5 * o.size * math.prod(a["kernel_shape"]),
    "gather_nd": gather_nd_flops,
    "global_average_pool": lambda i, o, a: i[0].size + o.size,
    "global_max_pool": lambda i, o, a: i[0].size,
    "group_norm": lambda i, o, a: standardize(
        o.size, o.shape[0] * a["groups"]) + 2 * o.size,
    "inverse_index": lambda i, o, a: 7 * i[0].size,
    "layer_norm": layer_norm_flops,
    "leaf": leaf_flops,
    "linear": lambda i, o, a: 2 * o.size * i[1].shape[1],
    "log_softmax": lambda i, o, a: 5 * o.size + (
        o.size // o.shape[a.get("axis", -1)]),
    "lrn": lambda i, o, a: o.size * (5 + a["size"]),
    "matmul": lambda i, o, a: 2 * o.size * i[0].shape[-1],
    "max_pool": lambda i, o, a: o.size * math.prod(a["kernel_shape"]),
    "max_pool_taps": max_pool_taps_flops,
    "max_pool_gradient": lambda i, o, a: max_pool_gradient_flops(i, a),
    "max_pool_training": max_pool_training_flops,
    "softmax_cross_entropy": lambda i, o, a: 7 * i[0].size + 2 * o.size,
    "sparse_softmax_cross_entropy": lambda i, o, a: (
        5 * i[0].size + (7 if a.get("ignored", -100) < 0 else 6) * o.size),
    "class_index": lambda i, o, a: 2 * o.size,
    "dropout": lambda i, o, a: (3 + draw_flops(o)) * o.size,
    "random_normal": lambda i, o, a: (
        2 * (2 + draw_flops(o)) + 11 + (a.get("mean", 0) < 0)) * o.size,
    "random_uniform": lambda i, o, a: (
        2 + draw_flops(o) + (a.get("low", 0) < 0)) * o.size,
    "one_hot": lambda i, o, a: (
        3 + (i[0].dtype == np.uint64)) * i[0].size + o.size,
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
    **{name: lambda i, o, a: 4 * i[0].size if o.size else 0
       for name in ("scatter_max", "scatter_min")},
    **{name: lambda i, o, a: 3 * i[0].size if o.size else 0
       for name in ("scatter_prod", "scatter_sum")},
    "sum_pool": lambda i, o, a: o.size * math.prod(a["kernel_shape"]),
    "top_k": top_k_flops,
}


def count_flops(case, inputs, output):
    if case.op in FLOPS:
        return FLOPS[case.op](inputs, output, case.attrs)
    return FLOPS_PER_ELEMENT.get(case.op, 0) * output.size
