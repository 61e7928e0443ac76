"""Installs Weir, moves the tree, and builds and runs a project against it.

The move is the point: a path of the build or of the first place that is left
in a library, a tool or a CMake file makes a later step fail.
"""
import argparse
from concurrent import futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import surface


LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def run(*command, **options):
    """Runs a command and returns what it printed."""
    print("+", *command, flush=True)
    clean = {name: value for name, value in os.environ.items()
             if name not in ("LD_LIBRARY_PATH", "WEIR_DEPS_DIR")}
    done = subprocess.run([str(word) for word in command], env=clean,
                          stdout=subprocess.PIPE, text=True, **options)
    print(done.stdout, end="")
    done.check_returncode()
    return done.stdout


def check_no_build_paths(tree, forbidden):
    """No installed file may know where it was built or first installed."""
    for path in tree.rglob("*"):
        # oneDNN is not ours, and archives hold debugging information.
        if (path.is_file() and path.suffix != ".a"
                and not path.name.startswith("libdnnl")):
            data = path.read_bytes()
            for place in forbidden:
                assert os.fsencode(place) not in data, f"{path} names {place}"


def check_headers(tree, compiler, cxx_flags):
    """Each installed header compiles alone, with no other folder of headers,
    and names none but Weir's and those of the standard library. The C API's
    does so in C, too."""
    include = tree / "include"
    headers = sorted(include.rglob("*.h"))
    foreign = re.compile(r'#\s*include\s*(?:"(?!weir/)|<[^>]*[/.](?!h>))')
    for path in headers:
        assert not foreign.search(path.read_text(encoding="utf-8")), path

    def compile_alone(path):
        language = ["-std=c++20", "-x", "c++", *cxx_flags.split()]
        for flags in [language] + [["-std=c11", "-x", "c"]] * (
                path.parent.name == "C"):
            run(compiler, *flags, "-Wall", "-Wextra", "-Werror", "-pedantic",
                "-fsyntax-only", "-I", include, path)

    with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_alone, headers))


def check_documents(tree):
    """The licence and the pages are there, and only the example that stands
    by itself has its build file."""
    documents = tree / "share/doc/weir"
    for page in ["LICENSE", "README.md", "docs/README.md"]:
        assert (documents / page).is_file(), f"no {page} in {documents}"
    builds = [str(path.parent.name)
              for path in documents.rglob("CMakeLists.txt")]
    assert builds == ["two-devices"], builds
    for page in documents.rglob("*.md"):
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page} links to {link}"


def check_libraries(tree):
    """Every library is found, and oneDNN in the moved tree."""
    programs = surface.libraries_of(tree)
    programs += [tool for tool in (tree / "bin").glob("*")]
    for program in programs:
        listing = run("ldd", program)
        assert "not found" not in listing, f"{program} misses a library"
        for line in listing.splitlines():
            if "libdnnl" in line or "libWeir" in line:
                assert str(tree) in line, f"outside the tree: {line.strip()}"


def build_project(options, source, build, tree):
    """Builds the project `source` against the installed `tree`."""
    run(options.cmake, "-S", source, "-B", build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={tree}",
        f"-DCMAKE_C_FLAGS={options.cxx_flags}",
        f"-DCMAKE_CXX_FLAGS={options.cxx_flags}")
    run(options.cmake, "--build", build)


def check_consumers(options, build, tree):
    """A C and a C++ program run a model that the installed compiler made. In a
    tree without a compiler they say that there is no model."""
    build_project(options, options.consumer, build, tree)
    model = build / "model.weir"
    graph_compile = tree / "bin" / "graph-compile"
    for name in ["consumer", "c-consumer"]:
        if graph_compile.exists():
            source = pathlib.Path(options.consumer, "../Inputs/model.mlir")
            run(graph_compile, source, "-o", model)
            assert run(build / name, model) == "2 5 10 17 \n"
        else:
            done = subprocess.run([build / name, model], check=False,
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode == 1, done
            assert "no such file" in done.stderr, done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--consumer", required=True)
    parser.add_argument("--builder-example")
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--cxx-flags", default="")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        first = pathlib.Path(folder) / "installed"
        moved = pathlib.Path(folder) / "moved"
        builds = pathlib.Path(folder) / "builds"
        run(options.cmake, "--install", options.build, "--prefix", first,
            "--strip")
        shutil.move(first, moved)
        check_no_build_paths(moved, [options.build, str(first)])
        surface.check(moved, options.build, bool(options.cxx_flags))
        check_headers(moved, options.cxx, options.cxx_flags)
        check_documents(moved)
        check_libraries(moved)
        check_consumers(options, builds / "consumer", moved)
        if options.builder_example:
            build = builds / "example"
            build_project(options, options.builder_example, build, moved)
            shown = run(build / "two-devices")
            assert "vertical bar: 0.9820 vertical" in shown, shown


main()
