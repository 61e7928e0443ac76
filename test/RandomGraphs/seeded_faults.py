#!/usr/bin/env python3
"""Faults that the random graphs have to find, and the reducer to make small.

A fault is a thing in a graph that a broken compiler would get wrong, such as a
negative step of a slice behind a transpose. No compiler runs: a graph fails
where it has the fault. So this tests the generator and the reducer alone, in
seconds. mutants.py breaks a compiler.
"""
import argparse
import sys

import oracle
from bounded import PRECISIONS
from checker import Failure
from generator import draw_graph
from reducer import count_ops, reduce

MOST_OPS = 6
WRONG = Failure("wrong", "a fault")


class View:
    """A node with the shapes of its values, and the nodes that it reads."""

    def __init__(self, node, values, makers):
        self.node, self.op = node, node.op
        self.attributes = node.attributes
        self.shapes = [values[value].shape for value in node.operands]
        self.shape = values[node.results[0]].shape
        self.operands = [
            View(makers[value], values, makers) if value in makers else None
            for value in node.operands]

    def behind(self, op):
        """The operand that `op` makes, perhaps with a pointwise op between."""
        for operand in filter(None, self.operands):
            if operand.op == op:
                return operand
            if operand.op in oracle.UNARY:
                for inner in filter(None, operand.operands):
                    if inner.op == op:
                        return inner
        return None


def joins(view):
    return view.op == "reshape" and len(view.shape) < len(view.shapes[0])


def divides(view):
    return view.op == "reshape" and len(view.shape) > len(view.shapes[0])


def steps(view, accepts):
    return (view.op == "slice" and any(
        accepts(step) for step in view.attributes.get("steps", ())))


FAULTS = {
    "join and divide": lambda v: divides(v) and v.behind("reshape")
    and joins(v.behind("reshape")),
    "transpose behind divide": lambda v: v.op == "transpose"
    and v.behind("reshape") and divides(v.behind("reshape")),
    "join behind transpose": lambda v: joins(v) and v.behind("transpose"),
    "negative step": lambda v: steps(v, lambda step: step < 0),
    "strided parts of a join": lambda v: v.op == "concat" and any(
        o and steps(o, lambda step: step > 1) for o in v.operands),
    "three parts": lambda v: v.op == "concat" and len(v.operands) >= 3,
    "odd row of a join": lambda v: v.op == "concat" and v.shape[-1] % 2
    and v.shape[-1] > 4,
    "repeated index": lambda v: v.op == "take" and len(set(
        v.operands[1].attributes["value"].tolist())) < v.shapes[1][0],
    "expand behind reshape": lambda v: v.op == "expand" and v.behind("reshape"),
    "pad behind pointwise": lambda v: v.op == "pad" and v.operands[0]
    and v.operands[0].op in oracle.UNARY,
    "softmax of columns": lambda v: v.op == "softmax"
    and v.attributes["axis"] == 0,
    "transposed operand of a product": lambda v: v.op == "matmul"
    and v.behind("transpose"),
    "condition along one dim": lambda v: v.op == "where"
    and v.shapes[0] != v.shape,
    "uneven split": lambda v: v.op == "split"
    and len(set(v.attributes["sizes"])) > 1,
    "17 elements": lambda v: v.op in oracle.UNARY and v.shape[-1:] == (17,),
    "broadcast along the last dim": lambda v: v.op == "mul" and any(
        shape[-1:] == (1,) for shape in v.shapes) and v.shape[-1] > 1,
    "running sum behind transpose": lambda v: v.op == "cum_sum"
    and v.behind("transpose"),
    "six dims": lambda v: v.op == "transpose" and len(v.shape) == 6,
    "mean of the middle": lambda v: v.op == "reduce_mean"
    and len(v.shapes[0]) == 3 and list(v.attributes["axes"]) == [1],
    "difference of a value and its mean": lambda v: v.op == "sub"
    and v.behind("reduce_mean"),
}


def views_of(graph):
    values = oracle.evaluate(graph, PRECISIONS[graph.dtype])
    makers = {value: node for node in graph.nodes for value in node.results}
    return [View(node, values, makers) for node in graph.nodes]


class BrokenCompiler:
    """A checker for which graphs with a fault fail."""

    def __init__(self, fault):
        self.fault = fault

    def check(self, graphs):
        return [WRONG if any(map(self.fault, views_of(graph)))
                else None for graph in graphs]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most-graphs", type=int, default=5000)
    options = parser.parse_args()
    left = dict(FAULTS)
    for count in range(options.most_graphs):
        graph = draw_graph(options.first + count)
        views = views_of(graph)
        for name, fault in list(left.items()):
            if not any(map(fault, views)):
                continue
            del left[name]
            ops = count_ops(reduce(graph, BrokenCompiler(fault), WRONG))
            print(f"{name}: graph {count}, {count_ops(graph)} ops, reduced to "
                  f"{ops}")
            if ops > MOST_OPS:
                sys.exit(f"error: more than {MOST_OPS} ops")
        if not left:
            print(f"{len(FAULTS)} faults: found and reduced")
            return
    sys.exit(f"error: not found in {options.most_graphs} graphs: "
             f"{', '.join(left)}")


main()
