"""Installs Weir, moves the tree, and builds and runs a project against it.

The move is the point: a path of the build or of the first place that is left
in a library, a tool or a CMake file makes a later step fail.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile


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


def check_headers(tree):
    """No installed header needs one of LLVM's or MLIR's."""
    foreign = re.compile(r'#\s*include\s*["<](?:llvm|mlir)/')
    for path in tree.rglob("*.h"):
        assert not foreign.search(path.read_text()), f"{path} needs LLVM"


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
    libdir = next(tree.rglob("libWeirRuntime.so")).parent
    programs = [libdir / "libWeirRuntime.so"]
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
        f"-DCMAKE_CXX_FLAGS={options.cxx_flags}")
    run(options.cmake, "--build", build)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--consumer", required=True)
    parser.add_argument("--builder-example")
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
        check_headers(moved)
        check_documents(moved)
        check_libraries(moved)
        build_project(options, options.consumer, builds / "consumer", moved)
        assert run(builds / "consumer" / "consumer") == "bf16 2\n"
        if options.builder_example:
            build = builds / "example"
            build_project(options, options.builder_example, build, moved)
            shown = run(build / "two-devices")
            assert "vertical bar: 0.9820 vertical" in shown, shown


main()
