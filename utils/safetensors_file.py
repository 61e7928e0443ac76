"""Tensors by name in a .safetensors file."""
import json
import pathlib
import struct

import numpy as np


def save(path: pathlib.Path, tensors: dict):
    """`tensors` maps names to arrays of float32."""
    header, offset = {}, 0
    for name, array in tensors.items():
        if array.dtype != np.float32:
            raise ValueError(f"{name} is {array.dtype}, not float32")
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(array.tobytes())


def load(path: pathlib.Path):
    """What `save` wrote, or another whose tensors are all float32."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} is {entry['dtype']}, not F32")
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(body[begin:end], np.float32).reshape(
            entry["shape"])
    return tensors
