"""Writes tensors by name into a .safetensors file."""
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
