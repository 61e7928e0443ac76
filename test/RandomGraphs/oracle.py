"""What each op computes, by numpy in f64, and how far another evaluation may be
off. It shares nothing with Weir but the names of ops and attributes.
"""
import numpy as np

import ops_images
import ops_moves
import ops_pointwise
import ops_sums
from bounded import Number

UNARY = ops_pointwise.UNARY
OPS = ops_images.OPS | ops_moves.OPS | ops_pointwise.OPS | ops_sums.OPS


def compute(precision, op, operands, attributes):
    """The results of an op. Where an error has no bound, it has none later."""
    with np.errstate(invalid="ignore", over="ignore"):
        results = OPS[op](precision, *operands, **attributes)
    return results if isinstance(results, list) else [results]


def evaluate(graph, precision, inputs=None, rounds_inputs=False):
    """All values of the graph by their numbers. With `rounds_inputs`, an op may
    round inputs to the precision first."""
    values = {value: Number(data, abs(data) * precision.result
                            if rounds_inputs and data.dtype.kind == "f"
                            else None)
              for value, data in (inputs or graph.inputs).items()}
    for node in graph.nodes:
        operands = [values[value] for value in node.operands]
        values.update(zip(node.results, compute(precision, node.op, operands,
                                                node.attributes)))
    return values


def type_of(number, dtype):
    """The shape, and the element type where floats are `dtype`."""
    kinds = {"b": "i1", "i": "i64"}
    return number.shape, kinds.get(number.data.dtype.kind, dtype)
