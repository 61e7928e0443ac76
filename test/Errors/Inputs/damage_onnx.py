"""Damages of ONNX models, for damage.py."""

import random

import numpy
import onnx

# Tensors of so many bytes are weights: a damage there changes a number and
# nothing more.
BULK = 256
NUMBERS = [0, 1, -1, 2, 3, 7, 64, 1000, 1 << 31, 1 << 40, (1 << 63) - 1,
           -(1 << 63)]


def find_weights(data, graph):
    """The (place, size) of what the graph's tensors hold in bulk."""
    tensors = [*graph.initializer, *(
        attribute.t for node in graph.node for attribute in node.attribute
        if attribute.HasField("t"))]
    place, found = 0, set()
    for tensor in tensors:
        held = tensor.raw_data or numpy.float32(tensor.float_data).tobytes()
        if len(held) < BULK:
            continue
        # The second of two equal tensors is behind the first.
        at = data.find(held, place)
        place = at if at >= 0 else data.find(held)
        found.add((place, len(held)))
        place += len(held)
    return sorted(found)


def change_attribute(draw, graph):
    nodes = [node for node in graph.node if node.attribute]
    if not nodes:
        return
    node = draw.choice(nodes)
    at = draw.randrange(len(node.attribute))
    attribute = node.attribute[at]
    kind = draw.randrange(4)
    if kind == 0:
        del node.attribute[at]
    elif kind == 1:
        attribute.type = draw.randrange(16)
    elif attribute.ints:
        if kind == 2:
            attribute.ints[draw.randrange(len(attribute.ints))] = draw.choice(
                NUMBERS)
        else:
            attribute.ints.extend([1] * draw.choice([1, 2, 1000]))
    elif attribute.HasField("t"):
        change_tensor(draw, attribute.t)
    else:
        attribute.i = draw.choice(NUMBERS)


def change_tensor(draw, tensor):
    if tensor.dims and draw.random() < 0.7:
        tensor.dims[draw.randrange(len(tensor.dims))] = draw.choice(NUMBERS)
    elif draw.random() < 0.5:
        tensor.dims.append(draw.choice(NUMBERS))
    else:
        tensor.data_type = draw.randrange(24)


def change_initializer(draw, graph):
    if graph.initializer:
        change_tensor(draw, draw.choice(graph.initializer))


def change_wire(draw, graph):
    """Lets a node read something else, nothing, or more than before."""
    node = draw.choice(graph.node)
    names = [name for other in graph.node for name in other.output] + ["", "no"]
    if not node.input or draw.random() < 0.2:
        node.input.append(draw.choice(names))
    elif draw.random() < 0.2:
        del node.input[draw.randrange(len(node.input))]
    else:
        node.input[draw.randrange(len(node.input))] = draw.choice(names)


def change_node(draw, graph):
    at = draw.randrange(len(graph.node))
    kind = draw.randrange(4)
    if kind == 0:
        del graph.node[at]
    elif kind == 1:
        graph.node.append(graph.node[at])
    elif kind == 2:
        graph.node[at].op_type = draw.choice(graph.node).op_type
    else:
        graph.node[at].output.append("more")


def change_port(draw, graph):
    port = draw.choice([*graph.input, *graph.output])
    tensor = port.type.tensor_type
    if tensor.shape.dim and draw.random() < 0.7:
        draw.choice(tensor.shape.dim).dim_value = draw.choice(NUMBERS)
    else:
        tensor.elem_type = draw.randrange(24)


CHANGES = [change_attribute, change_attribute, change_initializer, change_wire,
           change_node, change_port]


class ModelDamages:
    """Damages of the model in `data`; `damage_bytes(data, seed)` damages what
    has no structure."""

    def __init__(self, data, damage_bytes):
        self.data = data
        self.damage_bytes = damage_bytes
        self.model = onnx.load_model_from_string(data)
        self.weights = find_weights(data, self.model.graph)

    def damage(self, seed):
        draw = random.Random(seed)
        if draw.random() < 0.5:
            return self.around_weights(seed)
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for _ in range(draw.choice([1, 1, 2, 3])):
            draw.choice(CHANGES)(draw, model.graph)
        if draw.random() < 0.1:
            model.opset_import[0].version = draw.randrange(40)
        return model.SerializeToString()

    def around_weights(self, seed):
        """Damages what is no weight; weights stay where they were."""
        rest, cuts, place = bytearray(), [], 0
        for at, size in self.weights:
            rest += self.data[place:at]
            cuts.append((len(rest), self.data[at:at + size]))
            place = at + size
        rest += self.data[place:]
        damaged, out, place = self.damage_bytes(rest, seed), bytearray(), 0
        for at, held in cuts:
            if at > len(damaged):
                break
            out += damaged[place:at] + held
            place = at
        return bytes(out + damaged[place:])
