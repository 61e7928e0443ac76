"""Tensors by name in a .safetensors file."""
import json
import pathlib
import struct

import numpy as np


# The format's names of element types.
TYPES = {"bool": "BOOL", "int8": "I8", "uint8": "U8", "int16": "I16",
         "int32": "I32", "int64": "I64", "float16": "F16", "float32": "F32",
         "float64": "F64"}


def save(path: pathlib.Path, tensors: dict, metadata: dict = None):
    """`tensors` maps names to arrays, `metadata` names to texts."""
    header, offset = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, array in tensors.items():
        header[name] = {"dtype": TYPES[str(array.dtype)],
                        "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(array.tobytes())


def load(path: pathlib.Path):
    """The tensors of a file in which all are float32."""
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
