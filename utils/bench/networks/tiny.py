"""Networks of many small ops, which show the overhead per op."""
import numpy as np

from networks.network import Network

WIDTH = 8
# Each link takes what the one before it made; a letter is a constant of the
# block's, x what the block began with. The last link adds to x a bounded term,
# so that every link matters to the result and no size runs away.
BLOCKS = (
    (("Mul", "a"), ("Tanh",), ("Add", "b"), ("Sigmoid",), ("Sub", "a"),
     ("Abs",), ("Neg",), ("Exp",), ("Div", "d"), ("Add", "x")),
    (("Abs",), ("Add", "p"), ("Sqrt",), ("Log",), ("Max", "b"), ("Mul", "a"),
     ("Erf",), ("Min", "p"), ("Div", "d"), ("Sub", "x")),
)
# The sizes of the constants, and whether they have either sign: about one, any,
# positive, and large enough to divide by.
RANGES = {"a": (0.5, 1.5, True), "b": (-1, 1, False), "p": (0.5, 1.5, False),
          "d": (8, 12, True)}


def block_constants(graph, at, shape):
    """The constants that the block asks for, by their letters."""
    letters = {name for _, *others in BLOCKS[at % len(BLOCKS)]
               for name in others} - {"x"}
    signs = graph.random.choice([-1, 1], shape)
    made = {}
    for letter in sorted(letters):
        low, high, is_signed = RANGES[letter]
        values = graph.random.uniform(low, high, shape)
        values = (values * signs if is_signed else values).astype(np.float32)
        made[letter] = graph.parameter(f"{letter}{at}", values)
    return made


def pointwise_block(graph, value, at, shape):
    known = {"x": value, **block_constants(graph, at, shape)}
    for kind, *others in BLOCKS[at % len(BLOCKS)]:
        value = graph.node(kind, value, *(known[name] for name in others))
    return value


def pointwise_chain(length):
    def build(graph):
        value = graph.input("x", [WIDTH])
        for at in range(length // len(BLOCKS[0])):
            value = pointwise_block(graph, value, at, WIDTH)
        graph.output("y", value, [WIDTH])
    return build


def orthogonal(graph, name):
    """A weight that keeps the magnitude of its other factor."""
    matrix, _ = np.linalg.qr(graph.random.standard_normal((WIDTH, WIDTH)))
    return graph.parameter(name, matrix.astype(np.float32))


def matmul_chain(length):
    def build(graph):
        value = graph.input("x", [WIDTH, WIDTH])
        for at in range(length):
            value = graph.node("MatMul", value, orthogonal(graph, f"w{at}"))
        graph.output("y", value, [WIDTH, WIDTH])
    return build


def mixed_block(graph, value, at):
    """Ten pointwise ops, then ten of other kinds."""
    value = pointwise_block(graph, value, at, (WIDTH, WIDTH))
    begin, kept = value, graph.constant([WIDTH, WIDTH])
    value = graph.node("MatMul", value, orthogonal(graph, f"w{at}"))
    value = graph.node("Transpose", value, perm=[1, 0])
    value = graph.node("Reshape", value, graph.constant([2, 4, WIDTH]))
    value = graph.node("ReduceMean", value, axes=[-1], keepdims=1)
    value = graph.node("Expand", value, graph.constant([2, 4, WIDTH]))
    value = graph.node("Reshape", value, kept)
    value = graph.node("Add", value, begin)
    value = graph.node("Softmax", value, axis=-1)
    value = graph.node("Concat", value, begin, axis=0)
    return graph.node("Slice", value, graph.constant([4]), graph.constant([12]),
                      graph.constant([0]))


def mixed_ops(length):
    """For the growth of compile time: ops of many kinds on 8x8 elements."""
    def build(graph):
        value = graph.input("x", [WIDTH, WIDTH])
        for at in range(length // 20):
            value = mixed_block(graph, value, at)
        graph.output("y", value, [WIDTH, WIDTH])
    return build


def values(*shape):
    return lambda random: {"x": random.standard_normal(shape, np.float32)}


NETWORKS = [
    Network("matmul_chain", matmul_chain(1000), values(WIDTH, WIDTH), 64000,
            overhead=True),
    Network("pointwise_chain", pointwise_chain(1000), values(WIDTH), 2800,
            overhead=True),
]
GROWING = [Network(f"mixed_{length}", mixed_ops(length), values(WIDTH, WIDTH))
           for length in (1000, 2000, 5000, 10000, 20000, 50000)]
# One product, for what a process needs besides its network.
BASELINE = Network("baseline", matmul_chain(1), values(WIDTH, WIDTH), 64)
