#!/usr/bin/env python3
"""Counts the crossings of a placed graph from its text.

Reads what `graph-compile --emit=placed` prints (a file, or - for standard
input). A crossing is a value and a device that reads it, while another device
makes it; inputs and parameters come from the host and do not cross. Prints one
JSON object: for each device that others' values cross to, how many do, and
their bytes. Shares no code with the compiler.
"""
import argparse
import json
import math
import re
import sys

# %name:2 = weir.group (%a_0 = %a, ...) on "cpu:0" {...} : (types) -> types {
GROUP = re.compile(
    r'(?:(%[\w.$-]+)(?::\d+)? = )?weir\.group \((.*?)\) on "([^"]+)"'
    r".* : \((.*)\) -> .* \{$")
READ = re.compile(r"= (%[\w.$-]+(?:#\d+)?)")
TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z]+)(\d+)")


def tensor_bytes(text):
    """The bytes of each tensor type in `text`; a Boolean takes one."""
    return [math.prod(int(dim) for dim in dims.split("x")[:-1])
            * max(1, int(bits) // 8) for dims, _, bits in TENSOR.findall(text)]


def find_crossings(text):
    """(value, reading device) -> (making device, bytes)."""
    makers, crossings, groups = {}, {}, 0
    for line in text.splitlines():
        match = GROUP.match(line.strip())
        if not match:
            continue
        groups += 1
        name, reads, device, types = match.groups()
        for value, size in zip(READ.findall(reads), tensor_bytes(types),
                               strict=True):
            maker = makers.get(value.partition("#")[0])
            if maker is not None and maker != device:
                crossings[value, device] = maker, size
        makers[name] = device
    if not groups or groups != text.count("= weir.group "):
        sys.exit(f"error: {text.count('weir.group ')} groups stand in the "
                 f"text, of which {groups} were understood")
    return crossings


def count_crossings(text, isolated=None):
    """device -> {"crossings": n, "bytes": n}, of devices that read any. Bytes
    count that cross to or from one of the `isolated` devices; without a list,
    all do."""
    counts = {}
    for (_, device), (maker, size) in find_crossings(text).items():
        entry = counts.setdefault(device, {"crossings": 0, "bytes": 0})
        entry["crossings"] += 1
        if isolated is None or not isolated.isdisjoint((maker, device)):
            entry["bytes"] += size
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", help="text of a placed graph; - for stdin")
    path = parser.parse_args().file
    with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as file:
        print(json.dumps(count_crossings(file.read()), indent=2,
                         sort_keys=True))
