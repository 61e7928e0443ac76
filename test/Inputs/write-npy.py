#!/usr/bin/env python3
"""write-npy.py FILE DESCR DIM...: for instance x.npy '<f4' 2 3.

By the format's description alone, for tests that have no numpy.
"""

import math
import re
import struct
import sys


def main():
    path, descr, dims = sys.argv[1], sys.argv[2], list(map(int, sys.argv[3:]))
    shape = "(" + "".join(f"{dim}, " for dim in dims) + ")"
    header = (f"{{'descr': '{descr}', 'fortran_order': False, "
              f"'shape': {shape}, }}")
    header += " " * (-(len(header) + 11) % 64) + "\n"
    size = int(re.sub(r"\D", "", descr)) * math.prod(dims)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                   header.encode() + bytes(size))


if __name__ == "__main__":
    main()
