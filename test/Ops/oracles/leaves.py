"""Leaves: expressions at the points of iteration spaces, one by one."""
import itertools
import re

import numpy as np

from .cases import wide
from .draws import random

COMBINERS = {"sum": (0, np.add), "product": (1, np.multiply),
             "maximum": (-np.inf, np.maximum), "minimum": (np.inf, np.minimum),
             "none": (0, lambda old, new: new)}
FUNCTIONS = {"abs": np.abs, "exp": np.exp, "random": random,
             "select": lambda c, x, y: x if c else y}


def evaluate(expression, operands, point):
    names = {**FUNCTIONS, **dict(zip("abcd", operands))}
    names["index"] = lambda position: position
    names.update({f"loop_{name}": at for name, at in point.items()})
    text = re.sub(r"index\((\w+)\)", r"index(loop_\1)", expression)
    return eval(text, {}, names)


def split_tensors(text):
    """The index texts of each tensor, and whether it is an initial value."""
    return [(mark == "+", [part.strip() for part in body.split(",")
                           if part.strip()])
            for mark, body in re.findall(r"(\+?)\[([^\]]*)\]", text)]


def find(index, point, operands, places):
    """The value of an index such as "2*x + k - 1" or "{b}"."""
    if index.startswith("{"):
        number = ord(index[1]) - ord("a")
        at = tuple(find(i, point, operands, places) for i in places[number])
        return int(operands[number][at])
    return eval(index.split(":")[0], {}, point)


def pointwise(inputs, attrs):
    shape = np.broadcast_shapes(*(x.shape for x in inputs))
    inputs = [np.broadcast_to(wide(x), shape) for x in inputs]
    result = np.empty(shape)
    for at in np.ndindex(shape):
        result[at] = evaluate(attrs["expression"], [x[at] for x in inputs], {})
    return result


def leaf(inputs, attrs):
    if ":" not in attrs["spec"]:
        return pointwise(inputs, attrs)
    head, tail = attrs["spec"].split(":", 1)
    sources, target = tail.split("->")
    loops = re.findall(r"(\w+)=(\d+)(>*)", head)
    places = [place for _, place in split_tensors(sources)]
    inits = [init for init, _ in split_tensors(sources)]
    (_, result_place), = split_tensors(target)
    ends = {name: int(size) - 1 for name, size, _ in loops}
    shape = [int(index.split(":")[1]) if ":" in index
             else eval(index, {}, ends) + 1 for index in result_place]
    start, combine = COMBINERS[attrs.get("combiner", "none")]
    result = np.full(shape, float(start))
    if any(inits):
        init = wide(inputs[inits.index(True)])
        result = result + init.reshape(init.shape + (1,) * (
            result.ndim - init.ndim))
    inputs = [wide(x) for x in inputs]
    running = [mark for _, _, mark in loops if mark]
    totals = {}
    for numbers in itertools.product(*(range(int(s)) for _, s, _ in loops)):
        point = {name: at for (name, _, _), at in zip(loops, numbers)}
        at = tuple(find(i, point, inputs, places) for i in result_place)
        where = [tuple(find(i, point, inputs, places) for i in place)
                 for place in places]
        tensors = [*zip(inputs, where), (result, at)]
        if any(not 0 <= i < size for tensor, place in tensors
               for i, size in zip(place, tensor.shape)):
            continue
        value = evaluate(attrs["expression"],
                         [x[place] for x, place in zip(inputs, where)], point)
        if running:
            key = tuple(at for (_, _, mark), at in zip(loops, numbers)
                        if not mark)
            before = totals.get(key, start)
            totals[key] = combine(before, value)
            result[at] = before if running[0] == ">>" else totals[key]
        else:
            result[at] = combine(result[at], value)
    return result


def leaf_flops(inputs, output, attrs):
    """The operations of the expression, and one that combines, per point. A
    random number is 60: ten rounds of two products and four exclusive ors."""
    text = attrs["expression"]
    for name in re.findall(r"index\(\w+\)", text):
        text = text.replace(name, "i")
    operations = len(re.findall(r"[-+*/]|<|[a-z]{2,}(?=\()", text))
    operations += 59 * text.count("random(")
    if ":" not in attrs["spec"]:
        return operations * output.size
    head, tail = attrs["spec"].split(":", 1)
    loops = re.findall(r"(\w+)=(\d+)(>*)", head)
    points = int(np.prod([int(size) for _, size, _ in loops], initial=1))
    target = tail.split("->")[1]
    combines = any(mark or not re.search(rf"\[(?:[^\]]*, )?{name}(?:,|\])",
                                         target) for name, _, mark in loops)
    return points * (operations + combines)
