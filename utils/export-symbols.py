#!/usr/bin/env python3
"""Writes the linker's version script for one of Weir's shared libraries.

Public symbols get the version WEIR_0.1, for instance. All other symbols of Weir
get WEIR_PRIVATE_0.1.0 if --private is given: the compiler, the tools and the
tests of the same build use them, and the loader refuses programs that need
those of another release. Nothing else is exported, such as what is compiled in
of other projects, which a program may have in another version.

Linkers disagree on which of two patterns decides. So the script has no
patterns: it lists each symbol that the objects define.
"""
import argparse
import fnmatch
import pathlib
import re
import subprocess

# Instances of function templates are spelled with their result.
OF_WEIR = re.compile(r"((vtable|typeinfo( name)?) for |[\w: ]+ )?weir(::|_)")
TABLE = re.compile(r"_ZT")
IN_WEIR = re.compile(r"_ZN4weir(\d+)(\w+)")


def is_function_template(symbol):
    """Whether `symbol` is an instance of a function template of Weir."""
    match = IN_WEIR.match(symbol)
    if not match:
        return False
    length = int(match[1])
    return match[2][0].islower() and match[2][length:length + 1] == "I"


def defined_symbols(nm, objects):
    """The external symbols that the objects define. Weak ones are copies of
    what headers define. They stay inside, except for tables of classes, and for
    function templates, whose instances may be in one place alone."""
    listing = subprocess.run(
        [nm, "-gP", "--defined-only", *objects],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    symbols = set()
    for line in listing.splitlines():
        name, kind, *_ = line.split() + ["", ""]
        if (kind in "TDBR" or kind == "V" and TABLE.match(name)
                or kind == "W" and is_function_template(name)):
            symbols.add(name)
    return sorted(symbols)


def demangle(cxxfilt, symbols):
    return subprocess.run(
        [cxxfilt], check=True, input="\n".join(symbols) + "\n",
        stdout=subprocess.PIPE, text=True).stdout.splitlines()


def read_patterns(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def choose(names, patterns):
    """The symbols whose names fit. A pattern that fits none is an error."""
    public, unused = set(), []
    for pattern in patterns:
        found = {symbol for symbol, name in names.items()
                 if fnmatch.fnmatchcase(name, pattern)}
        if not found:
            unused.append(pattern)
        public |= found
    if unused:
        raise SystemExit("export-symbols.py: no symbol fits these patterns; "
                         "correct or remove them: " + ", ".join(unused))
    return public


def node(name, symbols, is_last):
    lines = [f"{name} {{", "  global:"]
    lines += [f"    {symbol};" for symbol in sorted(symbols)]
    lines += ["  local: *;"] if is_last else []
    return lines + ["};"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True)
    parser.add_argument("--cxxfilt", required=True)
    parser.add_argument("--objects", required=True,
                        help="a file with a path on each line")
    parser.add_argument("--public", required=True,
                        help="a file with a pattern on each line")
    parser.add_argument("--private", action="store_true")
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()

    objects = pathlib.Path(options.objects).read_text(encoding="utf-8").split()
    symbols = defined_symbols(options.nm, objects)
    spelled = demangle(options.cxxfilt, symbols)
    names = {symbol: name for symbol, name in zip(symbols, spelled)
             if OF_WEIR.match(name)}
    public = choose(names, read_patterns(options.public))
    major_minor = ".".join(options.version.split(".")[:2])
    script = node(f"WEIR_{major_minor}", public, not options.private)
    if options.private:
        script += node(f"WEIR_PRIVATE_{options.version}",
                       names.keys() - public, True)
    pathlib.Path(options.output).write_text("\n".join(script) + "\n",
                                            encoding="utf-8")


if __name__ == "__main__":
    main()
