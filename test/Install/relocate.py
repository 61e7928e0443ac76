"""Installs Weir, moves the tree, and builds and runs a project against it.

The move is the point: a path of the build or of the first place that is left
in a library, a tool or a CMake file makes a later step fail.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--consumer", required=True)
    parser.add_argument("--cxx-flags", default="")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        first = pathlib.Path(folder) / "installed"
        moved = pathlib.Path(folder) / "moved"
        build = pathlib.Path(folder) / "consumer"
        run(options.cmake, "--install", options.build, "--prefix", first,
            "--strip")
        shutil.move(first, moved)
        check_no_build_paths(moved, [options.build, str(first)])
        check_libraries(moved)
        run(options.cmake, "-S", options.consumer, "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={moved}",
            f"-DCMAKE_CXX_FLAGS={options.cxx_flags}")
        run(options.cmake, "--build", build)
        assert run(build / "consumer") == "bf16 2\n"


main()
