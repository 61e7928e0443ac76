"""Compares what an installed Weir shows with the stored lists: headers.txt has
the installed headers, symbols.txt the public symbols of the libraries.

usage: surface.py --build BUILD [--update]

Programs rely on what is in these lists. `--update` writes them anew from a
build with the compiler.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ["libWeirRuntime.so", "libWeirData.so", "libWeirTraining.so",
             "libWeirBuilder.so"]
BUILDER = LIBRARIES[-1]
# Only these folders come with the compiler.
COMPILER_FOLDERS = ("weir/Builder/", "weir/Compiler/")
PUBLIC = re.compile(r"WEIR_\d+\.\d+$")
PRIVATE = re.compile(r"WEIR_PRIVATE_\d+\.\d+\.\d+$")
# In a header; of several lines, the one with the name.
DECLARATION = re.compile(r"^(?:[\w:<>*&, ]+[ *&])?([a-z]\w*)\(", re.MULTILINE)
FUNCTION = re.compile(r"weir::([a-z]\w*)(?:\[abi:\w+\])?\(")
OF_WEIR = re.compile(r"((vtable|typeinfo( name)?) for |[\w: ]+ )?weir(::|_)")


def exported_symbols(library):
    """The kind, name and version of what `library` exports. It exports nothing
    of others."""
    listing = subprocess.run(
        ["nm", "-DC", "--defined-only", "--with-symbol-versions", library],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listing.splitlines():
        _, kind, symbol = line.split(" ", 2)
        if kind == "A":  # The name of a version.
            continue
        name, _, version = symbol.partition("@@")
        assert OF_WEIR.match(name), f"{library} exports {symbol}"
        assert PUBLIC.match(version) or PRIVATE.match(version), symbol
        yield kind, name, version


def public_symbols(library):
    return sorted({name for _, name, version in exported_symbols(library)
                   if PUBLIC.match(version)})


def check_declared(tree, library):
    """Functions outside of classes are public if an installed header declares
    them."""
    declared = {name for header in (tree / "include").rglob("*.h")
                for name in DECLARATION.findall(
                    header.read_text(encoding="utf-8"))}
    names = {True: set(), False: set()}
    for kind, symbol, version in exported_symbols(library):
        if kind == "T" and (function := FUNCTION.match(symbol)):
            names[bool(PUBLIC.match(version))].add(function[1])
    private = sorted(declared & (names[False] - names[True]))
    if private:
        sys.exit(f"installed headers declare {', '.join(private)}, which "
                 f"{library.name} does not export as public; add them to its "
                 "list in lib/*/*.public")


def libraries_of(tree):
    folder = next(tree.rglob(LIBRARIES[0])).parent
    return [folder / name for name in LIBRARIES if (folder / name).exists()]


def plugins_of(tree):
    return list(tree.rglob("weir/plugins/libweir-*.so"))


def check_plugin(plugin):
    """A plug-in exports one function, and uses public symbols only."""
    listing = subprocess.run(
        ["nm", "-DC", "--with-symbol-versions", plugin],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    exported = []
    for line in listing.splitlines():
        kind, symbol = line[17:].split(" ", 1)
        if kind not in "Uw":
            exported.append(symbol)
        assert "WEIR_PRIVATE" not in symbol, f"{plugin} needs {symbol}"
    assert exported == ["weirDevicePlugin"], f"{plugin} exports {exported}"


def symbols_text(libraries):
    return "".join("\n".join([f"[{library.name}]", *public_symbols(library)])
                   + "\n" for library in libraries)


def headers_text(tree):
    include = tree / "include"
    return "".join(sorted(f"{path.relative_to(include).as_posix()}\n"
                          for path in include.rglob("*") if path.is_file()))


def stored_symbols(libraries):
    """The stored list's part for the libraries that there are."""
    text = (HERE / "symbols.txt").read_text(encoding="utf-8")
    if len(libraries) == len(LIBRARIES):
        return text
    return text.partition(f"[{BUILDER}]")[0]


def stored_headers(has_compiler):
    lines = (HERE / "headers.txt").read_text(encoding="utf-8").splitlines(True)
    return "".join(line for line in lines
                   if has_compiler or not line.startswith(COMPILER_FOLDERS))


def check(tree, build, has_sanitizer=False):
    """Fails with the differences between `tree` and the lists. With sanitizers
    the builder's library exports all."""
    libraries = libraries_of(tree)
    has_compiler = len(libraries) == len(LIBRARIES)
    for plugin in plugins_of(tree):
        check_plugin(plugin)
    if has_sanitizer:
        libraries = [path for path in libraries if path.name != BUILDER]
    for library in libraries:
        check_declared(tree, library)
    failed = False
    for name, expected, found in [
            ("headers.txt", stored_headers(has_compiler), headers_text(tree)),
            ("symbols.txt", stored_symbols(libraries),
             symbols_text(libraries))]:
        difference = list(difflib.unified_diff(
            expected.splitlines(), found.splitlines(),
            f"test/Install/{name}", "installed", lineterm="", n=1))
        failed |= bool(difference)
        print("\n".join(difference))
    if failed:
        sys.exit("the installed tree is not as the stored lists say; if that "
                 "is intended, say so in CHANGELOG.md and run\n  python3 "
                 f"{HERE / 'surface.py'} --build {build} --update")


def update(tree):
    libraries = libraries_of(tree)
    assert len(libraries) == len(LIBRARIES), (
        "expected a build with the compiler, since the lists contain its "
        "headers and symbols, too")
    for name, text in [("headers.txt", headers_text(tree)),
                       ("symbols.txt", symbols_text(libraries))]:
        (HERE / name).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", options.build, "--prefix",
                        folder], check=True, stdout=subprocess.DEVNULL)
        tree = pathlib.Path(folder)
        if options.update:
            update(tree)
        else:
            check(tree, options.build)


if __name__ == "__main__":
    main()
