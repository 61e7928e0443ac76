"""Growing graphs as textual IR. The time to compile them should be linear in
the number of ops."""
import random


def tensor(*dims, element="f32"):
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + element + ">"


class Text:
    """The text of a graph under way: `value` is its last result."""

    def __init__(self, *inputs):
        self.inputs = inputs
        self.lines = []

    def add(self, op, operands, types, attributes=""):
        """The name of a new op's result."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = weir.{op} {', '.join(operands)}"
                          f"{attributes} : {', '.join(types)}")
        return name

    def finish(self, results, types):
        inputs = ", ".join(f"%{name}: {type}" for name, type in self.inputs)
        body = "\n".join(self.lines)
        listed = ", ".join(types)
        return (f"func.func @main({inputs}) -> ({listed}) {{\n{body}\n"
                f"  return {', '.join(results)} : {listed}\n}}\n")


def cum_sum(rows, columns, axis):
    type = tensor(rows, columns)
    text = Text(("x", type))
    return text.finish(
        [text.add("cum_sum", ["%x"], [type], f" {{axis = {axis}}}")], [type])


def shifted_sums(count):
    """x = x + x moved by one, `count` times."""
    type = tensor(1024)
    text, value = Text(("x", type)), "%x"
    for _ in range(count):
        moved = text.add("pad", [value], [type], " {pads = [1, -1]}")
        value = text.add("add", [value, moved], [type, type])
    return text.finish([value], [type])


UNARY, BINARY = ("relu", "tanh", "softmax"), ("add", "mul", "max", "matmul")


def random_mix(count, size=64, seed=0):
    """Ops of a few kinds on random ones of the last eight values. What nothing
    reads is added up in the end."""
    source, type = random.Random(seed), tensor(size, size)
    text, values, unread = Text(("x", type), ("w", type)), ["%x", "%w"], {}
    for _ in range(count):
        op = source.choice(UNARY + BINARY)
        arity = 1 if op in UNARY else 2
        operands = [source.choice(values[-8:]) for _ in range(arity)]
        for operand in operands:
            unread.pop(operand, None)
        values.append(text.add(op, operands, [type] * arity))
        unread[values[-1]] = True
    results = list(unread)
    while len(results) > 1:
        results.append(text.add("add", results[:2], [type] * 2))
        results = results[2:]
    return text.finish(results, [type])


def reshapes(count):
    shapes = [(64, 64), (4096,)]
    text, value = Text(("x", tensor(*shapes[0]))), "%x"
    value = text.add("relu", [value], [tensor(*shapes[0])])
    for number in range(count):
        to = list(shapes[(number + 1) % 2])
        value = text.add("reshape", [value], [tensor(*shapes[number % 2])],
                         f" {{shape = {to}}}")
    return text.finish([value], [tensor(*shapes[count % 2])])


def concat(count):
    types = [tensor(4, 2)] * count
    text = Text(*((f"x{number}", type) for number, type in enumerate(types)))
    operands = [text.add("relu", [f"%x{number}"], [types[0]])
                for number in range(count)]
    return text.finish([text.add("concat", operands, types, " {axis = 1}")],
                       [tensor(4, 2 * count)])


def composites(count):
    type = tensor(16, 64)
    text, value = Text(("x", type)), "%x"
    for number in range(count):
        op = ("gelu", "softmax", "silu", "log_softmax")[number % 4]
        value = text.add(op, [value], [type])
    return text.finish([value], [type])


def gradients(count):
    """Layers with shared weights, a loss, and its gradients for all inputs."""
    inputs = {"x": tensor(16, 64), "w": tensor(64, 64), "v": tensor(64)}
    rows, weights, row = inputs.values()
    text, value = Text(*inputs.items()), "%x"
    layers = (("linear", ["%w", "%v"], [weights, row]),
              ("layer_norm", ["%v", "%v"], [row, row]), ("gelu", [], []),
              ("add", ["%x"], [rows]), ("mul", ["%v"], [row]),
              ("softmax", [], []), ("linear", ["%w"], [weights]),
              ("relu", [], []))
    for number in range(count - 1):
        op, operands, types = layers[number % len(layers)]
        value = text.add(op, [value, *operands], [rows, *types])
    loss = text.add("reduce_mean", [value], [rows], " {keepdims = false}")
    types = ", ".join(inputs.values())
    text.lines.append(f"  %g:{len(inputs)} = weir.gradient {loss} of "
                      f"{', '.join('%' + name for name in inputs)}"
                      f" : {tensor()} of {types}")
    return text.finish([loss, *(f"%g#{i}" for i in range(len(inputs)))],
                       [tensor(), *inputs.values()])


def scatter(rows, updates, columns):
    types = [tensor(rows, columns), tensor(updates, 1, element="i64"),
             tensor(updates, columns)]
    text = Text(*zip(("x", "places", "updates"), types))
    return text.finish([text.add("scatter_nd", ["%x", "%places", "%updates"],
                                 types)], [types[0]])


def copy(rows, columns):
    """What reads and writes as many bytes: a sign bit flipped."""
    type = tensor(rows, columns)
    text = Text(("x", type))
    return text.finish([text.add("neg", ["%x"], [type])], [type])
