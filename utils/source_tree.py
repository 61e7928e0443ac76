"""The files that people wrote, and how a linter reports on them.

Every linter of utils/ is `main(check)` around a pure function from text to
`Finding`s, so that its rules are tested on text alone.
"""
import argparse
import pathlib
import sys
from typing import Callable, Iterable, NamedTuple

FOLDERS = ("docs", "include", "lib", "test", "tools", "utils")


class Finding(NamedTuple):
    """A broken rule; `line` counts from 1, and 0 means the file as a whole."""
    path: str
    line: int
    message: str

    def __str__(self):
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}"


class Source(NamedTuple):
    """A file; `path` is relative to the repository, with slashes."""
    path: str
    text: str

    @property
    def lines(self):
        return self.text.split("\n")


def read_sources(root: pathlib.Path, suffixes: Iterable[str],
                 folders: Iterable[str] = FOLDERS):
    """The files of the root and below `folders` whose name ends in one of
    `suffixes`."""
    paths = sorted(root.glob("*"))
    for folder in folders:
        paths += sorted((root / folder).rglob("*"))
    return [Source(path.relative_to(root).as_posix(),
                   path.read_text(encoding="utf-8"))
            for path in paths
            if path.name.endswith(tuple(suffixes)) and path.is_file()]


def main(description: str, check: Callable, fix: Callable | None = None):
    """Runs `check(root)`, or `fix(root)` first under --fix; exits 1 on
    findings, having said how to mend them."""
    script = pathlib.Path(sys.argv[0])
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path,
                        default=script.resolve().parent.parent,
                        help="the repository (default: the script's)")
    if fix:
        parser.add_argument("--fix", action="store_true",
                            help="first mend what can be mended by itself")
    options = parser.parse_args()
    if fix and options.fix:
        fix(options.root)
    findings = check(options.root)
    for finding in findings:
        print(finding)
    if findings and fix and not options.fix:
        print(f"some of this may be mended by: utils/{script.name} --fix")
    sys.exit(1 if findings else 0)
