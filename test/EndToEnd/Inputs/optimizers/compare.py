"""Compares parameters after training with those of other frameworks.

    compare.py f64|f32 VARIABLES

In f64 they must be within 1e-12, relative. In f32, all together may be at most
three times as far from the exact ones as the other frameworks are.
"""
import json
import pathlib
import struct
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}


def load(path):
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + size + at for at in entry["data_offsets"])
            tensors[name] = np.frombuffer(
                data[begin:end], DTYPES[entry["dtype"]]).reshape(
                    entry["shape"]).astype(np.float64)
    return tensors


element, path = sys.argv[1:]
found, exact = load(path), load(FOLDER / "optimizers.f64.safetensors")
names = [name.removesuffix(".after") for name in exact
         if name.endswith(".after")]
assert len(names) > 25 and found["step"] == 8


def distances(values, suffix=""):
    return np.array([np.abs(values[name + suffix]
                            - exact[f"{name}.after"]).max()
                     for name in names])


ours = distances(found)
if element == "f64":
    bad = [f"{name}: {distance:.2e}" for name, distance in zip(names, ours)
           if not distance <= 1e-12]
else:
    theirs = distances(load(FOLDER / "optimizers.f32.safetensors"), ".after")
    print(f"ours {ours.mean():.2e}, theirs {theirs.mean():.2e}")
    bad = [f"{name}: {distance:.2e}, theirs {peer:.2e}"
           for name, distance, peer in zip(names, ours, theirs)
           if not distance <= max(3 * peer, 1e-6)]
    if not ours.mean() <= 3 * theirs.mean():
        bad.append("all")
if bad:
    sys.exit("\n".join(bad))
