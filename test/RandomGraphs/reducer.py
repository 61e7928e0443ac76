"""Makes a failing graph small: the smallest of the simpler graphs that fail in
the same way takes its place, until none does."""
import dataclasses

import numpy as np

import oracle
from bounded import PRECISIONS
from graph import round_to

ROUNDS = 60
# How many simpler graphs are tried at once, in one module.
AT_ONCE = 24


def reduce(graph, checker, failure):
    """A graph as small as possible for which `checker` has a failure like
    `failure`."""
    for _ in range(ROUNDS):
        smaller = next(failing_ones(graph, checker, failure), None)
        if smaller is None:
            break
        graph = smaller
    return graph


def failing_ones(graph, checker, failure):
    """Simpler graphs that fail, the smallest of some at a time."""
    simpler = [other for other in simpler_graphs(graph) if is_valid(other)
               and cost(other) < cost(graph)]
    simpler.sort(key=cost)
    for at in range(0, len(simpler), AT_ONCE):
        some = simpler[at:at + AT_ONCE]
        for other, found in zip(some, checker.check(some)):
            if failure.is_like(found):
                yield other


def count_ops(graph):
    return sum(node.op != "constant" for node in graph.nodes)


def cost(graph):
    """Ops first, then what else there is to read."""
    simple = sum(node.op != "abs" for node in graph.nodes)
    elements = sum(data.size for data in graph.inputs.values())
    return (count_ops(graph), len(graph.outputs), len(graph.inputs), elements,
            simple)


def evaluate(graph):
    # A simpler graph may leave the domain of a function; it is not used then.
    with np.errstate(all="ignore"):
        return oracle.evaluate(graph, PRECISIONS[graph.dtype])


def is_valid(graph):
    """A graph of ops that fit each other, each result of which is finite."""
    if not graph.nodes:
        return False
    try:
        values = evaluate(graph)
    except (ValueError, IndexError, ZeroDivisionError):
        return False
    if graph.loss is not None and (
            values[graph.outputs[0]].shape != graph.inputs[graph.loss].shape
            or not graph.differentiable()):
        return False
    return all(np.isfinite(number.data).all() and number.data.size
               for number in values.values())


def simpler_graphs(graph):
    yield from with_fewer_outputs(graph)
    yield from with_cuts(graph)
    yield from with_bypasses(graph)
    yield from with_simple_ops(graph)
    yield from with_smaller_dims(graph)


def with_fewer_outputs(graph):
    """One output alone, or a value before it."""
    if graph.loss is not None:
        values = evaluate(graph)
        for value in sorted(values.keys() - graph.inputs.keys()):
            if values[value].data.dtype.kind == "f":
                yield with_loss_of(graph, values, value)
        return
    for value in graph.outputs:
        yield dataclasses.replace(graph, outputs=(value,)).used()
    for node in graph.nodes:
        if node.op != "constant":
            yield dataclasses.replace(graph, outputs=node.results).used()


def with_loss_of(graph, values, value):
    """The loss weighs another value."""
    shape = values[value].shape
    weights = np.resize(graph.inputs[graph.loss], shape)
    return dataclasses.replace(
        graph, outputs=(value,),
        inputs={**graph.inputs, graph.loss: weights}).used()


def with_cuts(graph):
    """What an op or several compute is an input."""
    data = rounded(graph, evaluate(graph))
    for at in range(len(graph.nodes)):
        for nodes in (graph.nodes[:at + 1], graph.nodes[at:at + 1]):
            cut = {value for node in nodes for value in node.results}
            yield graph.with_inputs(
                (cut & data.keys()) - set(graph.outputs), data).used()


def rounded(graph, values):
    """What inputs of the graph's type can hold, of floats alone."""
    return {value: round_to(graph.dtype, number.data)
            for value, number in values.items()
            if number.data.dtype.kind == "f"}


def with_bypasses(graph):
    """An op is replaced by one of its operands."""
    values = evaluate(graph)
    for node in graph.nodes:
        for operand in node.operands:
            if (values[operand].shape != values[node.results[0]].shape
                    or len(node.results) > 1):
                continue
            instead = {node.results[0]: operand}
            nodes = tuple(other.reading(instead) for other in graph.nodes
                          if other is not node)
            outputs = tuple(instead.get(value, value)
                            for value in graph.outputs)
            if not set(outputs) & graph.inputs.keys():
                yield dataclasses.replace(graph, nodes=nodes,
                                          outputs=outputs).used()


def with_simple_ops(graph):
    """A function of one element is replaced by `abs`."""
    for number, node in enumerate(graph.nodes):
        if len(node.operands) == 1 and node.op in oracle.UNARY:
            simple = dataclasses.replace(node, op="abs", attributes={})
            yield dataclasses.replace(graph, nodes=(
                graph.nodes[:number] + (simple,) + graph.nodes[number + 1:]))


#===----------------------------------------------------------------------===#
# Dims
#===----------------------------------------------------------------------===#

def with_smaller_dims(graph):
    """One size is smaller wherever it occurs, or in one place alone."""
    sizes = sorted({size for data in graph.inputs.values()
                    for size in data.shape if size > 1})
    for old in sizes:
        for new in sorted({1, 2, 3, old // 2, old - 1}):
            if not 0 < new < old:
                continue
            for multiples in (False, True):
                yield resize(graph, old, new, multiples, graph.inputs)
            for value in graph.inputs:
                yield resize(graph, old, new, True, (value,))


def resize(graph, old, new, multiples, values):
    def size(number):
        if number == old:
            return new
        if multiples and number > 0 and number % old == 0:
            return number // old * new
        return number

    def resized(node):
        lists = {key: [size(number) for number in node.attributes[key]]
                 for key in ("shape", "sizes") if key in node.attributes}
        known = node.attributes.get("value")
        if known is not None and known.dtype.kind == "f":
            lists["value"] = cut(known)
        return dataclasses.replace(node,
                                   attributes={**node.attributes, **lists})

    def cut(data):
        return data[tuple(slice(size(n)) for n in data.shape)]
    inputs = {value: cut(data) if value in values else data
              for value, data in graph.inputs.items()}
    return dataclasses.replace(graph, inputs=inputs,
                               nodes=tuple(map(resized, graph.nodes)))
