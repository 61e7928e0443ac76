#!/usr/bin/env python3
"""Merges objects that use MLIR into one that shares MLIR's static variables.

MLIR tells types and traits apart by addresses of static variables in functions
of its headers. A process must have one of each. Usually the loader sees to that
because all libraries export their copies. A library that exports nothing of
MLIR would keep copies of its own, and would not know the traits of MLIR's ops.
So here such variables become references to those that MLIR's library exports.
"""
import argparse
import re
import struct
import subprocess

# Variables in functions of MLIR, and the guards of their initialisation.
STATIC = re.compile(r"_Z(GV)?ZNK?4mlir")
SYMTAB = 2
GLOBAL, WEAK, UNIQUE = 1, 2, 10


def exported_statics(nm, library):
    listing = subprocess.run([nm, "-DP", "--defined-only", library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    names = (line.split()[0].partition("@")[0]
             for line in listing.splitlines())
    return {name.encode() for name in names if STATIC.match(name)}


def make_undefined(data, shared):
    """Takes the definitions of `shared` from the symbol table of the ELF object
    `data`. What defined them stays as an unused section."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQII", data, table + i * size)
                for i in range(count)]
    # Fields: name, kind, flags, address, offset, size, link, info.
    symbols = next(section for section in sections if section[1] == SYMTAB)
    names = sections[symbols[6]][4]
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, info = struct.unpack_from("<IB", data, at)
        if info >> 4 not in (GLOBAL, WEAK, UNIQUE):
            continue
        start = names + name
        if bytes(data[start:data.index(0, start)]) in shared:
            struct.pack_into("<IBBHQQ", data, at, name, GLOBAL << 4, 0, 0, 0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ld", required=True)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--library", required=True, help="MLIR's library")
    parser.add_argument("--objects", required=True,
                        help="a file with a path on each line")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()

    subprocess.run([options.ld, "-r", "-o", options.output,
                    f"@{options.objects}"], check=True)
    with open(options.output, "r+b") as file:
        data = bytearray(file.read())
        make_undefined(data, exported_statics(options.nm, options.library))
        file.seek(0)
        file.write(data)


if __name__ == "__main__":
    main()
