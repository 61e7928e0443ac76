"""Random calls of pointwise ops for extreme_graphs.py. Python evaluates the
expressions of their records.
"""
import math
import re

import numpy as np

from extreme_draw import TooLarge, wide

FUNCTIONS = {
    "abs": np.abs, "max": np.maximum, "min": np.minimum, "select": np.where,
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor, "shift_left": np.left_shift,
    "shift_right": np.right_shift, "pow": np.power, "fmod": np.fmod,
    "mod": np.mod, "round": np.round, "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    **{name: getattr(np, name) for name in
       ("ceil", "cos", "cosh", "exp", "expm1", "floor", "log", "log1p", "sin",
        "sinh", "sqrt", "tan", "tanh")},
    **{name: getattr(np, name.replace("a", "arc", 1)) for name in
       ("acos", "acosh", "asin", "asinh", "atan", "atanh")},
}


def evaluate(expression, operands, attributes):
    """The numpy value of a record's expression."""
    text = re.sub(r"\b([a-z_]\w*)\s*\(", r"call_\1(", expression)
    names = {f"call_{name}": function for name, function in FUNCTIONS.items()}
    names |= dict(zip("abc", map(wide, operands))) | attributes
    names |= {"inf": np.inf}
    with np.errstate(all="ignore"):
        return eval(text, {"__builtins__": {}}, names)


def needs_floats(expression):
    return re.search(r"/|\bpow\(|mod\(", expression)


def pointwise(record):
    def draw(d):
        if needs_floats(record.expression) and not d.is_float:
            raise TooLarge
        shape = d.shape()
        count = len(record.operands)
        shapes = [d.some_of(shape) if d.chance(0.4) and count > 1 else shape
                  for _ in range(count)]
        # A loss repeats predictions or targets, but not both.
        is_loss = record.operands[-1].name == "target"
        if is_loss and np.broadcast_shapes(*shapes) not in map(tuple, shapes):
            raise TooLarge
        types = record.type_spec.split("->")[0].split(",")
        operands = [d.data(s, "i1" if t == "i1" else None,
                           *((1, 8) if is_second and t != "i1" else ()))
                    for is_second, (s, t) in enumerate(
                        zip(shapes, types * count))]
        attributes = {a.name: d.pick((-1.5, 0.25, 2.0))
                      for a in record.attributes if a.kind == "f64"}
        value = evaluate(record.expression, operands, attributes)
        return (operands, [f"{k} = {v}" for k, v in attributes.items()],
                [np.broadcast_to(value, np.broadcast_shapes(*shapes))])
    return draw
