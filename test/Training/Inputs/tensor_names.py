#!/usr/bin/env python3
"""tensor_names.py FILE: prints the names and types of a safetensors file's
tensors, a line for each, sorted."""
import json
import pathlib
import struct
import sys


def main():
    data = pathlib.Path(sys.argv[1]).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    for name in sorted(header):
        print(name, header[name]["dtype"])


if __name__ == "__main__":
    main()
