#!/usr/bin/env python3
"""damage_entries.py CACHE: changes the last byte of every entry in a folder.

Prints how many there are.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "utils"))

import kernel_cache_file

path = pathlib.Path(sys.argv[1]) / kernel_cache_file.NAME
data = bytearray(path.read_bytes())
slots = kernel_cache_file.slots(data)
for slot in slots:
    offset, size = kernel_cache_file.entry(data, slot)
    data[offset + size - 1] ^= 1
path.write_bytes(data)
print(f"{len(slots)} entries")
