"""Builds ONNX graphs node by node, named as torch's exporter names them."""
import contextlib
import math
import zlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


class Graph:
    """A graph that grows in execution order. Values are names. `random` is
    seeded by the graph's name, so that a graph has the same bytes each time."""

    def __init__(self, name, opset=OPSET):
        self.name, self.opset = name, opset
        self.random = np.random.Generator(
            np.random.PCG64(zlib.crc32(name.encode())))
        self.parameter_count = 0
        self._nodes, self._initializers = [], []
        self._inputs, self._outputs = [], []
        self._scopes, self._uses = [], {}

    @contextlib.contextmanager
    def scope(self, name):
        """Nodes and weights made inside are called /.../name/..."""
        self._scopes.append(name)
        yield
        self._scopes.pop()

    def input(self, name, shape, data_type=TensorProto.FLOAT):
        self._inputs.append(
            helper.make_tensor_value_info(name, data_type, shape))
        return name

    def output(self, name, value, shape):
        """Makes a value an output of the graph, under its own name."""
        for node in self._nodes:
            for names in (node.input, node.output):
                for at, known in enumerate(names):
                    if known == value:
                        names[at] = name
        self._outputs.append(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def parameter(self, name, array):
        """A trained weight, which counts as such."""
        self.parameter_count += array.size
        return self.buffer(name, array)

    def buffer(self, name, array):
        """A tensor in the file that is no trained weight."""
        name = ".".join([*self._scopes, name])
        self._initializers.append(numpy_helper.from_array(array, name))
        return name

    def noise(self, name, shape, deviation, mean=0.0):
        """A weight around `mean`."""
        values = self.random.standard_normal(shape, np.float32)
        return self.parameter(name, values * np.float32(deviation)
                              + np.float32(mean))

    def he(self, name, shape, fan_in, gain=1.0):
        """A weight that keeps the magnitude of values behind a ReLU."""
        return self.noise(name, shape, gain * math.sqrt(2 / fan_in))

    def constant(self, value, dtype=np.int64):
        """The output of a Constant node."""
        tensor = numpy_helper.from_array(np.asarray(value, dtype))
        return self.node("Constant", value=tensor)

    def node(self, kind, *inputs, outputs=1, **attributes):
        """The name of the output, or names where there are several."""
        path = "".join(f"/{scope}" for scope in self._scopes) + f"/{kind}"
        uses = self._uses[path] = self._uses.get(path, -1) + 1
        path += f"_{uses}" if uses else ""
        names = [f"{path}_output_{at}" for at in range(outputs)]
        self._nodes.append(helper.make_node(kind, inputs, names, path,
                                            **attributes))
        return names[0] if outputs == 1 else names

    def model(self):
        graph = helper.make_graph(self._nodes, self.name, self._inputs,
                                  self._outputs, self._initializers)
        return helper.make_model(
            graph, ir_version=IR_VERSION, producer_name="weir-bench",
            opset_imports=[helper.make_opsetid("", self.opset)])


def sizes(graph, value, *dims):
    """One-element tensors with these sizes of a value, the way that the
    exporter asks for each: Shape, Gather, Unsqueeze."""
    found = []
    for dim in dims:
        shape = graph.node("Shape", value)
        size = graph.node("Gather", shape, graph.constant(dim), axis=0)
        found.append(graph.node("Unsqueeze", size, graph.constant([0])))
    return found


def reshape(graph, value, *dims):
    """A reshape whose dims are numbers or what `sizes` found."""
    parts = [dim if isinstance(dim, str) else graph.constant([dim])
             for dim in dims]
    return graph.node("Reshape", value, graph.node("Concat", *parts, axis=0))
