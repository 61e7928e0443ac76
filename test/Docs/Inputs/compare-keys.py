#!/usr/bin/env python3
"""Compares the keys of a JSON object on standard input with those that
docs/cli.md lists.

usage: compare-keys.py CLI.md TOOL FLAGS

The table of an object stands below a line of the tool's section that begins
with its flags, `--stats=json`. A row that names `devices[].groups`, `launches`
means devices[].launches by the latter.
"""
import json
import re
import sys


def documented_keys(page, tool, flags):
    section = re.search(rf"^## {tool}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
    table = section.split(f"\n`{flags}`", 1)[1].split("\n\n", 1)[1]
    keys = set()
    for row in re.findall(r"^\| (`.*?) \|", table.split("\n\n")[0], re.M):
        prefix = ""
        for name in re.findall(r"`([^`]+)`", row):
            if "." in name:
                prefix = name.rpartition(".")[0] + "."
                keys.add(name)
            else:
                keys.add(prefix + name)
    return keys


def leaves(value, path=""):
    """The paths of what is neither an object nor a list of objects."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for element in value:
            yield from leaves(element, path + "[]")
    else:
        yield path


def main():
    path, tool, flags = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        documented = documented_keys(file.read(), tool, flags)
    found = set(leaves(json.load(sys.stdin)))
    # A key whose value is an object by device name is listed as a whole.
    wholes = {key for key in documented
              if any(leaf.startswith(key + ".") for leaf in found)}
    found = {leaf for leaf in found
             if not leaf.startswith(tuple(key + "." for key in wholes))}
    for key in sorted(found - documented):
        print(f"{path}: {tool} {flags} has {key}, which is not on the page")
    for key in sorted(documented - wholes - found):
        print(f"{path}: the page lists {key}, which {tool} {flags} lacks")
    sys.exit(found != documented - wholes)


if __name__ == "__main__":
    main()
