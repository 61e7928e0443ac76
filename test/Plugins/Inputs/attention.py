#!/usr/bin/env python3
"""Writes graphs of attention, their inputs, and their outputs as numpy computes
them in f64.

usage: attention.py FOLDER

FOLDER/attention.mlir has an entry for each case, and
FOLDER/attention.safetensors what weir-artifact-check reads.
"""
import pathlib
import sys
from typing import NamedTuple

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
import safetensors_file

LOWEST = -3.40282347e+38


class Case(NamedTuple):
    """Sizes, and how the parts are written. `mask` has the dims of what is
    added to the scores, `causal` says which later keys are masked, and
    `hidden` has the dims of an input that chooses scores to mask."""
    name: str
    batch: int
    heads: int
    key_heads: int
    queries: int
    keys: int
    row: int
    mask: tuple = ()
    causal: str = ""
    kind: str = "f16"
    is_transposed: bool = True
    hidden: tuple = ()


CASES = [
    Case("plain", 2, 3, 3, 16, 16, 64, is_transposed=False),
    Case("bert", 2, 4, 4, 128, 128, 64, (2, 1, 1, 128)),
    Case("bert_bf16", 1, 4, 4, 128, 128, 64, (1, 1, 1, 128), kind="bf16"),
    Case("mini_lm", 1, 4, 4, 256, 256, 32, (1, 1, 1, 256)),
    Case("gpt2", 1, 4, 4, 256, 256, 64, causal="top_left"),
    Case("gpt2_bf16", 1, 4, 4, 128, 128, 64, causal="top_left", kind="bf16"),
    Case("gpt2_masked", 2, 4, 4, 32, 32, 64, (2, 1, 1, 32), "top_left"),
    Case("hidden", 2, 3, 3, 37, 77, 64, hidden=(2, 1, 1, 77)),
    Case("positions", 2, 3, 3, 37, 77, 72, (3, 37, 77)),
    Case("odd_keys", 2, 3, 3, 37, 77, 8, (77,)),
    Case("one_head_of_keys", 2, 4, 1, 37, 77, 128, is_transposed=False),
    Case("last_queries", 2, 3, 3, 37, 77, 64, causal="bottom_right"),
    Case("more_keys", 2, 3, 3, 37, 77, 128, causal="top_left"),
    Case("fewer_keys", 2, 3, 3, 77, 37, 40, causal="top_left"),
    Case("one_query", 2, 8, 8, 1, 77, 64, (2, 1, 1, 77)),
    Case("many_heads", 80, 16, 16, 2, 4, 64),
]


def tensor(dims, kind):
    return f"tensor<{'x'.join(map(str, dims))}x{kind}>"


class Graph:
    """The text of one function."""

    def __init__(self):
        self.lines, self.numbers = [], 0

    def op(self, text, kinds):
        self.numbers += 1
        name = f"%v{self.numbers}"
        self.lines.append(f"  {name} = weir.{text} : {', '.join(kinds)}")
        return name

    def number(self, value, kind):
        return self.op(f"constant dense<{value:.9e}>", [f"tensor<{kind}>"])

    def transpose(self, value, dims, order, kind):
        return self.op(f"transpose {value} {{perm = {order}}}",
                       [tensor(dims, kind)])


def seen_keys(case):
    """Which keys each query sees."""
    shift = case.keys - case.queries if case.causal == "bottom_right" else 0
    return numpy.tri(case.queries, case.keys, shift, dtype=bool)


def write_scores(graph, case, scores):
    dims = (case.batch, case.heads, case.queries, case.keys)
    wide = tensor(dims, "f32")
    value = graph.op(f"cast {scores} {{to = f32}}", [tensor(dims, case.kind)])
    scale = graph.number(case.row ** -0.5, "f32")
    value = graph.op(f"mul {value}, {scale}", [wide, "tensor<f32>"])
    if case.mask:
        value = graph.op(f"add {value}, %mask",
                         [wide, tensor(case.mask, "f32")])
    if case.hidden:
        lowest = graph.number(LOWEST, "f32")
        repeated = graph.op(f"expand %hidden {{shape = {list(dims)}}}",
                            [tensor(case.hidden, "i1")])
        value = graph.op(f"where {repeated}, {lowest}, {value}",
                         [tensor(dims, "i1"), "tensor<f32>", wide])
    if case.causal:
        rows = str(seen_keys(case).tolist()).lower()
        kind = tensor((case.queries, case.keys), "i1")
        seen = graph.op(f"constant dense<{rows}>", [kind])
        lowest = graph.number(LOWEST, "f32")
        value = graph.op(f"where {seen}, {value}, {lowest}",
                         [kind, wide, "tensor<f32>"])
    value = graph.op(f"softmax {value}", [wide])
    return graph.op(f"cast {value} {{to = {case.kind}}}", [wide])


