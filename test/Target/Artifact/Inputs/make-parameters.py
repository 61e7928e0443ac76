"""Writes the safetensors file of the tests beside: a header, then the bytes."""
import json
import struct
import sys

half = struct.pack("<2e", 1.0, -2.0)
ints = struct.pack("<3q", 1, 2, 3)
header = json.dumps({
    "half": {"dtype": "F16", "shape": [2], "data_offsets": [0, len(half)]},
    "some.name": {"dtype": "I64", "shape": [3],
                  "data_offsets": [len(half), len(half) + len(ints)]},
}).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + half + ints)
