#!/usr/bin/env python3
"""other_build.py FILE: writes graph-compile to FILE, with another build ID.

A linker may have been told to write none. Then the path of FILE makes it
another build.
"""
import pathlib
import shutil
import struct
import sys

source = pathlib.Path(shutil.which("graph-compile"))
program = bytearray(source.read_bytes())
# A note: the sizes of its name and of its contents, its kind, and its name.
note = program.find(struct.pack("<I", 3) + b"GNU\0")
if note >= 0:
    program[note + 8] ^= 1
target = pathlib.Path(sys.argv[1])
target.write_bytes(program)
target.chmod(source.stat().st_mode)
