"""A graph as data: what generators make, oracles evaluate and reducers change.

Values are numbers. The first ones are the inputs, then come the results of the
nodes, in their order.
"""
import dataclasses
from dataclasses import dataclass, field

import numpy as np

WITHOUT_GRADIENT = ("less", "greater", "arg_max", "arg_min", "top_k")


@dataclass(frozen=True)
class Node:
    """An op. `results` are the numbers of its values; `attributes` are those of
    the text, with a numpy array as `value` of a constant."""
    op: str
    operands: tuple
    results: tuple
    attributes: dict = field(default_factory=dict)

    def reading(self, replacements):
        """The node with other operands."""
        return dataclasses.replace(self, operands=tuple(
            replacements.get(value, value) for value in self.operands))


@dataclass(frozen=True)
class Graph:
    """`inputs` has the elements of each input by its number, in f64 and exact
    in `dtype`. With `loss`, the outputs are the gradients of the sum of
    `outputs[0]`, weighted by the input `loss`, for the other inputs."""
    dtype: str
    inputs: dict
    nodes: tuple
    outputs: tuple
    loss: int | None = None

    def used(self):
        """The graph without what its outputs do not need."""
        needed = set(self.outputs) | {self.loss}
        nodes = []
        for node in reversed(self.nodes):
            if needed.intersection(node.results):
                nodes.append(node)
                needed.update(node.operands)
        return dataclasses.replace(
            self, nodes=tuple(reversed(nodes)),
            inputs={value: data for value, data in self.inputs.items()
                    if value in needed})

    def differentiable(self):
        """The inputs with a path to the first output, apart from the loss's
        weights. Comparisons and positions end a path."""
        reached = {self.outputs[0]}
        for node in reversed(self.nodes):
            if (reached.intersection(node.results)
                    and node.op not in WITHOUT_GRADIENT):
                reached.update(node.operands)
        return [value for value in self.inputs
                if value in reached and value != self.loss]

    def with_inputs(self, values, data):
        """The graph in which the values are inputs."""
        given = {value: data[value] for value in values}
        return dataclasses.replace(self, inputs={**self.inputs, **given},
                                   nodes=tuple(
            node for node in self.nodes if not given.keys() & node.results))


def tensor_type(shape, dtype):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def format_attribute(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.9f}"
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(str(int(entry)) for entry in value)}]"
    return str(value)


def format_elements(elements):
    if isinstance(elements, list):
        return f"[{', '.join(map(format_elements, elements))}]"
    return f"{elements:.17e}" if isinstance(elements, float) else str(elements)


class Text:
    """The lines of a graph in the textual IR. Names begin with `prefix`, so
    that a function can hold several graphs. `types` has the shape and the
    element type of each value."""

    def __init__(self, graph, types, prefix=""):
        self.graph, self.types, self.prefix = graph, types, prefix
        self.lines = [self.line(node) for node in graph.nodes]
        self.results = list(graph.outputs)
        if graph.loss is not None:
            self.differentiate()

    def name(self, value):
        return f"%{self.prefix}v{value}"

    def type(self, value):
        return tensor_type(*self.types[value])

    def names(self, values):
        return ", ".join(self.name(value) for value in values)

    def of_types(self, values):
        return ", ".join(self.type(value) for value in values)

    def line(self, node):
        if node.op == "constant":
            value, = node.results
            numbers = format_elements(node.attributes["value"].tolist())
            return (f"{self.name(value)} = weir.constant dense<{numbers}> : "
                    f"{self.type(value)}")
        attributes = ", ".join(f"{key} = {format_attribute(value)}"
                               for key, value in node.attributes.items())
        braces = f" {{{attributes}}}" if attributes else ""
        return (f"{self.names(node.results)} = weir.{node.op} "
                f"{self.names(node.operands)}{braces} : "
                f"{self.of_types(node.operands)}")

    def differentiate(self):
        graph = self.graph
        output, weights = self.name(graph.outputs[0]), self.name(graph.loss)
        kind, scalar = self.type(graph.loss), tensor_type((), graph.dtype)
        loss, product = f"%{self.prefix}loss", f"%{self.prefix}product"
        wanted = graph.differentiable()
        self.results = [f"d{value}" for value in wanted]
        self.types.update({f"d{value}": self.types[value] for value in wanted})
        self.lines += [
            f"{product} = weir.mul {output}, {weights} : {kind}, {kind}",
            f"{loss} = weir.reduce_sum {product} {{keepdims = false}} : {kind}",
            f"{self.names(self.results)} = weir.gradient {loss} of "
            f"{self.names(wanted)} : {scalar} of {self.of_types(wanted)}"]


def module_text(texts):
    """A module whose only function holds all graphs."""
    arguments = ", ".join(f"{text.name(value)}: {text.type(value)}"
                          for text in texts for value in text.graph.inputs)
    names = ", ".join(text.names(text.results) for text in texts)
    types = ", ".join(text.of_types(text.results) for text in texts)
    lines = "".join(f"  {line}\n" for text in texts for line in text.lines)
    return (f"func.func @main({arguments})\n    -> ({types}) {{\n{lines}"
            f"  return {names} : {types}\n}}\n")


def round_to(dtype, data):
    """The nearest numbers of the element type, as f64."""
    if dtype == "f64":
        return np.asarray(data, np.float64)
    # What is too large becomes infinite.
    with np.errstate(over="ignore"):
        single = np.asarray(data, np.float32)
    if dtype == "bf16":
        bits = single.view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
        single = bits.astype(np.uint32).view(np.float32)
    return single.astype(np.float64)
