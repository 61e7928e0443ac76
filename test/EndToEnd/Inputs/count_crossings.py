#!/usr/bin/env python3
"""Counts the crossings of a placed graph from its text.

Reads what `graph-compile --emit=placed` prints (a file, or - for standard
input). A crossing is a value and a device that reads it, while another device
makes it. An input in the memory of a device is made there, and an output there
is read there. All other inputs and parameters come from the host and do not
cross. Prints one JSON object: for each device that others' values cross to, how
many do, and their bytes. Shares no code with the compiler.
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
# (%x: tensor<2xf32> {weir.space = "cpu:1"}, ...) -> (tensor<2xf32> {...}, ...)
INPUT = re.compile(r"(%[\w.$-]+): tensor<[^>]*>((?: \{[^}]*\})?)")
OUTPUT = re.compile(r"tensor<[^>]*>((?: \{[^}]*\})?)")
SPACE = re.compile(r'weir\.space = "([^"]+)"')
RETURN = re.compile(r"return (%.*) : (.*)$")
TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z]+)(\d+)")


def tensor_bytes(text):
    """The bytes of each tensor type in `text`; a Boolean takes one."""
    return [math.prod(int(dim) for dim in dims.split("x")[:-1])
            * max(1, int(bits) // 8) for dims, _, bits in TENSOR.findall(text)]


def read_header(line):
    """The spaces of the inputs by name, and those of the outputs in order; None
    is the host's."""
    inputs, outputs = line.split(") -> ", 1)
    spaces = {name: find_space(attributes)
              for name, attributes in INPUT.findall(inputs)}
    return spaces, [find_space(attributes)
                    for attributes in OUTPUT.findall(outputs)]


def find_space(attributes):
    found = SPACE.search(attributes)
    return found and found[1]


class Entry:
    """The crossings of one function: (value, reading device) -> (making device,
    bytes). Only inputs and outputs in the memory of `isolated` devices are on a
    device; without a list, all that name one are."""

    def __init__(self, header, isolated):
        spaces, self.outputs = read_header(header)
        self.isolated = isolated
        self.makers = {name: space for name, space in spaces.items()
                       if self.is_place(space)}
        self.crossings = {}

    def is_place(self, space):
        return space and (self.isolated is None or space in self.isolated)

    def read(self, value, device, size):
        name, _, _ = value.partition("#")
        maker = self.makers.get(value, self.makers.get(name))
        if maker is not None and maker != device:
            self.crossings[value, device] = maker, size

    def read_outputs(self, values, sizes):
        for value, size, space in zip(values, sizes, self.outputs, strict=True):
            if self.is_place(space):
                self.read(value, space, size)


def find_crossings(text, isolated=None):
    """One Entry for each function."""
    entries, groups = [], 0
    for line in map(str.strip, text.splitlines()):
        if line.startswith("func.func @"):
            entries.append(Entry(line, isolated))
        elif match := GROUP.match(line):
            groups += 1
            name, reads, device, types = match.groups()
            for value, size in zip(READ.findall(reads), tensor_bytes(types),
                                   strict=True):
                entries[-1].read(value, device, size)
            entries[-1].makers[name] = device
        elif match := RETURN.match(line):
            entries[-1].read_outputs(match[1].split(", "),
                                     tensor_bytes(match[2]))
    if not groups or groups != text.count("= weir.group "):
        sys.exit(f"error: {text.count('weir.group ')} groups stand in the "
                 f"text, of which {groups} were understood")
    return entries


def count_crossings(text, isolated=None):
    """device -> {"crossings": n, "bytes": n}, of devices that read any. Bytes
    count that cross to or from one of the `isolated` devices; without a list,
    all do."""
    counts = {}
    for entry in find_crossings(text, isolated):
        for (_, device), (maker, size) in entry.crossings.items():
            count = counts.setdefault(device, {"crossings": 0, "bytes": 0})
            count["crossings"] += 1
            if isolated is None or not isolated.isdisjoint((maker, device)):
                count["bytes"] += size
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", help="text of a placed graph; - for stdin")
    path = parser.parse_args().file
    with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as file:
        print(json.dumps(count_crossings(file.read()), indent=2,
                         sort_keys=True))
