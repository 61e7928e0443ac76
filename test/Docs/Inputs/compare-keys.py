#!/usr/bin/env python3
"""Compares the keys of a JSON object on standard input with those that a page
lists.

usage: compare-keys.py PAGE.md FLAGS

The table of an object stands in a section whose heading ends with its flags,
`--stats=json`. A row that names `devices[].groups`, `launches` means
devices[].launches by the latter.
"""
import json
import re
import sys


def documented_keys(page, flags):
    section = re.search(rf"^#[^\n]*`{re.escape(flags)}`\n(.*?)(?=^#|\Z)",
                        page, re.M | re.S)[1]
    keys = set()
    for row in re.findall(r"^\| (`.*?) \|", section, re.M):
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
    path, flags = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        documented = documented_keys(file.read(), flags)
    found = set(leaves(json.load(sys.stdin)))
    # A key whose value is an object by device name is listed as a whole.
    wholes = {key for key in documented
              if any(leaf.startswith(key + ".") for leaf in found)}
    found = {leaf for leaf in found
             if not leaf.startswith(tuple(key + "." for key in wholes))}
    for key in sorted(found - documented):
        print(f"{path}: {flags} has {key}, which is not on the page")
    for key in sorted(documented - wholes - found):
        print(f"{path}: the page lists {key}, which {flags} lacks")
    sys.exit(found != documented - wholes)


if __name__ == "__main__":
    main()
