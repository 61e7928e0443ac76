"""The cache folder of networks. Each has a model, its inputs and a description,
and is generated again when its generator has changed."""
import dataclasses
import hashlib
import json
import pathlib
import zlib

import numpy as np
import onnx
from onnx import numpy_helper

import networks
from networks.graph import Graph

DESCRIPTION = "network.json"


@dataclasses.dataclass
class Made:
    """A network in files. `inputs` has .npy files by name; `shapes` has the
    shapes of inputs that the model leaves open."""
    name: str
    folder: pathlib.Path
    inputs: dict
    shapes: dict
    overhead: bool
    nodes: int
    weight_bytes: int

    @property
    def model(self):
        return self.folder / "model.onnx"

    @property
    def static_model(self):
        """The model with `shapes` written into it, for engines without such an
        option."""
        return self.folder / "static.onnx" if self.shapes else self.model


def source_hash():
    """A hash of everything that the bytes of a network depend on."""
    found = hashlib.sha256(f"{onnx.__version__} {np.__version__}".encode())
    for path in sorted(pathlib.Path(networks.__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def build_model(network):
    """The model. Raises ValueError if its number of parameters is not the
    published one."""
    if network.is_model:
        seed = zlib.crc32(network.name.encode())
        return network.build(np.random.Generator(np.random.PCG64(seed)))
    graph = Graph(network.name)
    network.build(graph)
    if network.parameters not in (None, graph.parameter_count):
        raise ValueError(f"{network.name} has {graph.parameter_count} "
                         f"parameters, published are {network.parameters}")
    return graph.model()


def weight_bytes(model):
    """The bytes of initialisers, and of Constant nodes: some exporters keep
    weights there."""
    tensors = list(model.graph.initializer)
    tensors += [attribute.t for node in model.graph.node
                if node.op_type == "Constant"
                for attribute in node.attribute if attribute.HasField("t")]
    return sum(numpy_helper.to_array(tensor).nbytes for tensor in tensors)


def fix_shapes(model, shapes):
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        for dim, size in zip(dims, shapes.get(value.name, ())):
            dim.dim_value = size


def make_inputs(network, seed):
    return network.inputs(np.random.Generator(np.random.PCG64(seed)))


def write_network(network, folder, key):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DESCRIPTION).unlink(missing_ok=True)
    model = build_model(network)
    onnx.checker.check_model(model)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    if network.shapes:
        fix_shapes(model, network.shapes)
        (folder / "static.onnx").write_bytes(model.SerializeToString())
    files = {}
    for at, (name, array) in enumerate(make_inputs(network, 1).items()):
        files[name] = f"input{at}.npy"
        np.save(folder / files[name], array)
    text = json.dumps({"key": key, "inputs": files,
                       "nodes": len(model.graph.node),
                       "weight_bytes": weight_bytes(model)}, indent=2)
    # Last, since a network with a description is whole.
    (folder / DESCRIPTION).write_text(text + "\n")


def read_description(folder):
    try:
        return json.loads((folder / DESCRIPTION).read_text())
    except (OSError, ValueError):
        return {}


def ensure(network, root):
    """The network in the cache folder `root`, generated if it is not there."""
    folder = pathlib.Path(root, network.name)
    key = source_hash()
    if read_description(folder).get("key") != key:
        write_network(network, folder, key)
    found = read_description(folder)
    return Made(network.name, folder,
                {name: folder / file
                 for name, file in found["inputs"].items()},
                network.shapes, network.overhead, found["nodes"],
                found["weight_bytes"])
