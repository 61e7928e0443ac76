#!/usr/bin/env python3
"""Writes a graph of products, its inputs, and its outputs as numpy computes
them. All numbers are small integers, so that every type has them exactly.

usage: products.py TYPE FOLDER

FOLDER/net.mlir is the graph. FOLDER/flags has the flags of graph-run.
"""
import sys

import numpy

# The op, the dims of its operands, and the ops behind it. "vector" adds a
# vector along the last dim, "tensor" one of the result's dims. "half" and
# "twice" are a division and a product by a number.
CASES = [
    ("linear", [(8, 16), (24, 16), (24,)], []),
    ("linear", [(2, 4, 16), (24, 16)], []),
    ("linear", [(16,), (200, 16), (200,)], ["relu"]),
    ("linear", [(8, 16), (24, 16)], ["vector"]),
    ("linear", [(8, 16), (24, 16), (24,)], ["tensor"]),
    ("linear", [(8, 16), (24, 16), (24,)], ["tensor", "relu"]),
    ("linear", [(3, 5, 16), (24, 16), (24,)], ["tensor", "relu"]),
    ("matmul", [(8, 16), (16, 24)], []),
    ("matmul", [(8, 16), (16, 24)], ["relu"]),
    ("matmul", [(8, 16), (16, 24)], ["tensor", "vector", "relu"]),
    ("matmul", [(1, 256), (256, 24)], []),
    ("matmul", [(256, 16), (16, 1)], []),
    ("matmul", [(3, 8, 16), (3, 16, 24)], []),
    ("matmul", [(3, 8, 16), (3, 16, 24)], ["tensor", "vector", "relu"]),
    ("matmul", [(2, 3, 8, 16), (16, 24)], ["vector"]),
    ("matmul", [(8, 16), (3, 16, 24)], []),
    ("matmul", [(2, 3, 8, 16), (2, 3, 16, 24)], []),
    ("matmul", [(2, 3, 8, 16), (2, 1, 16, 24)], ["tensor"]),
    ("matmul", [(2, 3, 8, 16), (1, 3, 16, 24)], ["tensor"]),
    ("matmul", [(2, 1, 8, 16), (1, 3, 16, 24)], ["tensor", "relu"]),
    ("matmul", [(8, 16), (16, 24)], ["half", "vector", "tensor"]),
    ("linear", [(8, 16), (24, 16)], ["half", "twice", "twice", "relu"]),
    # Odd rows: the matrices of a batch are aligned less than their buffers.
    ("matmul", [(2, 1, 7, 13), (1, 3, 13, 29)], ["vector"]),
    ("linear", [(2, 9, 15), (23, 15), (23,)], ["relu"]),
]
# The same, and then a cast to f32, which the kernel does.
WIDENED = [
    ("matmul", [(8, 16), (16, 24)], []),
    ("linear", [(2, 4, 16), (24, 16)], ["vector", "relu"]),
]


def tensor(dims, kind):
    return f"tensor<{'x'.join(map(str, dims))}x{kind}>"


class Net:
    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        self.random = numpy.random.default_rng(1)
        self.arguments, self.body, self.results, self.flags = [], [], [], []

    def input(self, dims, kind):
        name = f"a{len(self.arguments)}"
        value = self.random.integers(-2, 3, dims)
        path = f"{self.folder}/{name}.npy"
        stored = "float16" if kind == "f16" else "float32"
        numpy.save(path, value.astype(stored))
        self.arguments.append(f"%{name}: {tensor(dims, kind)}")
        self.flags.append(f"--input {name}={path}")
        return f"%{name}", value

    def op(self, mnemonic, operands, kinds):
        name = f"%v{len(self.body)}"
        names = ", ".join(operands)
        self.body.append(f"  {name} = weir.{mnemonic} {names} : "
                         f"{', '.join(kinds)}")
        return name

    def output(self, name, value, kind):
        self.results.append((name, tensor(value.shape, kind)))
        number = len(self.results) - 1
        path = f"{self.folder}/y{number}.npy"
        stored = "float16" if kind == "f16" else "float32"
        numpy.save(path, value.astype(stored))
        self.flags.append(f"--expect y{number}={path}")

    def add(self, mnemonic, dims, behind, widens):
        kind = self.kind
        inputs = [self.input(each, kind) for each in dims]
        value = self.op(mnemonic, [name for name, _ in inputs],
                        [tensor(each, kind) for each in dims])
        left, right = inputs[0][1], inputs[1][1]
        expected = left @ (right.T if mnemonic == "linear" else right)
        if len(inputs) > 2:
            expected = expected + inputs[2][1]
        if widens:
            self.body.append(f"  {value}w = weir.cast {value} {{to = f32}} : "
                             f"{tensor(expected.shape, kind)}")
            value, kind = f"{value}w", "f32"
        whole = tensor(expected.shape, kind)
        for each in behind:
            if each == "relu":
                value = self.op("relu", [value], [whole])
                expected = numpy.maximum(expected, 0)
                continue
            if each in ("half", "twice"):
                number = self.op('constant dense<2.0>', [],
                                 [tensor((1,), kind)])
                name = "div" if each == "half" else "mul"
                value = self.op(name, [value, number],
                                [whole, tensor((1,), kind)])
                expected = expected / 2 if each == "half" else expected * 2
                continue
            other = expected.shape if each == "tensor" else expected.shape[-1:]
            name, added = self.input(other, kind)
            value = self.op("add", [value, name],
                            [whole, tensor(other, kind)])
            expected = expected + added
        self.output(value, expected, kind)

    def transpose(self, name, value, perm, kind):
        made = self.op("transpose", [f"{name} {{perm = {list(perm)}}}"],
                       [tensor(value.shape, kind)])
        return made, value.transpose(perm)

    def add_heads(self):
        """The products of attention: heads are transposed in memory."""
        kind = self.kind
        left = self.transpose(*self.input((2, 8, 3, 16), kind), (0, 2, 1, 3),
                              kind)
        right = self.transpose(*self.input((2, 9, 3, 16), kind), (0, 2, 3, 1),
                               kind)
        value = self.op("matmul", [left[0], right[0]],
                        [tensor(left[1].shape, kind),
                         tensor(right[1].shape, kind)])
        value = self.transpose(value, left[1] @ right[1], (0, 2, 1, 3), kind)
        self.output(*value, kind)

    def write(self):
        outputs = ", ".join(f'{kind} {{weir.name = "y{i}"}}'
                            for i, (_, kind) in enumerate(self.results))
        lines = [f"func.func @main({', '.join(self.arguments)}) -> "
                 f"({outputs}) {{", *self.body,
                 f"  return {', '.join(name for name, _ in self.results)} : "
                 f"{', '.join(kind for _, kind in self.results)}", "}"]
        with open(f"{self.folder}/net.mlir", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        with open(f"{self.folder}/flags", "w", encoding="utf-8") as file:
            file.write(" ".join(self.flags))


def main():
    net = Net(*sys.argv[1:])
    for case in CASES:
        net.add(*case, False)
    net.add_heads()
    if net.kind != "f32":
        for case in WIDENED:
            net.add(*case, True)
    net.write()


if __name__ == "__main__":
    main()
