#!/usr/bin/env python3
"""Makes a folder look like a clone of Weir that is built, by links, so that the
commands of a page run there and write nothing elsewhere.

usage: link-tree.py FOLDER SOURCE BUILD
"""
import pathlib
import sys


def main():
    folder, source, build = map(pathlib.Path, sys.argv[1:])
    (folder / "build").mkdir(parents=True)
    for name in ("bin", "examples"):
        (folder / "build" / name).symlink_to(build / name)
    (folder / "docs").symlink_to(source / "docs")
    # The interpreter is that of the Python environment that set-up makes.
    (folder / ".deps").mkdir()
    (folder / ".deps" / "venv").symlink_to(sys.prefix)


if __name__ == "__main__":
    main()