def stored_dims(case, heads, rows):
    return ((case.batch, rows, heads, case.row) if case.is_transposed else
            (case.batch, heads, rows, case.row))


def write_entry(case):
    graph = Graph()
    queries = (case.batch, case.heads, case.queries, case.row)
    keys = (case.batch, case.key_heads, case.keys, case.row)
    flipped = (*keys[:2], case.row, case.keys)
    scores = (*queries[:3], case.keys)
    kind, outer = case.kind, "f32" if case.kind == "bf16" else case.kind
    names = {"q": (case.heads, case.queries), "k": (case.key_heads, case.keys),
             "v": (case.key_heads, case.keys)}
    types = {name: stored_dims(case, *sizes) for name, sizes in names.items()}
    arguments = [f"%{name}: {tensor(dims, outer)}"
                 for name, dims in types.items()]
    if case.mask:
        arguments.append(f"%mask: {tensor(case.mask, 'f32')}")
    if case.hidden:
        arguments.append(f"%hidden: {tensor(case.hidden, 'i1')}")
    values = {name: f"%{name}" for name in types}
    if outer != kind:
        values = {name: graph.op(f"cast {value} {{to = {kind}}}",
                                 [tensor(types[name], outer)])
                  for name, value in values.items()}
    key_order = [0, 2, 3, 1] if case.is_transposed else [0, 1, 3, 2]
    values["k"] = graph.transpose(values["k"], types["k"], key_order, kind)
    if case.is_transposed:
        for name in "qv":
            values[name] = graph.transpose(values[name], types[name],
                                           [0, 2, 1, 3], kind)
    product = graph.op(f"matmul {values['q']}, {values['k']}",
                       [tensor(queries, kind), tensor(flipped, kind)])
    weights = write_scores(graph, case, product)
    result = graph.op(f"matmul {weights}, {values['v']}",
                      [tensor(scores, kind), tensor(keys, kind)])
    dims = queries
    if case.is_transposed:
        result = graph.transpose(result, queries, [0, 2, 1, 3], kind)
        dims = types["q"]
    if outer != kind:
        result = graph.op(f"cast {result} {{to = {outer}}}",
                          [tensor(dims, kind)])
    graph.lines[-1] = graph.lines[-1].replace(result, "%y", 1)
    return "\n".join([
        f"func.func @{case.name}({', '.join(arguments)}) -> "
        f"{tensor(dims, outer)} {{", *graph.lines,
        f"  return %y : {tensor(dims, outer)}", "}", ""])


def compute(case, inputs):
    """The result in f64. Inputs are exact in all types."""
    query, key, value = (
        array.astype(numpy.float64).transpose(0, 2, 1, 3)
        if case.is_transposed else array.astype(numpy.float64)
        for array in inputs[:3])
    scores = query @ key.swapaxes(2, 3) * case.row ** -0.5
    if case.mask:
        scores = scores + inputs[3]
    if case.hidden:
        scores = numpy.where(inputs[3], -numpy.inf, scores)
    if case.causal:
        scores = numpy.where(seen_keys(case), scores, -numpy.inf)
    weights = numpy.exp(scores - scores.max(axis=3, keepdims=True))
    result = weights / weights.sum(axis=3, keepdims=True) @ value
    return result.transpose(0, 2, 1, 3) if case.is_transposed else result


def make_inputs(case, random):
    kind = numpy.float32 if case.kind == "bf16" else numpy.float16

    def draw(dims):
        # Eighths up to 2 have few bits.
        return (random.integers(-16, 17, dims) / 8).astype(kind)

    sizes = [(case.heads, case.queries), *[(case.key_heads, case.keys)] * 2]
    inputs = [draw(stored_dims(case, *each)) for each in sizes]
    if case.mask:
        mask = random.normal(size=case.mask).astype(numpy.float32)
        # Some keys do not count, as where a text has ended.
        mask[..., -3:] = -10000
        inputs.append(mask)
    if case.hidden:
        inputs.append(random.random(case.hidden) < 0.5)
    return inputs


def main():
    folder = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(1)
    tensors = {}
    for case in CASES:
        inputs = make_inputs(case, random)
        for i, array in enumerate(inputs):
            tensors[f"{case.name}.in{i}"] = array
        tensors[f"{case.name}.out0"] = compute(case, inputs).astype(
            inputs[0].dtype)
    (folder / "attention.mlir").write_text("".join(map(write_entry, CASES)))
    # The tolerance is that of bf16, which has 8 bits.
    safetensors_file.save(folder / "attention.safetensors", tensors,
                          {"tolerance.": "0.01"})


if __name__ == "__main__":
    main()
